/**
 * Parses a template of text and values into the words of a command, with POSIX quoting and without a shell.
 *
 * @module
 */
import * as CommandLine from "effect/process/CommandLine"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { isSecret, reveal, type Word } from "./Secret.ts"
import { TemplateError, type TemplateReason } from "./TemplateError.ts"

/**
 * One value in a template: text, a number or a boolean as text, or a secret.
 *
 * @example
 * ```ts
 * import { cmd, type TemplateItem } from "@sluice/shell"
 *
 * const items: ReadonlyArray<TemplateItem> = ["a b", 3, true]
 * console.assert(cmd`echo ${items}`.arguments.join("|") === "a b|3|true")
 * ```
 *
 * @stability stable
 */
export type TemplateItem = string | number | boolean | Redacted.Redacted<string>

/**
 * A value of `${…}`: one item, which is one argument or a part of one, or a list, one argument each.
 *
 * @example
 * ```ts
 * import { cmd } from "@sluice/shell"
 *
 * const files = ["a.txt", "b c.txt"]
 * console.assert(cmd`wc -l ${files} --total=${"never"}`.arguments.join("|") === "-l|a.txt|b c.txt|--total=never")
 * ```
 *
 * @stability stable
 */
export type TemplateValue = TemplateItem | ReadonlyArray<TemplateItem>

/** The words of a template: its command, and its arguments. */
export interface TemplateWords {
  readonly command: string
  readonly args: ReadonlyArray<Word>
}

const fail = (tag: TemplateReason["_tag"], message: string): Result.Result<never, TemplateError> =>
  Result.fail(TemplateError.because(tag, message))

// Checked also at runtime: in plain JavaScript an `undefined` argument has deleted the wrong files.
const isItem = (item: unknown): item is TemplateItem =>
  Redacted.isRedacted(item)
    ? isSecret(item) && typeof reveal(item) === "string"
    : typeof item === "string" || typeof item === "number" || typeof item === "boolean"

const advice: Readonly<Record<CommandLine.CommandLineError["reason"], string>> = {
  UnsupportedSyntax: "quote it to mean the characters themselves, or use ShellExec.shell for a script",
  UnterminatedQuote: "close it",
  InvalidEscape: "write two for one",
  InvalidArgument: "pass it as a value",
  NulCharacter: "no process can be given one",
}

const toTemplateError = ({ message, reason }: CommandLine.CommandLineError): TemplateError =>
  TemplateError.because(
    reason === "UnterminatedQuote" || reason === "InvalidEscape" ? reason : "UnsupportedSyntax",
    `${message}: ${advice[reason]}`,
  )

const isValue = (value: unknown): value is TemplateValue => Array.isArray(value) ? value.every(isItem) : isItem(value)

/** Parses a template into words, or fails with the reason why it is not a command. */
export const parseTemplateWords = (
  { raw }: TemplateStringsArray,
  values: ReadonlyArray<unknown>,
): Result.Result<TemplateWords, TemplateError> => {
  if (!values.every(isValue)) {
    const wrong = values.findIndex((value) => !isValue(value))
    const problem = "is neither text, number, boolean nor a secret with a value, nor a list of these"
    return fail("InvalidValue", `The value after template part ${wrong} ${problem}`)
  }
  // The raw text: a backslash is the shell's, not JavaScript's.
  const parsed = CommandLine.template(Object.assign([...raw], { raw }), ...values)
  if (Result.isFailure(parsed)) return Result.fail(toTemplateError(parsed.failure))
  const [command, ...args]: ReadonlyArray<Word> = parsed.success
  if (command === undefined) return fail("Empty", "The template has no command in it")
  if (typeof command !== "string") return fail("Empty", "The command is a secret: everybody sees what is running")
  return Result.succeed({ command, args })
}
