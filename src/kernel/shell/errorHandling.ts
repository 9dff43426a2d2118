/**
 * What a command that fails brings about: the ERR trap, and the end of the shell with `set -e`.
 *
 * @module
 */
import type { Later } from "../System.ts"
import type { Shell } from "./Shell.ts"
import { ShellError, shellErrorOf } from "./ShellError.ts"
import { runTrap } from "./traps.ts"

/** To be called with the status of each simple command, pipeline, subshell, `[[ ]]` and `(( ))`. */
export const afterFailure = (shell: Shell, status: number): Later<number> => {
  if (status === 0 || shell.conditionDepth > 0 || shell.flow !== undefined) return status
  const traps = shell.traps.has("ERR") && (shell.functionDepth === 0 || shell.hasOption("errtrace"))
  if (!traps && !shell.hasOption("errexit")) return status
  return fail(shell, status, traps)
}

/** Says what an error has to say, once; answers with its exit code. */
export const reportError = (shell: Shell, error: ShellError): Later<number> =>
  error.message === "" ? error.exitCode : shell.reportError(error.message, error.exitCode)

/**
 * Says what went wrong where the redirections of the command still hold: `nosuch 2>/dev/null` is silent. An error that
 * unwinds more than the command goes on, silently.
 */
export const reportInPlace = async (shell: Shell, thrown: unknown): Promise<number> => {
  const error = shellErrorOf(thrown)
  const status = await reportError(shell, error)
  if (error.unwinds !== "command") throw new ShellError("", error.unwinds, error.exitCode)
  return status
}

const fail = async (shell: Shell, status: number, traps: boolean): Promise<number> => {
  shell.status = status
  if (traps) await runTrap(shell, "ERR")
  if (shell.hasOption("errexit") && shell.flow === undefined) shell.flow = { kind: "exit", count: 1 }
  return shell.status
}

/** Runs what may fail without ending the shell. */
export const runAsCondition = async (shell: Shell, run: () => Later<number>): Promise<number> => {
  shell.conditionDepth++
  try {
    return await run()
  } finally {
    shell.conditionDepth--
  }
}

/** An error within is the command's own: `((1/0))` is 1. */
export const reportErrorsAs = async (shell: Shell, name: string, run: () => Promise<number>): Promise<number> => {
  try {
    return await run()
  } catch (thrown) {
    const error = shellErrorOf(thrown)
    if (error.unwinds === "shell") throw error
    return error.message === "" ? error.exitCode : shell.reportError(`${name}: ${error.message}`, error.exitCode)
  }
}
