/**
 * Commands written as they look in a shell, without one: `` cmd`git log -n ${n}` ``.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as CommandLine from "effect/process/CommandLine"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { reveal, type Word } from "./Secret.ts"
import { ShellExec, type ShellExecOptions } from "./ShellExec.ts"

/** One value in a template: text, a number or a boolean as text, or a secret. */
export type TemplateItem = string | number | boolean | Redacted.Redacted<string>

/** What may stand in `${…}`: one value, which is one argument or a part of one, or a list, one argument each. */
export type TemplateValue = TemplateItem | ReadonlyArray<TemplateItem>

/** Settings of a template's command. There is no `useShell`: see {@link ShellExec.shell}. */
export type TemplateOptions = Omit<ShellExecOptions, "useShell">

const TemplateErrorReason: Schema.Union<
  readonly [
    Schema.TaggedStruct<"UnsupportedSyntax", {}>,
    Schema.TaggedStruct<"UnterminatedQuote", {}>,
    Schema.TaggedStruct<"InvalidEscape", {}>,
    Schema.TaggedStruct<"InvalidValue", {}>,
    Schema.TaggedStruct<"Empty", {}>,
  ]
> = Schema.Union([
  Schema.TaggedStruct("UnsupportedSyntax", {}),
  Schema.TaggedStruct("UnterminatedQuote", {}),
  Schema.TaggedStruct("InvalidEscape", {}),
  Schema.TaggedStruct("InvalidValue", {}),
  Schema.TaggedStruct("Empty", {}),
])

