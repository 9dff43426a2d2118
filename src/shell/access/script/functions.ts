/**
 * Which functions of a script are there for certain when it calls them.
 *
 * @module
 */
import type { AndOr } from "../../../shell-language/ShellLanguage.ts"

/** Functions by name, each with the place from which on it is there. */
export type Functions = ReadonlyMap<string, number>

/**
 * The functions that a script defines whatever happens: its own statements, not in a subshell, a list or a condition.
 * `before` are those that are there when it starts.
 */
export const functionsOf = (statements: ReadonlyArray<AndOr>, before: Iterable<string>): Functions => {
  const functions = new Map<string, number>()
  for (const name of before) functions.set(name, -1)
  for (const { background, pipelines } of statements) {
    const [pipeline, ...more] = pipelines
    const [command, ...others] = pipeline?.commands ?? []
    if (background || more.length > 0 || others.length > 0 || command?._tag !== "FunctionDefinition") continue
    // A redirection belongs to the body: the definition itself cannot fail.
    if (!functions.has(command.name)) functions.set(command.name, command.span.start)
  }
  return functions
}

/** The names of those that are there at a place. */
export const thereAt = (functions: Functions, place: number): ReadonlyArray<string> =>
  [...functions].flatMap(([name, at]) => at <= place ? [name] : [])
