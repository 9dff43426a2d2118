/** Refuses a terminal that a leaf cannot give, or whose size no terminal has. */
import * as Stream from "effect/Stream"
import { countRule, isCount } from "../base/OptionError.ts"
import { quote } from "../base/quote.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import type { LeafRunOptions, ShellService } from "./ShellService.ts"
import { isTerminalType } from "../command/plain/terminalType.ts"
import type { Terminal } from "../command/Terminal.ts"

const invalid = (exec: ShellExec, field: string, code: string, problem: string): ShellFault =>
  ShellFault.because(exec.commandId, { _tag: "InvalidRequest", field, code }, `exec: ${problem} (${code})`)

const extent = { min: 1, max: 65_535 }

/**
 * The fault of a size that no terminal has (`struct winsize`, ioctl_tty(2)), or of a type that no terminal has; or
 * `undefined`.
 */
export const validateTerminal = (exec: ShellExec, terminal: Terminal | undefined): ShellFault | undefined => {
  if (terminal === undefined) return undefined
  for (const side of ["cols", "rows"] as const) {
    if (isCount(terminal[side], extent)) continue
    const problem = `the ${side} of a terminal must be ${countRule(extent)}, got ${terminal[side]}`
    return invalid(exec, `terminal.${side}`, "EINVAL", problem)
  }
  return terminal.term === undefined || isTerminalType(terminal.term) ? undefined : invalid(
    exec,
    "terminal.term",
    "EINVAL",
    `the type of a terminal must have letters, digits and "+._-", as in "xterm-256color", got ${quote(terminal.term)}`,
  )
}

/**
 * Wraps a shell without `capabilities.pty`: a run with a terminal fails with `InvalidRequest`, `ENOTSUP`, instead of running
 * with pipes. A shell with the capability is only checked for sizes.
 */
export const refuseTerminals = <Service extends ShellService>(shell: Service): Service => {
  const refuse = (exec: ShellExec, options: LeafRunOptions | undefined): ShellFault | undefined => {
    if (options?.terminal === undefined) return undefined
    if (shell.capabilities.pty) return validateTerminal(exec, options.terminal)
    const leaf = `the leaf ${shell.capabilities.leaf} has no terminals`
    return invalid(exec, "terminal", "ENOTSUP", `${exec.command} cannot have a terminal: ${leaf}; LocalShell has`)
  }
  return {
    ...shell,
    get capabilities() {
      return shell.capabilities
    },
    exec: (exec, options) => {
      const fault = refuse(exec, options)
      return fault === undefined ? shell.exec(exec, options) : Stream.fail(fault)
    },
    bytes: (exec, options) => {
      const fault = refuse(exec, options)
      return fault === undefined ? shell.bytes(exec, options) : Stream.fail(fault)
    },
  }
}
