/** Prints each command on stderr before it runs, for `set -x`, after the expanded `PS4`. */
import { type Assignment, parse, type Span, type Word } from "../../shell-language/ShellLanguage.ts"
import { quoteValue } from "./builtins/escapes.ts"
import { expandText } from "./expand/expandWords.ts"
import type { Shell } from "./Shell.ts"

/** Parses the text of `PS4` as a word within double quotes; `undefined` if it is not one. */
const promptWord = (text: string): Word | undefined => {
  const parsed = parse(`x="${text.replaceAll('"', '\\"')}"`)
  const [command] = parsed._tag === "Success" ? parsed.success.statements[0]?.pipelines[0]?.commands ?? [] : []
  const value = command?._tag === "SimpleCommand" ? command.assignments[0]?.value : undefined
  return value?._tag === "Word" ? value : undefined
}

/** Expands `PS4` and repeats its first character for each level of nested texts. */
const expandPrompt = async (shell: Shell): Promise<string> => {
  const text = shell.variables.get("PS4") ?? ""
  const word = /[$`\\]/.test(text) ? promptWord(text) : undefined
  shell.options.delete("xtrace")
  try {
    const expanded = word === undefined ? text : await expandText(shell, word)
    const [first = ""] = expanded
    return first.repeat(Math.max(0, shell.textDepth - 1)) + expanded
  } finally {
    shell.options.add("xtrace")
  }
}

export const trace = async (shell: Shell, line: string | (() => string)): Promise<void> => {
  if (!shell.hasOption("xtrace")) return
  const { lastArgument, status, substitutionStatus } = shell
  const shown = `${await expandPrompt(shell)}${typeof line === "string" ? line : line()}\n`
  Object.assign(shell, { lastArgument, status, substitutionStatus } satisfies Partial<Shell>)
  await shell.print(shown, 2)
}

/**
 * Quotes a word as bash does for `set -x`: in single quotes, unless control characters are the only characters to
 * quote.
 */
export const quoteTraced = (word: string): string => {
  if (word === "") return "''"
  // deno-lint-ignore no-control-regex
  const plain = word.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "")
  return /[\t\n]/.test(word) || quoteValue(plain) !== plain ? `'${word.replaceAll("'", "'\\''")}'` : quoteValue(word)
}

/** Shows an assignment before it is made, with the expanded value. */
export const traceAssignment = (
  shell: Shell,
  { append, name, span, subscript, value }: Assignment,
  text: string,
): Promise<void> => {
  const target = subscript === undefined
    ? `${name}${append ? "+" : ""}=`
    : sourceText(shell, { start: span.start, end: value.span.start })
  return trace(shell, `${target}${text === "" ? "" : quoteTraced(text)}`)
}

export const sourceText = (shell: Shell, { end, start }: Span): string => shell.source.text.slice(start, end)
