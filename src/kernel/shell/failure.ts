/**
 * What a command that fails brings about: the ERR trap, and the end of the shell with `set -e`.
 *
 * @module
 */
import type { Later } from "../System.ts"
import type { Shell } from "./Shell.ts"
import { runTrap } from "./traps.ts"

/** To be called with the status of each simple command, pipeline, subshell, `[[ ]]` and `(( ))`. */
export const afterFailure = (shell: Shell, status: number): Later<number> => {
  if (status === 0 || shell.conditional > 0 || shell.flow !== undefined) return status
  const traps = shell.traps.has("ERR") && (shell.functionNames.length === 0 || shell.on("errtrace"))
  if (!traps && !shell.on("errexit")) return status
  return fail(shell, status, traps)
}

const fail = async (shell: Shell, status: number, traps: boolean): Promise<number> => {
  shell.status = status
  if (traps) await runTrap(shell, "ERR")
  if (shell.on("errexit") && shell.flow === undefined) shell.flow = { kind: "exit", count: 1 }
  return shell.status
}
