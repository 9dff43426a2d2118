/** Declares the rules of an approval policy, and their subjects: a call of a spell, and its parts. */
import * as Schema from "effect/Schema"
import type { LaunchedCommand } from "../policy/launchedCommands.ts"
import type { SpellTarget } from "./SpellTarget.ts"

/** The decision about a call: it is cast, the user is asked, or it is denied. */
export const ApprovalDecision: Schema.Literals<readonly ["allow", "ask", "deny"]> = Schema.Literals([
  "allow",
  "ask",
  "deny",
])

export type ApprovalDecision = typeof ApprovalDecision.Type

const text: Schema.optionalKey<typeof Schema.String> = Schema.optionalKey(Schema.String)

/**
 * A rule of an approval policy. It applies to a call, or a part of a call, that matches all of its fields:
 *
 * - `spell`: a glob of the spell's name: `*_file`.
 * - `readOnly`: whether the spell changes nothing.
 * - `arguments`: a glob for each named argument (`"edits.0.newText"` within, `"edits.*.newText"` for each), compared with
 *   its text or its JSON.
 * - `path`: a glob for a path that the call would touch, from the root of the workspace: `src/**`, `*.md`.
 * - `command`: the words of a command that the call would run, each a glob: `git status`, `npm test *`. A `*` at the end
 *   stands for any further words. Each command of a script is checked.
 *
 * A rule that allows is read narrowly. It is case-sensitive, and does not allow a path through a link, a whole folder of
 * which the glob matches only a part, a script whose commands are unknown before it runs, or a command in another folder
 * than the workspace's unless the rule names `arguments.cwd`.
 *
 * A rule that denies or asks is read widely. It ignores case. Its path also covers everything below it, a call that touches
 * a whole folder in which the path may be, and a path through a link, which may lead there. Its words match a program in any
 * folder, with other words between and after them, and a command that another one runs by its arguments (`env`, `xargs`,
 * `sh -c`); they also match code, input of a process, and any command that is unknown before it runs. No rule covers the
 * commands that a program reads from a file (`make`, `npm test`).
 *
 * `reason` is the text that a model gets when its call is denied.
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

export interface ApprovalRule extends Schema.Schema.Type<typeof ApprovalRule> {}

/** A decoded call of a spell, which is the subject of a decision. */
export interface InspectedCall {
  readonly spell: string
  readonly readOnly: boolean
  /** The arguments that are cast, encoded again. */
  readonly arguments: Schema.Json
  readonly targets: ReadonlyArray<SpellTarget>
}

/** A part of a call about which rules decide; without a path and a command, the whole call. */
export interface CallPart {
  readonly path?: string | undefined
  /** Whether everything below the path is included. */
  readonly recursive?: boolean | undefined
  /** Whether the path leads through a link, and so may be any path. */
  readonly isLinked?: boolean | undefined
  /** The words of a command; `"unknown"` if they cannot be determined. */
  readonly command?: LaunchedCommand | undefined
  /** The commands that it runs in turn. */
  readonly launched?: ReadonlyArray<LaunchedCommand> | undefined
  /** The folder in which it runs, if that is not the workspace. */
  readonly cwd?: string | undefined
}
