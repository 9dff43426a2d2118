/**
 * Decides which files of a tree are left out by `.gitignore`, `.ignore`, `.rgignore` and `.git/info/exclude`.
 * Source: gitignore(5); ripgrep's guide, "Automatic filtering".
 */
import { pathMatcher } from "../../../base/pathMatcher.ts"
import { binaryToText } from "../../binaryString.ts"
import { FileType } from "../../Stat.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { dirName, joinPath } from "../shared/paths.ts"
import { stripEnd } from "../shared/strip.ts"

interface Rule {
  readonly matches: (path: string) => boolean
  readonly isNegated: boolean
  readonly onlyDirectories: boolean
}

/** Whether a path is excluded, or included by an exception; `undefined` if no rule matches. */
export type Verdict = "ignored" | "taken" | undefined

const maxRulesBytes = 1_048_576

const parseRule = (line: string): Rule | undefined => {
  if (line === "" || line.startsWith("#")) return undefined
  // Blanks at the end count only when escaped.
  let text = line
  while (/[ \t]$/.test(text) && !text.endsWith("\\ ")) text = text.slice(0, -1)
  const isNegated = text.startsWith("!")
  const bare = stripEnd(isNegated ? text.slice(1) : text, "/")
  if (bare === "") return undefined
  return { isNegated, matches: pathMatcher(bare.replaceAll("\\ ", " ")), onlyDirectories: text.endsWith("/") }
}

export const parseRules = (lines: ReadonlyArray<string>): ReadonlyArray<Rule> =>
  lines.flatMap((line) => parseRule(line) ?? [])

/** The last rule that matches decides. */
export const judge = (rules: ReadonlyArray<Rule>, path: string, isDirectory: boolean): Verdict => {
  const rule = rules.findLast(({ matches, onlyDirectories }) => (isDirectory || !onlyDirectories) && matches(path))
  return rule === undefined ? undefined : rule.isNegated ? "taken" : "ignored"
}

/** The kinds of files with rules, the strongest first; a kind takes precedence over the next ones at any depth. */
const kinds = [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"] as const

/** The rules of one directory and of those above it. */
export class IgnoreRules {
  readonly #directory: string
  readonly #parent: IgnoreRules | undefined
  readonly #rules: ReadonlyArray<ReadonlyArray<Rule>>
  readonly #isRepository: boolean

  private constructor(
    directory: string,
    parent: IgnoreRules | undefined,
    rules: ReadonlyArray<ReadonlyArray<Rule>>,
    isRepository: boolean,
  ) {
    this.#directory = directory
    this.#parent = parent
    this.#rules = rules
    this.#isRepository = isRepository
  }

  /** Reads the rules of a directory, an absolute path. `used` selects the kinds that count. */
  static async read(
    io: UtilityIo,
    directory: string,
    parent: IgnoreRules | undefined,
    used: { readonly git: boolean; readonly dot: boolean },
  ): Promise<IgnoreRules> {
    const rules: Array<ReadonlyArray<Rule>> = []
    for (const kind of kinds) {
      const isUsed = kind.startsWith(".git") ? used.git : used.dot
      rules.push(isUsed ? await readRules(io, joinPath(directory, kind)) : [])
    }
    const isRepository = typeof io.system.stat(joinPath(directory, ".git")) === "object"
    return new IgnoreRules(directory, parent, rules, isRepository)
  }

  /** Reads the rules of the directories above an absolute path, and its own. */
  static async readAll(
    io: UtilityIo,
    directory: string,
    used: { readonly git: boolean; readonly dot: boolean },
  ): Promise<IgnoreRules> {
    const parent = dirName(directory) === directory
      ? undefined
      : await IgnoreRules.readAll(io, dirName(directory), used)
    return await IgnoreRules.read(io, directory, parent, used)
  }

  /** Judges a file or directory by its absolute path. */
  judge(path: string, isDirectory: boolean): Verdict {
    const isInRepository = this.#chain().some((rules) => rules.#isRepository)
    for (let kind = 0; kind < kinds.length; kind++) {
      const isGit = kinds[kind]?.startsWith(".git") === true
      if (isGit && !isInRepository) continue
      for (const level of this.#chain()) {
        const rules = level.#rules[kind] ?? []
        const below = path.slice(level.#directory === "/" ? 1 : level.#directory.length + 1)
        const verdict = rules.length === 0 ? undefined : judge(rules, below, isDirectory)
        if (verdict !== undefined) return verdict
        // Rules above a repository are not git's.
        if (isGit && level.#isRepository) break
      }
    }
    return undefined
  }

  /** This directory and those above it. */
  #chain(): ReadonlyArray<IgnoreRules> {
    return this.#parent === undefined ? [this] : [this, ...this.#parent.#chain()]
  }
}

const readRules = async (io: UtilityIo, path: string): Promise<ReadonlyArray<Rule>> => {
  const stat = io.system.stat(path)
  if (typeof stat === "number" || stat.type !== FileType.regularFile || stat.size > maxRulesBytes) return []
  const input = io.openInput(path)
  if (input === undefined) return []
  const lines = await io.readLines(input)
  input.close()
  return parseRules(lines.map((line) => stripEnd(binaryToText(line), "\r\n")))
}
