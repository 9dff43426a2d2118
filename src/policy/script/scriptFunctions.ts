/**
 * Finds the functions that a script has certainly defined when it calls them.
 *
 * @module
 */
import { type AndOr, type Command, staticText } from "../../shell-language/ShellLanguage.ts"

/** Functions by name, each with the place from which on it is there. */
export type ScriptFunctions = ReadonlyMap<string, number>

/** Builtins that, with words that are known, call nothing and cannot fail in an expansion. */
const quiet = /^(?::|declare|export|readonly|set|shopt|true|typeset)$/

/** The command that a statement is, when it is one and runs in this shell. */
export const onlyCommand = ({ background, pipelines }: AndOr): Command | undefined => {
  const [pipeline, ...more] = pipelines
  const [command, ...others] = pipeline?.commands ?? []
  return background || more.length > 0 || others.length > 0 ? undefined : command
}

/** Whether a statement only says how the script is to run: `set -euo pipefail`, `readonly X=1`, `Y=2`. */
const isQuiet = (command: Command | undefined): boolean => {
  if (command?._tag !== "SimpleCommand" || command.redirects.length > 0) return false
  const [name, ...words] = command.words
  const assigned = [...command.assignments, ...words.flatMap(({ assignment }) => assignment ?? [])]
  return (name === undefined || quiet.test(staticText(name) ?? "")) &&
    assigned.every(({ subscript, value }) =>
      subscript === undefined && value._tag === "Word" && staticText(value) !== undefined
    ) &&
    words.every((word) => word.assignment !== undefined || staticText(word) !== undefined)
}

/**
 * The functions that a script defines whatever happens: its own statements, not in a subshell, a list or a condition.
 * `before` are those that are there when it starts. Those that come before anything that could call one are there from
 * the beginning: each may call the others.
 */
export const collectFunctions = (statements: ReadonlyArray<AndOr>, before: Iterable<string>): ScriptFunctions => {
  const functions = new Map<string, number>()
  for (const name of before) functions.set(name, -1)
  let isFirst = true
  for (const statement of statements) {
    const command = onlyCommand(statement)
    if (command?._tag === "FunctionDefinition") {
      // A redirection belongs to the body: the definition itself cannot fail.
      if (!functions.has(command.name)) functions.set(command.name, isFirst ? -1 : command.span.start)
    } else isFirst &&= isQuiet(command)
  }
  return functions
}

/** The names of those that are there at a place. */
export const isDefinedAt = (functions: ScriptFunctions, place: number): ReadonlyArray<string> =>
  [...functions].flatMap(([name, at]) => at <= place ? [name] : [])
