/** Makes commands from template literals that look like a shell command line: `` cmd`git log -n ${n}` ``. */
import * as Result from "effect/Result"
import { ShellExec as PlainExec } from "./plain/ShellExec.ts"
import type { ShellExec } from "./ShellExec.ts"
import type { ShellExecOptions } from "./ShellExecOptions.ts"
import type { TemplateError } from "./TemplateError.ts"
import { parseTemplateWords, type TemplateValue } from "./parseTemplateWords.ts"

export type { TemplateItem, TemplateValue } from "./parseTemplateWords.ts"

/** Options of a template's command. There is no `useShell`: see {@link ShellExec.shell}. */
export type TemplateOptions = Omit<ShellExecOptions, "useShell">

/**
 * Makes a command from a template's parts, or fails with the reason why they are not a command. See {@link cmd} for the
 * rules.
 *
 * @example
 * ```ts
 * import { parseTemplate } from "@sluice/shell"
 * import { Result } from "effect"
 *
 * const parse = (strings: TemplateStringsArray, ...values: ReadonlyArray<string>) => parseTemplate(strings, values)
 *
 * console.log(Result.isSuccess(parse`echo ${"a | b"}`)) // true
 * const piped = parse`echo a | wc`
 * console.log(Result.isFailure(piped) && piped.failure.reason._tag) // UnsupportedSyntax
 * ```
 */
export const parseTemplate = (
  strings: TemplateStringsArray,
  values: ReadonlyArray<TemplateValue>,
  options: TemplateOptions = {},
): Result.Result<ShellExec, TemplateError> =>
  Result.map(
    parseTemplateWords(strings, values),
    ({ args, command }) => PlainExec.make(command, args, { ...options, useShell: false }),
  )

/** The type of {@link cmd}. */
export interface CommandTag {
  /** Makes a command of a template. */
  (strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>): ShellExec
  /** The same tag, with options for every command it makes. */
  (options: TemplateOptions): CommandTag
}

const isTemplate = (u: TemplateStringsArray | TemplateOptions): u is TemplateStringsArray => "raw" in u

const tagWith = (options: TemplateOptions): CommandTag => {
  function tag(strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateValue>): ShellExec
  function tag(options: TemplateOptions): CommandTag
  function tag(
    first: TemplateStringsArray | TemplateOptions,
    ...values: ReadonlyArray<TemplateValue>
  ): ShellExec | CommandTag {
    return isTemplate(first)
      ? Result.getOrThrow(parseTemplate(first, values, options))
      : tagWith({ ...options, ...first })
  }
  return tag
}

/**
 * Makes a command from a template that looks like a shell command line, without running a shell.
 *
 * - Blanks, tabs and line breaks separate words. Quotes and backslashes group as in POSIX sh; the text counts as it is
 *   written, so `\n` in it is no line break (a value can hold one).
 * - `${value}` is exactly one argument, whatever is in it, empty too; beside text or in quotes it is a part of that word
 *   (`--n=${n}`). Numbers and booleans become text.
 * - `${list}` is one argument for each element, none for an empty one, and must stand alone.
 * - A secret (`Redacted`) stays one, and makes the word it is part of one.
 * - What needs a shell throws: `|`, `&`, `;`, `<`, `>`, `(`, `)`, `$name`, `$(…)`, backticks, `*`, `?`, `[`, `{a,b}`, `~`
 *   and `#` where a word begins, `NAME=value` before the command.
 *
 * `cmd(options)` gives the tag with options: `` cmd({ timeout: "5 seconds" })`npm test` ``.
 *
 * @throws {TemplateError} when the template is no command: a mistake in the program, found the first time it runs.
 * {@link parseTemplate} gives the error as a value.
 *
 * @example
 * ```ts
 * import { cmd } from "@sluice/shell"
 *
 * const message = "fix: $HOME; it's | done"
 * const files = ["a b.ts", "c.ts"]
 * const commit = cmd({ timeout: "5 seconds" })`git commit --message=${message} -- ${files}`
 *
 * console.log(commit.command) // git
 * console.log(commit.arguments.join("\n") === `commit\n--message=${message}\n--\na b.ts\nc.ts`) // true
 * ```
 */
export const cmd: CommandTag = tagWith({})
