/** Lists the commands that a command runs by its arguments: `env`, `xargs`, `find -exec`, `sh -c`. */
import { deniedVariables } from "./deniedVariables.ts"
import { EnvironmentRule } from "./EnvironmentRule.ts"
import type { LaunchOutcome } from "./launchers/LauncherRule.ts"
import { findLauncher } from "./launchers/launcherTable.ts"
import { normalizeCommandName } from "./normalizeCommandName.ts"
import { scriptCommands } from "./scriptCommands.ts"

/** The words of a command, or `"unknown"` if the command is not known before it runs. */
export type LaunchedCommand = ReadonlyArray<string> | "unknown"

/** Maximum depth of launchers that start each other. */
const maxNested = 8

const shells = /^(?:sh|dash|ash|bash|ksh|zsh)$/

const variables = new EnvironmentRule({}, false, deniedVariables)

const scriptOf = (words: ReadonlyArray<string>): string | undefined => {
  const at = words.findIndex((word) => /^-\w*c$/.test(word))
  const [script] = words.slice(at + 1).filter((word) => word !== "--")
  return at < 0 || words.slice(0, at).some((word) => !word.startsWith("-")) ? undefined : script
}

const launchedBy = (outcome: LaunchOutcome, isInterpreter: boolean, depth: number): ReadonlyArray<LaunchedCommand> => {
  switch (outcome._tag) {
    case "Plain":
      return []
    case "Code":
      return isInterpreter ? ["unknown"] : []
    case "Refused":
      return ["unknown"]
    case "Sets":
      return outcome.names.every((name) => variables.mayPass(name))
        ? launchedBy(outcome.then, isInterpreter, depth)
        : ["unknown"]
    case "Runs":
      return outcome.commands.flatMap((words) => [words, ...launched(words, depth + 1)])
  }
}

const launched = ([program = "", ...rest]: ReadonlyArray<string>, depth: number): ReadonlyArray<LaunchedCommand> => {
  if (depth > maxNested) return ["unknown"]
  const name = normalizeCommandName(program, "windows")
  const script = shells.test(name) ? scriptOf(rest) : undefined
  if (script !== undefined) {
    const commands = scriptCommands(script)
    return commands === undefined ? ["unknown"] : commands.flatMap((words) => [words, ...launched(words, depth + 1)])
  }
  const launcher = findLauncher(name, undefined)
  if (launcher === undefined) return []
  // A launcher for which a file is plain gets code in all other calls: with `-c`, or on stdin.
  return launchedBy(launcher(rest), launcher(["file"])._tag === "Plain", depth)
}

/**
 * The commands that a command runs by its arguments, at any depth. `"unknown"` is a command that cannot be determined:
 * code for an interpreter, unknown options. A program that runs commands from its files (`make`, `npm test`) counts as
 * itself.
 */
export const launchedCommands = (words: ReadonlyArray<string>): ReadonlyArray<LaunchedCommand> => launched(words, 0)
