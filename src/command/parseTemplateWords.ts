/** Parses a template of text and values into the words of a command; refuses syntax that needs a shell. */
import * as CommandLine from "effect/process/CommandLine"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { isSecret, reveal } from "./plain/secret.ts"
import { TemplateError, type TemplateErrorTag } from "./plain/TemplateError.ts"
import type { Word } from "./Secret.ts"

/** One value in a template: text, a number or a boolean as text, or a secret. */
export type TemplateItem = string | number | boolean | Redacted.Redacted<string>

/** A value of `${…}`: one item, which is one argument or a part of one, or a list, one argument each. */
export type TemplateValue = TemplateItem | ReadonlyArray<TemplateItem>

export interface TemplateWords {
  readonly command: string
  readonly args: ReadonlyArray<Word>
}

const fail = (tag: TemplateErrorTag, message: string): Result.Result<never, TemplateError> =>
  Result.fail(TemplateError.because(tag, message))

// Also checked at runtime: in plain JavaScript, an `undefined` argument can delete the wrong files.
const isItem = (item: unknown): item is TemplateItem =>
  Redacted.isRedacted(item)
    ? isSecret(item) && typeof reveal(item) === "string"
    : typeof item === "string" || typeof item === "number" || typeof item === "boolean"

/** Advice for syntax that needs a shell, by the start of the message, which names the syntax. `$NAME` is the variable. */
const advice: ReadonlyArray<readonly [syntax: RegExp, use: string]> = [
  [/^The operator "\|"/, "join commands with Shell.pipeline"],
  [/^The operator "[&;]"/, "run one command after the other"],
  [/^Command substitution|^The expansion "\$\("/, "run that command first and interpolate its output, ${…}"],
  [/^The expansion/, "interpolate the value, ${process.env.$NAME}"],
  [/^A variable assignment/, "set variables with the option env"],
  [/^The glob character|^Brace expansion/, "interpolate a list of names, one argument each"],
  [/^Tilde expansion/, "interpolate the path of the home directory"],
]

/** Advice for all syntax that needs a shell. */
const literally = "in single quotes it means the characters themselves; for a script use ShellExec.shell"

const fixes: Readonly<Record<CommandLine.CommandLineError["reason"], string>> = {
  UnsupportedSyntax: literally,
  UnterminatedQuote: "close it",
  InvalidEscape: "write two for one",
  InvalidArgument: "pass it as a value",
  NulCharacter: "no process can be given one",
}

/** The name of the first variable in the part of the text that a message names. */
const variableIn = (raw: ReadonlyArray<string>, message: string): string => {
  const part = raw[Number(/template part (\d+)/.exec(message)?.[1])] ?? ""
  return /\$\{?([A-Za-z_]\w*)/.exec(part)?.[1] ?? "NAME"
}

const toTemplateError = (
  raw: ReadonlyArray<string>,
  { message, reason }: CommandLine.CommandLineError,
): TemplateError => {
  if (reason === "UnterminatedQuote" || reason === "InvalidEscape") {
    return TemplateError.because(reason, `${message}: ${fixes[reason]}`)
  }
  if (message.startsWith("An interpolated array")) {
    return TemplateError.because("UnsupportedSyntax", `${message}: put blanks around it; each element is one argument`)
  }
  const [, use] = advice.find(([syntax]) => syntax.test(message)) ?? []
  const named = use === undefined ? "" : `${use.replace("$NAME", variableIn(raw, message))}; `
  return TemplateError.because("UnsupportedSyntax", `${message}: ${named}${fixes[reason]}`)
}

const isValue = (value: unknown): value is TemplateValue => Array.isArray(value) ? value.every(isItem) : isItem(value)

export const parseTemplateWords = (
  { raw }: TemplateStringsArray,
  values: ReadonlyArray<unknown>,
): Result.Result<TemplateWords, TemplateError> => {
  if (!values.every(isValue)) {
    const wrong = values.findIndex((value) => !isValue(value))
    const problem = "is neither text, number, boolean nor a secret with a value, nor a list of these"
    return fail("InvalidValue", `the value after template part ${wrong} ${problem}`)
  }
  // The raw text: a backslash is the shell's, not JavaScript's.
  const parsed = CommandLine.template(Object.assign([...raw], { raw }), ...values)
  if (Result.isFailure(parsed)) return Result.fail(toTemplateError(raw, parsed.failure))
  const [command, ...args]: ReadonlyArray<Word> = parsed.success
  if (command === undefined) return fail("Empty", "the template has no command in it")
  if (typeof command !== "string") {
    return fail("Empty", "the command is a secret: the names of running programs are public")
  }
  return Result.succeed({ command, args })
}
