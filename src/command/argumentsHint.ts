/** Explains, to a model or in code, that arguments do not belong in the name of a program, with the corrected call. */
import { display } from "./plain/secret.ts"
import type { ShellExec } from "./ShellExec.ts"

type Parameter<A> = Readonly<Record<string, A>>

interface Reason {
  readonly _tag: string
  readonly what?: unknown
  readonly policy?: unknown
}

const isUnknownProgram = ({ _tag, policy, what }: Reason): boolean =>
  _tag === "NotFound" ? what === "command" : _tag === "NotAllowed" && policy === "allowedCommands"

/** Maximum length of a corrected call. */
const maxCallLength = 500

/** Blanks, or a word with its quotes, or (the group) a character that a shell does not take literally. */
const token = /[ \t]+|(?:[^\s'"\\|&;<>()$`*?[\]{}]|'[^']*'|"[^"\\$`]*")+|([^])/g

/** The words of a command line; `undefined` if it has syntax that only a shell understands. */
const plainWords = (line: string): ReadonlyArray<string> | undefined => {
  if (line.length > maxCallLength) return undefined
  const words: Array<string> = []
  for (const [text, other] of line.trim().matchAll(token)) {
    if (other !== undefined || /^[~#]/.test(text)) return undefined
    if (!/^[ \t]/.test(text)) words.push(text.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"))
  }
  return words[0]?.includes("=") === true ? undefined : words
}

/**
 * The hint for a call that failed for `reason`: that arguments go into a parameter of their own. `undefined` if the program was
 * found, or its name has no blanks. `program` and `given` are the two parameters: `{ command: "ls -la" }, { arguments: [] }`.
 */
export const argumentsHint = (
  reason: Reason,
  program: Parameter<string>,
  given: Parameter<ReadonlyArray<string>>,
): string | undefined => {
  const [[name, line] = ["", ""]] = Object.entries(program)
  const [[field, more] = ["", []]] = Object.entries(given)
  if (!isUnknownProgram(reason) || !/\s/.test(line.trim())) return undefined
  const [command, ...words] = plainWords(line) ?? []
  const call = command === undefined ? "" : JSON.stringify({ [name]: command, [field]: [...words, ...more] })
  return call === "" || call.length > maxCallLength
    ? `"${name}" is one program; arguments go into "${field}", and no shell reads them`
    : `arguments go into "${field}": ${call}`
}

/** As above, for code that passed a command line as the name of a program. */
export const listAdvice = (reason: Reason, { arguments: given, command, useShell }: ShellExec): string | undefined => {
  if (useShell || !isUnknownProgram(reason) || !/\s/.test(command.trim())) return undefined
  const [program, ...words] = plainWords(command) ?? []
  const quote = (text: string): string => JSON.stringify(text)
  const list = [...words, ...given.map(display)].map(quote).join(", ")
  const calls = [
    ...(program === undefined ? [] : [`ShellExec.make(${quote(program)}, [${list}])`]),
    ...(given.length === 0 ? [`ShellExec.shell(${quote(command)})`] : []),
  ]
  const call = calls.join(" or ")
  const written = call === "" || call.length > maxCallLength ? 'ShellExec.make("program", ["argument"])' : call
  return `${quote(command.slice(0, maxCallLength))} is read as the name of one program: write ${written}`
}
