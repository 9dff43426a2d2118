/**
 * Commands written as they look in a shell, without one: `` sh`git log -n ${n}` ``.
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

/** The fields of {@link TemplateError}, as Schemas. */
export type TemplateErrorFields = {
  readonly reason: Schema.Literals<
    readonly ["UnsupportedSyntax", "UnterminatedQuote", "InvalidEscape", "InvalidValue", "Empty"]
  >
  readonly message: typeof Schema.String
}

const ErrorBase: Schema.Class<
  TemplateError,
  Schema.TaggedStruct<"TemplateError", TemplateErrorFields>,
  Cause.YieldableError
> = Schema.TaggedError<TemplateError>()("TemplateError", {
  reason: Schema.Literals(["UnsupportedSyntax", "UnterminatedQuote", "InvalidEscape", "InvalidValue", "Empty"]),
  message: Schema.String,
})

/**
 * A template that is no command. `message` says what stands in which part of the text (counted from 0, the part
 * before the first `${…}`) and what to do about it; it never shows a value.
 *
 * - `UnsupportedSyntax`: something only a shell can do, or a list that touches other text.
 * - `UnterminatedQuote`, `InvalidEscape`: a quote that is not closed, a backslash at the end.
 * - `InvalidValue`: a value that is no text (`undefined`, an object), or a secret that lost its value.
 * - `Empty`: no command at all, or one that is a secret.
 */
export class TemplateError extends ErrorBase {}

const failed = (reason: TemplateError["reason"], message: string): Result.Result<never, TemplateError> =>
  Result.fail(new TemplateError({ reason, message }))

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

const fault = ({ message, reason }: CommandLine.CommandLineError): TemplateError =>
  new TemplateError({
    reason: reason === "UnterminatedQuote" || reason === "InvalidEscape" ? reason : "UnsupportedSyntax",
    message: `${message}: ${advice[reason]}`,
  })

/**
 * Makes a command of a template's parts, or says why there is none. See {@link sh} for the rules.
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
 * console.assert(Result.isFailure(piped) && piped.failure.reason === "UnsupportedSyntax")
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
  if (Result.isFailure(parsed)) return Result.fail(fault(parsed.failure))
  const [command, ...args]: ReadonlyArray<Word> = parsed.success
  if (command === undefined) return failed("Empty", "The template has no command in it")
  if (typeof command !== "string") return failed("Empty", "The command is a secret: everybody sees what is running")
  return Result.succeed(ShellExec.make(command, args, { ...options, useShell: false }))
}

/** The type of {@link sh}. */
export interface ShellTag {
  /** Makes a command of a template. */
  (strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>): ShellExec
  /** The same tag, with settings for every command it makes. */
  (options: TemplateOptions): ShellTag
}

const isTemplate = (u: TemplateStringsArray | TemplateOptions): u is TemplateStringsArray => "raw" in u

const tagWith = (settings: TemplateOptions): ShellTag => {
  function tag(strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>): ShellExec
  function tag(options: TemplateOptions): ShellTag
  function tag(
    first: TemplateStringsArray | TemplateOptions,
    ...values: ReadonlyArray<TemplateValue>
  ): ShellExec | ShellTag {
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
 * `sh(options)` gives the tag with settings: `` sh({ timeout: "5 seconds" })`npm test` ``.
 *
 * @throws {TemplateError} when the template is no command: a mistake in the program, found the first time it runs.
 * {@link template} gives the error as a value.
 *
 * @example
 * ```ts
 * import { sh } from "@sluice/shell"
 *
 * const message = "fix: $HOME; it's | done"
 * const files = ["a b.ts", "c.ts"]
 * const commit = sh({ timeout: "5 seconds" })`git commit --message=${message} -- ${files}`
 *
 * console.assert(commit.command === "git")
 * console.assert(commit.arguments.join("\n") === `commit\n--message=${message}\n--\na b.ts\nc.ts`)
 * ```
 */
export const sh: ShellTag = tagWith({})
