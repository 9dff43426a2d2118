/**
 * Declares the rules of an approval policy, and matches them against what a call of a spell would touch.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { globMatcher } from "../base/globMatcher.ts"
import { parsePath } from "../files/FilePath.ts"
import { pathMatcher } from "../files/pathMatcher.ts"
import { scriptCommands } from "../policy/scriptCommands.ts"
import type { SpellTarget } from "./SpellTarget.ts"

/**
 * Schema of {@link ApprovalDecision}.
 *
 * @example
 * ```ts
 * import { ApprovalDecision } from "@sluice/shell/spell"
 *
 * console.assert(ApprovalDecision.literals.join() === "allow,ask,deny")
 * ```
 *
 * @stability experimental
 */
export const ApprovalDecision: Schema.Literals<readonly ["allow", "ask", "deny"]> = Schema.Literals([
  "allow",
  "ask",
  "deny",
])

/**
 * What happens to a call: it is cast, somebody is asked, or it is denied.
 *
 * @stability experimental
 */
export type ApprovalDecision = typeof ApprovalDecision.Type

const text: Schema.optionalKey<typeof Schema.String> = Schema.optionalKey(Schema.String)

/**
 * Schema of {@link ApprovalRule}.
 *
 * @example
 * ```ts
 * import { ApprovalRule } from "@sluice/shell/spell"
 * import { Schema } from "effect"
 *
 * const rule = Schema.decodeUnknownSync(ApprovalRule)({ decision: "allow", command: "git status *" })
 * console.assert(rule.command === "git status *")
 * ```
 *
 * @stability experimental
 */
export const ApprovalRule: Schema.Struct<{
  readonly decision: typeof ApprovalDecision
  readonly spell: Schema.optionalKey<typeof Schema.String>
  readonly readOnly: Schema.optionalKey<typeof Schema.Boolean>
  readonly arguments: Schema.optionalKey<Schema.$Record<typeof Schema.String, typeof Schema.String>>
  readonly path: Schema.optionalKey<typeof Schema.String>
  readonly command: Schema.optionalKey<typeof Schema.String>
  readonly reason: Schema.optionalKey<typeof Schema.String>
}> = Schema.Struct({
  decision: ApprovalDecision,
  spell: text,
  readOnly: Schema.optionalKey(Schema.Boolean),
  arguments: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  path: text,
  command: text,
  reason: text,
})

/**
 * A rule of an approval policy. It holds for a call, or a part of one, that matches all that it names:
 *
 * - `spell`: a glob of the spell's name: `*_file`.
 * - `readOnly`: whether the spell changes nothing.
 * - `arguments`: a glob for each named argument (`"edits.0.newText"` within), compared with its text or its JSON.
 * - `path`: a glob of a path that the call would touch, from the root of the workspace: `src/**`, `*.md`. A rule that denies or
 *   asks also holds for a call that touches all of a folder in which such a path may be.
 * - `command`: the words of a command that the call would run, each a glob: `git status`, `npm test *`. A `*` at the end
 *   stands for any further words. In a script each command is looked at; one of which it cannot be told before it runs what
 *   it does matches no rule that allows, and every rule that denies or asks.
 *
 * `reason` is what a model is told when it is denied.
 *
 * @stability experimental
 */
export interface ApprovalRule extends Schema.Schema.Type<typeof ApprovalRule> {}

/** A call of a spell, decoded: what a decision is about. */
export interface InspectedCall {
  readonly spell: string
  readonly readOnly: boolean
  /** The arguments as they are cast, encoded again. */
  readonly arguments: Schema.Json
  readonly targets: ReadonlyArray<SpellTarget>
}

/** A part of a call about which rules decide; without a path and a command the call as a whole. */
export interface CallPart {
  readonly path?: string | undefined
  /** Whether all below the path is meant. */
  readonly recursive?: boolean | undefined
  /** The words of a command; `"unknown"` for a script of which they cannot be told. */
  readonly command?: ReadonlyArray<string> | "unknown" | undefined
}

