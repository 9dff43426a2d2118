/** Handles failed commands of a script: the ERR trap, `set -e`, messages, and conditions whose failure is ignored. */
import type { Later } from "../System.ts"
import type { Shell } from "./Shell.ts"
import { ShellError, shellErrorOf } from "./ShellError.ts"
import { runTrap } from "./traps.ts"

/** Handles the status of a simple command, a pipeline, a subshell, `[[ ]]` or `(( ))`. */
export const handleFailure = (shell: Shell, status: number): Later<number> => {
  if (status === 0 || shell.conditionDepth > 0 || shell.pendingJump !== undefined) return status
  const traps = shell.traps.has("ERR") && (shell.functionDepth === 0 || shell.hasOption("errtrace"))
  if (!traps && !shell.hasOption("errexit")) return status
  return fail(shell, status, traps)
}

/** Reports an error that has a message; returns its exit code. */
export const reportError = (shell: Shell, error: ShellError): Later<number> =>
  error.message === "" ? error.exitCode : shell.reportError(error.message, error.exitCode)

/** Reports an error with its command's redirections in effect; one that unwinds further is thrown again, silent. */
export const reportInPlace = async (shell: Shell, thrown: unknown): Promise<number> => {
  const error = shellErrorOf(thrown)
  const status = await reportError(shell, error)
  if (error.unwinds !== "command") throw new ShellError("", error.unwinds, error.exitCode)
  return status
}

const fail = async (shell: Shell, status: number, traps: boolean): Promise<number> => {
  shell.status = status
  if (traps) await runTrap(shell, "ERR")
  if (shell.hasOption("errexit") && shell.pendingJump === undefined) shell.pendingJump = { kind: "exit", count: 1 }
  return shell.status
}

/** Runs a condition, whose failure does not end the shell. */
export const runAsCondition = async (shell: Shell, run: () => Later<number>): Promise<number> => {
  shell.conditionDepth++
  try {
    return await run()
  } finally {
    shell.conditionDepth--
  }
}

/** Runs a command and reports an error in it as the command's: `((1/0))` has status 1. */
export const reportErrorsAs = async (shell: Shell, name: string, run: () => Promise<number>): Promise<number> => {
  try {
    return await run()
  } catch (thrown) {
    const error = shellErrorOf(thrown)
    if (error.unwinds === "shell") throw error
    return error.message === "" ? error.exitCode : shell.reportError(`${name}: ${error.message}`, error.exitCode)
  }
}
