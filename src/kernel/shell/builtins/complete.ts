/**
 * Implements `complete` and `compopt`. Completions are stored and printed; nothing uses them, since the shell reads no lines
 * of a terminal. Source: bash(1) "Programmable Completion".
 */
import type { Builtin, Shell } from "../Shell.ts"
import { quoteValue, singleQuote } from "./escapes.ts"
import { type BuiltinOptions, withOptions } from "./parseBuiltinOptions.ts"

/** Bounds of what a shell stores. */
const maxCompletions = 1_000
const maxOptionCharacters = 4_096

/** Options of `-o`, in the order in which bash prints them. */
export const completionOptions: ReadonlyArray<string> =
  "bashdefault default dirnames filenames noquote nosort nospace plusdirs".split(" ")

/** Actions of `-A` with their letters, in the order in which bash prints them. */
const letterActions = [
  ...[["alias", "a"], ["builtin", "b"], ["command", "c"], ["directory", "d"], ["export", "e"], ["file", "f"]],
  ...[["group", "g"], ["job", "j"], ["keyword", "k"], ["service", "s"], ["user", "u"], ["variable", "v"]],
]
const namedActions = "arrayvar binding disabled enabled function helptopic hostname running setopt shopt signal stopped"
  .split(" ")

/** The commands of `-D`, `-E` and `-I`, under names that no command has. */
const specialNames: Readonly<Record<string, string>> = { D: "\0D", E: "\0E", I: "\0I" }

const show = (name: string, options: string): string => {
  const shown = name.startsWith("\0") ? `-${name.slice(1)}` : quoteValue(name)
  return `complete ${options === "" ? "" : `${options} `}${shown}\n`
}

const print = async (shell: Shell, names: ReadonlyArray<string>): Promise<number> => {
  let status = 0
  for (const name of names) {
    const options = shell.completions.get(name)
    if (options !== undefined) await shell.writeOutput(show(name, options))
    else status = await reportUnknown(shell, name)
  }
  return status
}

const reportUnknown = (shell: Shell, name: string): Promise<number> =>
  shell.reportError(`complete: ${name.replace("\0", "-")}: no completion specification`)

/** The options as bash prints them. */
const normalize = ({ allValues, letters, values }: BuiltinOptions): string => {
  const given = (letter: string) => allValues.filter(([other]) => other === letter).map(([, value]) => value)
  const [options, actions] = [given("o"), given("A")]
  const parts = completionOptions.filter((option) => options.includes(option)).map((option) => `-o ${option}`)
  for (const [action = "", letter = ""] of letterActions) {
    if (letters.has(letter) || actions.includes(action)) parts.push(`-${letter}`)
  }
  for (const action of namedActions) if (actions.includes(action)) parts.push(`-A ${action}`)
  for (const letter of "GWPSXCF") {
    const value = values.get(letter)
    if (value !== undefined) parts.push(`-${letter} ${letter === "F" ? value : singleQuote(value)}`)
  }
  return parts.join(" ")
}

const complete = withOptions("abcdefgjksuvprDEIo:A:G:W:F:C:X:P:S:", async (shell, options) => {
  const { allValues, letters, rest } = options
  for (const [letter, value] of allValues) {
    if (letter === "o" && !completionOptions.includes(value)) {
      return await shell.reportError(`complete: ${value}: invalid option name`, 2)
    }
    const isAction = namedActions.includes(value) || letterActions.some(([action]) => action === value)
    if (letter === "A" && !isAction) return await shell.reportError(`complete: ${value}: invalid action name`, 2)
  }
  const special = [..."DEI"].find((letter) => letters.has(letter))
  const names = special === undefined ? rest : [specialNames[special] ?? ""]
  if (letters.has("r")) {
    const left = new Map(names.length === 0 ? [] : shell.completions)
    let status = 0
    for (const name of names) if (!left.delete(name)) status = await reportUnknown(shell, name)
    shell.completions = left
    return status
  }
  if (letters.has("p") || (names.length === 0 && letters.size === 0)) {
    return await print(shell, names.length === 0 ? [...shell.completions.keys()] : names)
  }
  if (names.length === 0) return await shell.reportError("complete: no command is named", 2)
  const text = normalize(options)
  const next = new Map(shell.completions)
  for (const name of names) next.set(name, text)
  if (next.size > maxCompletions) return await shell.reportError(`complete: more than ${maxCompletions} commands`)
  if (names.some((name) => name.length + text.length > maxOptionCharacters)) {
    return await shell.reportError(`complete: more than ${maxOptionCharacters} characters`)
  }
  shell.completions = next
  return 0
})

const compopt: Builtin = (shell) => shell.reportError("compopt: not currently executing completion function")

export const completeBuiltins: ReadonlyArray<readonly [string, Builtin]> = [["complete", complete], [
  "compopt",
  compopt,
]]
