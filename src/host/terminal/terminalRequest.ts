/** Adds a terminal to a spawn request: its size, and the variables that describe it. */
import * as Result from "effect/Result"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { ShellFault } from "../../command/ShellFault.ts"
import type { Terminal } from "../../command/Terminal.ts"
import { faultOfPermission } from "../faults/planFaults.ts"
import type { Host, SpawnRequest } from "../Host.ts"

const defaultTerm = "xterm-256color"

/** Variables that describe the terminal of this program, and take precedence over a program's own terminal. */
const foreignVariables = ["COLUMNS", "LINES", "TERMCAP"]

/** The request; the fault of an environment that may not be read. */
export const terminalRequest = (
  host: Host,
  exec: ShellExec,
  request: SpawnRequest,
  { cols, rows, term }: Terminal,
): Result.Result<SpawnRequest, ShellFault> => {
  const { clear = false, set = {} } = request.env ?? {}
  const inherited = clear ? {} : host.environment()
  if (inherited === undefined) {
    const why = "the environment of a command on a terminal must be read"
    return Result.fail(faultOfPermission(exec, "environment", why, "--allow-env"))
  }
  const own = Object.entries(inherited).filter(([name]) => !foreignVariables.includes(name))
  const variables = { ...Object.fromEntries(own), ...set, TERM: term ?? set["TERM"] ?? defaultTerm }
  return Result.succeed({ ...request, env: { clear: true, set: variables }, terminal: { cols, rows } })
}