/** Two spellings of a path may be one file where case or Unicode's forms do not count. */
const fold = (path: string): string => path.normalize("NFC").toLowerCase()

const lastName = (program: string): string =>
  program.slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1)

const matchesWords = (pattern: string, words: ReadonlyArray<string>): boolean => {
  const globs = pattern.trim().split(/\s+/)
  const isOpen = globs.at(-1) === "*"
  const exact = isOpen ? globs.slice(0, -1) : globs
  if (isOpen ? words.length < exact.length : words.length !== exact.length) return false
  return exact.every((glob, at) => globMatcher(glob)(words[at] ?? ""))
}

/** Whether a pattern may match something below a folder: as far as its first names without wildcards go. */
const reachesBelow = (pattern: string, folder: string): boolean => {
  if (!pattern.includes("/")) return true
  const names = (pattern.startsWith("/") ? pattern.slice(1) : pattern).split("/")
  const wild = names.findIndex((name) => /[\\*?[{]/.test(name))
  const plain = wild < 0 ? names : names.slice(0, wild)
  return folder === "" || folder.split("/").every((name, at) => at >= plain.length || plain[at] === name)
}

const matchesPath = (pattern: string, path: string, isAllowing: boolean, recursive: boolean): boolean => {
  const names = parsePath(path)
  // No leaf takes such a path, so that nothing is lost when no rule does.
  if (Result.isFailure(names)) return !isAllowing
  const plain = names.success.join("/")
  if (pathMatcher(pattern)(plain)) return true
  if (isAllowing) return false
  const [other, folder] = [fold(pattern), fold(plain)]
  return pathMatcher(other)(folder) || (recursive && reachesBelow(other, folder))
}

const matchesCommand = (pattern: string, words: ReadonlyArray<string> | "unknown", isAllowing: boolean): boolean => {
  if (words === "unknown") return !isAllowing
  if (matchesWords(pattern, words)) return true
  const [program = "", ...rest] = words
  return !isAllowing && matchesWords(pattern, [lastName(program), ...rest])
}

/** The text of an argument at a path; `undefined` where there is none. */
const argumentAt = (input: Schema.Json, path: string): string | undefined => {
  let value: unknown = input
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined
    value = Reflect.get(value, name)
  }
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** Whether a rule holds for a part of a call. Rules that allow are read narrowly, all others widely. */
export const matchesRule = (rule: ApprovalRule, call: InspectedCall, part: CallPart): boolean => {
  const isAllowing = rule.decision === "allow"
  if (rule.spell !== undefined && !globMatcher(rule.spell)(call.spell)) return false
  if (rule.readOnly !== undefined && rule.readOnly !== call.readOnly) return false
  for (const [path, glob] of Object.entries(rule.arguments ?? {})) {
    const value = argumentAt(call.arguments, path)
    if (value === undefined || !globMatcher(glob)(value)) return false
  }
  if (
    rule.path !== undefined &&
    (part.path === undefined || !matchesPath(rule.path, part.path, isAllowing, part.recursive === true))
  ) {
    return false
  }
  return rule.command === undefined ||
    (part.command !== undefined && matchesCommand(rule.command, part.command, isAllowing))
}

/** The parts of a call about which rules decide one by one. */
export const callParts = ({ targets }: InspectedCall): ReadonlyArray<CallPart> => {
  const parts = targets.flatMap((target): ReadonlyArray<CallPart> => {
    switch (target._tag) {
      case "Path":
        return [{ path: target.path, recursive: target.recursive }]
      case "Command":
        return [{ command: [target.command, ...target.arguments] }]
      case "Script": {
        const commands = scriptCommands(target.script)
        return commands === undefined ? [{ command: "unknown" }] : commands.map((command) => ({ command }))
      }
    }
  })
  return parts.length === 0 ? [{}] : parts
}

const decodeRule = Schema.decodeUnknownOption(ApprovalRule, { onExcessProperty: "error" })

/** Decodes a rule that others wrote; `undefined` for what is none. */
export const readRule = (value: unknown): ApprovalRule | undefined => Option.getOrUndefined(decodeRule(value))
