/** Refuses scripts for the portable shell on leaves without it: no other shell may run them. */
import * as Stream from "effect/Stream"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import type { ShellService } from "./ShellService.ts"

/** Marks a service that has the portable shell. A symbol, so that wrappers which spread the service keep the mark. */
export const knowsPortableShell: unique symbol = Symbol("@sluice/shell/shell/knowsPortableShell")

/** The mark, as part of a service. */
export interface KnowsPortableShell {
  readonly [knowsPortableShell]?: true
}

export const isPortable = ({ shell, useShell }: ShellExec): boolean => useShell && shell === "portable"

/** The fault of a script for the portable shell on a leaf that has none; `undefined` for any other command. */
export const refusePortable = (exec: ShellExec): ShellFault | undefined =>
  isPortable(exec)
    ? ShellFault.because(
      exec.commandId,
      { _tag: "InvalidRequest", field: "shell", code: "ENOTSUP" },
      "exec: this leaf has no portable shell (ENOTSUP)",
    )
    : undefined

/** Wraps a service without the portable shell so that scripts for that shell fail. */
export const refusePortableScripts = <Service extends ShellService & KnowsPortableShell>(shell: Service): Service => {
  if (shell[knowsPortableShell] === true) return shell
  return {
    ...shell,
    get capabilities() {
      return shell.capabilities
    },
    exec: (exec, options) => {
      const fault = refusePortable(exec)
      return fault === undefined ? shell.exec(exec, options) : Stream.fail(fault)
    },
    bytes: (exec, options) => {
      const fault = refusePortable(exec)
      return fault === undefined ? shell.bytes(exec, options) : Stream.fail(fault)
    },
  }
}
