/** Walks the trees that `rg` searches, sorted by name, without ignored and hidden files. */
import { pathMatcher } from "../../../base/pathMatcher.ts"
import { compareStrings, textToBinary } from "../../binaryString.ts"
import { errnoText } from "../../Errno.ts"
import { FileType } from "../../Stat.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { joinPath, resolvePath } from "../shared/paths.ts"
import { fileTypes } from "./fileTypes.ts"
import { IgnoreRules, judge, parseRules, type Verdict } from "./IgnoreRules.ts"

/** A file to search. */
export interface FoundFile {
  readonly path: string
  /** Whether an operand names the file, which is then searched in any case. */
  readonly isExplicit: boolean
}

const maxTreeDepth = 512

/** Globs by type, the list of ripgrep with those of `--type-add`. */
export const typesOf = (io: UtilityIo): Map<string, ReadonlyArray<string>> => {
  const types = new Map(fileTypes)
  for (const text of io.values("type-add")) {
    const [, name = "", glob = ""] = /^([A-Za-z0-9_-]+):(.+)$/s.exec(text) ??
      io.fail(`invalid definition (format is type:glob, e.g., html:*.html)`)
    types.set(name, [...types.get(name) ?? [], glob])
  }
  return types
}

export class FileFinder {
  readonly #io: UtilityIo
  readonly #used: { readonly git: boolean; readonly dot: boolean }
  readonly #showsHidden: boolean
  readonly #maxDepth: number
  /** Judges by `-g` and `--iglob`. */
  readonly #overrides: (path: string, isDirectory: boolean) => Verdict
  /** Judges by `-t` and `-T`. */
  readonly #types: (name: string) => Verdict
  failed = false

  constructor(io: UtilityIo) {
    this.#io = io
    const unrestricted = io.options.all.filter(([name]) => name === "u").length
    const all = io.has("no-ignore") || unrestricted > 0
    this.#used = { dot: !all && !io.has("no-ignore-dot"), git: !all && !io.has("no-ignore-vcs") }
    this.#showsHidden = io.has("hidden") || unrestricted > 1
    this.#maxDepth = io.count("max-depth", Infinity, (text) => `invalid value for --max-depth: '${text}'`)
    this.#overrides = makeOverrides(io)
    this.#types = makeTypes(io)
  }

  async *find(paths: ReadonlyArray<string>): AsyncGenerator<FoundFile> {
    const io = this.#io
    for (const path of paths) {
      const stat = path === "-" ? undefined : io.system.stat(path === "" ? "." : path)
      if (typeof stat === "number") {
        if (io.showsWarnings) {
          io.err.putText(`${path}: IO error for operation on ${path}: ${errnoText(stat)} (os error 2)\n`)
        }
        this.failed = true
      } else if (stat?.type !== FileType.directory) yield { isExplicit: true, path }
      else {
        const absolute = resolvePath(io.system, path === "" ? "." : path, "none")
        if (typeof absolute === "number") continue
        const rules = await IgnoreRules.readAll(io, absolute, this.#used)
        yield* this.#walk(path, absolute, rules, 1)
      }
    }
  }

  async *#walk(path: string, absolute: string, rules: IgnoreRules, depth: number): AsyncGenerator<FoundFile> {
    const io = this.#io
    if (depth > Math.min(this.#maxDepth, maxTreeDepth)) return
    await io.flushAndYield()
    const listed = io.system.list(path === "" ? "." : path)
    if (typeof listed === "number") {
      if (io.showsWarnings) io.err.putText(`${path}: ${errnoText(listed)}\n`)
      this.failed = true
      return
    }
    const entries = listed.map(({ name, type }) => ({ key: textToBinary(name), name, type }))
    entries.sort((a, b) => compareStrings(a.key, b.key))
    for (const { name, type } of entries) {
      const inside = path === "" ? name : joinPath(path, name)
      let kind = type
      if (kind === FileType.symbolicLink) {
        const stat = io.has("L") ? io.system.stat(inside) : -1
        if (typeof stat === "number") continue
        kind = stat.type
      }
      const isDirectory = kind === FileType.directory
      if (!isDirectory && kind !== FileType.regularFile) continue
      const below = joinPath(absolute, name)
      if (!this.#isWanted(below, name, isDirectory, rules)) continue
      if (!isDirectory) yield { isExplicit: false, path: inside }
      else yield* this.#walk(inside, below, await IgnoreRules.read(io, below, rules, this.#used), depth + 1)
    }
  }

  #isWanted(absolute: string, name: string, isDirectory: boolean, rules: IgnoreRules): boolean {
    const { cwd } = this.#io.system
    const relative = absolute.startsWith(`${cwd}/`) ? absolute.slice(cwd.length + 1) : absolute.slice(1)
    const override = this.#overrides(relative, isDirectory)
    if (override !== undefined) return override === "taken"
    const ignored = rules.judge(absolute, isDirectory)
    if (ignored === "ignored") return false
    const type = isDirectory ? undefined : this.#types(name)
    if (type === "ignored") return false
    return ignored === "taken" || type === "taken" || this.#showsHidden || !name.startsWith(".")
  }
}

const makeOverrides = (io: UtilityIo): (path: string, isDirectory: boolean) => Verdict => {
  const globs = io.options.all.filter(([name]) => name === "g" || name === "iglob").map(([name, value]) => {
    const isExclusion = value.startsWith("!")
    const [rule] = parseRules([(isExclusion ? value.slice(1) : value).toLowerCase()])
    const [exact] = parseRules([isExclusion ? value.slice(1) : value])
    return { isExclusion, rule: name === "iglob" ? rule : exact, folds: name === "iglob" }
  })
  const hasInclusion = globs.some(({ isExclusion }) => !isExclusion)
  return (path, isDirectory) => {
    const last = globs.findLast(({ folds, rule }) =>
      rule !== undefined && judge([rule], folds ? path.toLowerCase() : path, isDirectory) !== undefined
    )
    if (last !== undefined) return last.isExclusion ? "ignored" : "taken"
    return hasInclusion && !isDirectory ? "ignored" : undefined
  }
}

const makeTypes = (io: UtilityIo): (name: string) => Verdict => {
  const given = io.options.all.filter(([name]) => name === "t" || name === "T")
  const known = given.length === 0 ? undefined : typesOf(io)
  const selections = given.map(([option, type]) => {
    const globs = type === "all" ? [...known?.values() ?? []].flat() : known?.get(type)
    if (globs === undefined) throw io.fail(`unrecognized file type: ${type}`)
    return { isExclusion: option === "T", matches: globs.map(pathMatcher) }
  })
  const hasInclusion = selections.some(({ isExclusion }) => !isExclusion)
  return (name) => {
    const last = selections.findLast(({ matches }) => matches.some((test) => test(name)))
    if (last !== undefined) return last.isExclusion ? "ignored" : "taken"
    return hasInclusion ? "ignored" : undefined
  }
}
