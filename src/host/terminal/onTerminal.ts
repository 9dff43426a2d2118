/** Plans the terminal of one run: its variables, its size, and the fault where there are no terminals. */
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/plain/ShellFault.ts"
import type { Terminal } from "../../command/Terminal.ts"
import type { Host, SpawnRequest } from "../Host.ts"
import { faultOfPermission } from "../faults/planFaults.ts"
import { NoEngineError } from "./withTerminals.ts"

const defaultTerm = "xterm-256color"

/** Variables that describe the terminal of this program: programs believe them more than their own terminal. */
const foreignVariables = ["COLUMNS", "LINES", "TERMCAP"]

const environmentOf = (
  host: Host,
  { env }: SpawnRequest,
  { term }: Terminal,
): Readonly<Record<string, string>> | undefined => {
  const inherited = env?.clear === true ? {} : host.environment()
  if (inherited === undefined) return undefined
  const own = Object.entries(inherited).filter(([name]) => !foreignVariables.includes(name))
  const set = env?.set ?? {}
  return { ...Object.fromEntries(own), ...set, TERM: term ?? set["TERM"] ?? defaultTerm }
}

const noEngine = (exec: ShellExec, host: Host): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "InvalidRequest", field: "terminal", code: "ENOTSUP" },
    `exec: ${exec.command} cannot have a terminal here: ${
      host.os === "windows"
        ? `install the npm package @lydell/node-pty${host.runtime === "deno" ? " and run Deno with --allow-ffi" : ""}`
        : host.runtime === "deno"
        ? "install the npm package @lydell/node-pty and run Deno with --allow-ffi, or install python3"
        : "install the npm package zigpty, or python3"
    } (ENOTSUP)`,
  )

/** Wraps the host of one run: its process gets the terminal. */
export const onTerminal = (host: Host, exec: ShellExec, terminal: Terminal): Host => ({
  ...host,
  spawn: async (request) => {
    const set = environmentOf(host, request, terminal)
    if (set === undefined) {
      const why = "the environment of a command on a terminal must be read"
      throw faultOfPermission(exec, "environment", why, "--allow-env")
    }
    const { cols, rows } = terminal
    try {
      return await host.spawn({ ...request, env: { clear: true, set }, terminal: { cols, rows } })
    } catch (error) {
      throw error instanceof NoEngineError ? noEngine(exec, host) : error
    }
  },
})