const TemplateErrorBase: Schema.Class<
  TemplateError,
  Schema.TaggedStruct<"TemplateError", {
    readonly reason: typeof TemplateErrorReason
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<TemplateError>()("TemplateError", { reason: TemplateErrorReason, message: Schema.String })

/**
 * A template that cannot be parsed as a command. `message` names the part of the template (counted from 0, the part
 * before the first `${…}`), the problem and the fix; it never contains a value. The tag of `reason`:
 *
 * - `UnsupportedSyntax`: syntax that needs a shell, or a list next to other text.
 * - `UnterminatedQuote`, `InvalidEscape`: a quote that is not closed, a backslash at the end.
 * - `InvalidValue`: a value that is not text (`undefined`, an object), or a wiped secret.
 * - `Empty`: a template without a command, or one whose command is a secret.
 *
 * @stability stable
 */
export class TemplateError extends TemplateErrorBase {
  /** Makes an error with the reason of this tag. */
  static because(tag: TemplateError["reason"]["_tag"], message: string): TemplateError {
    return new TemplateError({ reason: { _tag: tag }, message })
  }
}

const failed = (
  tag: TemplateError["reason"]["_tag"],
  message: string,
): Result.Result<never, TemplateError> => Result.fail(TemplateError.because(tag, message))

const isList = (value: TemplateValue): value is ReadonlyArray<TemplateItem> => Array.isArray(value)

// Types hold only where there are any: `undefined` as an argument has cost people their files.
const isItem = (item: TemplateItem): boolean =>
  Redacted.isRedacted(item)
    ? typeof reveal(item) === "string"
    : typeof item === "string" || typeof item === "number" || typeof item === "boolean"

const advice: Readonly<Record<CommandLine.CommandLineError["reason"], string>> = {
  UnsupportedSyntax: "quote it to mean the characters themselves, or use ShellExec.shell for a script",
  UnterminatedQuote: "close it",
  InvalidEscape: "write two for one",
  InvalidArgument: "pass it as a value",
  NulCharacter: "no process can be given one",
}

const templateError = ({ message, reason }: CommandLine.CommandLineError): TemplateError =>
  TemplateError.because(
    reason === "UnterminatedQuote" || reason === "InvalidEscape" ? reason : "UnsupportedSyntax",
    `${message}: ${advice[reason]}`,
  )

/**
 * Makes a command of a template's parts, or says why there is none. See {@link cmd} for the rules.
 *
 * @example
 * ```ts
 * import { template } from "@sluice/shell"
 * import { Result } from "effect"
 *
 * const parse = (strings: TemplateStringsArray, ...values: ReadonlyArray<string>) => template(strings, values)
 *
 * console.assert(Result.isSuccess(parse`echo ${"a | b"}`))
 * const piped = parse`echo a | wc`
 * console.assert(Result.isFailure(piped) && piped.failure.reason._tag === "UnsupportedSyntax")
 * ```
 */
export const template = (
  strings: TemplateStringsArray,
  values: ReadonlyArray<TemplateValue>,
  options: TemplateOptions = {},
): Result.Result<ShellExec, TemplateError> => {
  const wrong = values.findIndex((value) => !(isList(value) ? value.every(isItem) : isItem(value)))
  if (wrong >= 0) {
    const problem = "is neither text, number, boolean nor a secret with a value, nor a list of these"
    return failed("InvalidValue", `The value after template part ${wrong} ${problem}`)
  }
  // The text as it is written: a backslash is the shell's, not JavaScript's.
  const { raw } = strings
  const parsed = CommandLine.template(Object.assign([...raw], { raw }), ...values)
  if (Result.isFailure(parsed)) return Result.fail(templateError(parsed.failure))
  const [command, ...args]: ReadonlyArray<Word> = parsed.success
  if (command === undefined) return failed("Empty", "The template has no command in it")
  if (typeof command !== "string") return failed("Empty", "The command is a secret: everybody sees what is running")
  return Result.succeed(ShellExec.make(command, args, { ...options, useShell: false }))
}

/** The type of {@link cmd}. */
export interface CommandTag {
  /** Makes a command of a template. */
  (strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>): ShellExec
  /** The same tag, with settings for every command it makes. */
  (options: TemplateOptions): CommandTag
}

const isTemplate = (u: TemplateStringsArray | TemplateOptions): u is TemplateStringsArray => "raw" in u

const tagWith = (settings: TemplateOptions): CommandTag => {
  function tag(strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>): ShellExec
  function tag(options: TemplateOptions): CommandTag
  function tag(
    first: TemplateStringsArray | TemplateOptions,
    ...values: ReadonlyArray<TemplateValue>
  ): ShellExec | CommandTag {
    return isTemplate(first) ? Result.getOrThrow(template(first, values, settings)) : tagWith({ ...settings, ...first })
  }
  return tag
}

/**
 * Makes a command that is written as it would be in a shell, and never goes through one.
 *
 * - Blanks, tabs and line breaks stand between words. Quotes and backslashes group as in POSIX sh; the text counts
 *   as it is written, so `\n` in it is no line break (a value can hold one).
 * - `${value}` is exactly one argument, whatever is in it, empty too; beside text or in quotes it is a part of that
 *   word (`--n=${n}`). Numbers and booleans become text.
 * - `${list}` is one argument for each element, none for an empty one, and must stand alone.
 * - A secret (`Redacted`) stays one, and makes the word it is part of one.
 * - What needs a shell throws: `|`, `&`, `;`, `<`, `>`, `(`, `)`, `$name`, `$(…)`, backticks, `*`, `?`, `[`,
 *   `{a,b}`, `~` and `#` where a word begins, `NAME=value` before the command.
 *
 * `cmd(options)` gives the tag with settings: `` cmd({ timeout: "5 seconds" })`npm test` ``.
 *
 * @throws {TemplateError} when the template is no command: a mistake in the program, found the first time it runs.
 * {@link template} gives the error as a value.
 *
 * @example
 * ```ts
 * import { cmd } from "@sluice/shell"
 *
 * const message = "fix: $HOME; it's | done"
 * const files = ["a b.ts", "c.ts"]
 * const commit = cmd({ timeout: "5 seconds" })`git commit --message=${message} -- ${files}`
 *
 * console.assert(commit.command === "git")
 * console.assert(commit.arguments.join("\n") === `commit\n--message=${message}\n--\na b.ts\nc.ts`)
 * ```
 */
export const cmd: CommandTag = tagWith({})
