/** Matches the rules of an approval policy against a part of a call: rules that allow narrowly, all others widely. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { quote } from "../base/quote.ts"
import { globMatcher } from "../base/globMatcher.ts"
import { parsePath } from "../files/FilePath.ts"
import { pathMatcher } from "../base/pathMatcher.ts"
import type { LaunchedCommand } from "../policy/launchedCommands.ts"
import { normalizeCommandName } from "../policy/normalizeCommandName.ts"
import type { ApprovalRule, CallPart, InspectedCall } from "./ApprovalRule.ts"

/**
 * Folds spellings that may be the same name on some system: case, Unicode's normal forms, and characters without width
 * do not count. Upper case comes first: file systems take `ſ` for an s.
 */
const fold = (text: string): string =>
  text.replace(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC").toUpperCase().toLowerCase().normalize("NFC")

/** Whether a pattern covers everything below a matching path. */
const hasAllBelow = (pattern: string): boolean => pattern === "*" || /(?:^|\/)\*\*(?:\/\*)?$/.test(pattern)

/** Whether a pattern may match something below a folder, judged by its leading names without wildcards. */
const reachesBelow = (pattern: string, folder: string): boolean => {
  if (!pattern.includes("/")) return true
  const names = (pattern.startsWith("/") ? pattern.slice(1) : pattern).split("/")
  const wild = names.findIndex((name) => /[\\*?[{]/.test(name))
  const plain = wild < 0 ? names : names.slice(0, wild)
  return folder === "" || folder.split("/").every((name, at) => at >= plain.length || plain[at] === name)
}

/** The glob for the paths that a pattern matches and for everything below them. */
const withAllBelow = (pattern: string): string => `${pattern.includes("/") ? "" : "**/"}${pattern}/**`

/** Compiled patterns: a patch has many paths, and a policy few patterns. */
const compiled = new Map<string, (path: string) => boolean>()
const maxCompiled = 1_000

const matcherOf = (pattern: string): (path: string) => boolean => {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  if (compiled.size >= maxCompiled) compiled.clear()
  const made = pathMatcher(pattern)
  compiled.set(pattern, made)
  return made
}

const allowsPath = (pattern: string, { isLinked, path = "", recursive }: CallPart): boolean => {
  const names = parsePath(path)
  if (Result.isFailure(names)) return false
  // Wherever a link leads, its target is in the workspace: otherwise the leaf refuses it.
  if (isLinked === true) return pattern === "**"
  return (recursive !== true || hasAllBelow(pattern)) && matcherOf(pattern)(names.success.join("/"))
}

const mayMeanPath = (pattern: string, { isLinked, path = "", recursive }: CallPart): boolean => {
  const names = parsePath(path)
  // No leaf accepts such a path, so nothing is lost.
  if (isLinked === true || Result.isFailure(names)) return true
  const plain = names.success.join("/")
  const folder = fold(plain)
  // Letters of a set that fall together when they are folded are in it in any case.
  return matcherOf(withAllBelow(fold(pattern)))(folder) || matcherOf(withAllBelow(pattern))(plain) ||
    (recursive === true && reachesBelow(fold(pattern), folder))
}

/** The globs of the words of a rule, and whether further words may follow. */
const wordsOf = (pattern: string): readonly [globs: ReadonlyArray<string>, isOpen: boolean] => {
  const globs = pattern.trim().split(/\s+/)
  return globs.at(-1) === "*" ? [globs.slice(0, -1), true] : [globs, false]
}

const allowsCommand = (rule: ApprovalRule, pattern: string, { command, cwd }: CallPart): boolean => {
  if (command === undefined || command === "unknown") return false
  if (cwd !== undefined && rule.arguments?.["cwd"] === undefined) return false
  const [globs, isOpen] = wordsOf(pattern)
  if (isOpen ? command.length < globs.length : command.length !== globs.length) return false
  return globs.every((glob, at) => globMatcher(glob)(command[at] ?? ""))
}

const mayMeanCommand = (pattern: string, command: LaunchedCommand): boolean => {
  if (command === "unknown") return true
  const [[program = "*", ...globs]] = wordsOf(pattern)
  const [name = "", ...words] = command
  const isProgram = globMatcher(fold(program))
  if (![name, normalizeCommandName(name, "windows")].some((each) => isProgram(fold(each)))) return false
  // Options may stand between the words: `git -C folder push`.
  let at = 0
  for (const glob of globs) {
    while (at < words.length && !globMatcher(glob)(words[at] ?? "")) at++
    if (at++ >= words.length) return false
  }
  return true
}

/** The texts of the arguments at a path, in which `*` stands for each; empty where nothing is there. */
const argumentsAt = (input: Schema.Json, path: string): ReadonlyArray<string> => {
  let values: ReadonlyArray<unknown> = [input]
  for (const name of path.split(".")) {
    values = values.flatMap((value): ReadonlyArray<unknown> => {
      if (typeof value !== "object" || value === null) return []
      if (Object.hasOwn(value, name)) return [Reflect.get(value, name)]
      return name === "*" ? Object.values(value) : []
    })
  }
  return values.map((value) => typeof value === "string" ? value : JSON.stringify(value) ?? "")
}

const matchesArgument = (input: Schema.Json, path: string, glob: string, isAllowing: boolean): boolean => {
  const texts = argumentsAt(input, path)
  if (isAllowing) return texts.length > 0 && texts.every(globMatcher(glob))
  return texts.some((text) => globMatcher(glob)(text) || globMatcher(fold(glob))(fold(text)))
}

export const matchesRule = (rule: ApprovalRule, call: InspectedCall, part: CallPart): boolean => {
  const { command, path } = rule
  const isAllowing = rule.decision === "allow"
  if (rule.spell !== undefined && !globMatcher(rule.spell)(call.spell)) return false
  if (rule.readOnly !== undefined && rule.readOnly !== call.readOnly) return false
  for (const [name, glob] of Object.entries(rule.arguments ?? {})) {
    if (!matchesArgument(call.arguments, name, glob, isAllowing)) return false
  }
  if (path !== undefined) {
    if (part.path === undefined || !(isAllowing ? allowsPath : mayMeanPath)(path, part)) return false
  }
  if (command === undefined) return true
  if (part.command === undefined) return false
  return isAllowing
    ? allowsCommand(rule, command, part)
    : [part.command, ...part.launched ?? []].some((each) => mayMeanCommand(command, each))
}

/** Explains why a rule can match nothing, and so has no effect. */
export const findUselessPart = ({ command, path, spell }: ApprovalRule): string | undefined => {
  if (spell === "") return `spell is empty; leave it out to mean all`
  if (command?.trim() === "") return `command is empty; leave it out to mean all, or write the words of one`
  if (path === undefined) return undefined
  const names = (path.startsWith("/") ? path.slice(1) : path).split("/")
  const name = names.find((each) => each === "" || each === "." || each === "..")
  if (name === undefined) return undefined
  const why = name === "" ? "an empty name" : `the name ${quote(name)}`
  return `path ${quote(path)} has ${why}, which no path can have; write it from the root of the workspace: "src/**"`
}
