/** Makes the faults of commands that the server refused, lost or gave no exit status for. */
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { RemoteStart } from "./startScript.ts"

export type Failure = readonly [reason: FaultReason, message: string]

/** The reason for which the server refused the start. */
export const describeRefusal = (
  exec: ShellExec,
  start: RemoteStart,
  [what, code, ...rest]: ReadonlyArray<string>,
): Failure => {
  const { directory = "", program } = start
  const shown = `'${program}'`
  switch (`${what} ${code}`) {
    case "cwd EACCES":
      return [
        { _tag: "PermissionDenied", path: directory, code: "EACCES" },
        `exec: Working directory may not be entered '${directory}' (EACCES)`,
      ]
    case "cwd ENOTDIR":
    case "cwd ENOENT": {
      const path = exec.workingDirectory ?? directory
      return [
        { _tag: "NotFound", what: "workingDirectory", path, code: code ?? "ENOENT" },
        `exec: Working directory ${code === "ENOENT" ? "does not exist" : "is not a directory"} '${path}' (${code})`,
      ]
    }
    case "program ENOENT":
      return [
        { _tag: "NotFound", what: exec.useShell ? "interpreter" : "command", path: program, code: "ENOENT" },
        `exec: ${shown} was not found on the server; check its name, and the PATH there (ENOENT)`,
      ]
    case "program EISDIR":
      return [{ _tag: "PermissionDenied", path: program, code: "EACCES" }, `exec: ${shown} is a directory (EACCES)`]
    case "program EACCES":
      return [
        { _tag: "PermissionDenied", path: program, code: "EACCES" },
        `exec: ${shown} may not be executed (EACCES)`,
      ]
    case "program EINVAL":
      return [
        { _tag: "InvalidRequest", field: "command", code: "EINVAL" },
        `exec: env(1), which is needed for this environment, would read the path of ${shown}, which has a '=', as a variable (EINVAL)`,
      ]
    case "program ENOEXEC":
      return [
        { _tag: "InvalidRequest", field: "command", code: "ENOEXEC" },
        `exec: ${shown} is no program for the server (ENOEXEC)`,
      ]
    case "interpreter ENOENT":
      return [
        { _tag: "NotFound", what: "interpreter", path: rest.join(" "), code: "ENOENT" },
        `exec: the interpreter of ${shown} was not found: ${rest.join(" ")} (ENOENT)`,
      ]
    default:
      return [
        { _tag: "InvalidRequest", field: what === "limit" ? `limits.${code}` : "command", code: "EPERM" },
        `exec: ${shown} was not started on the server: ${[what, code, ...rest].join(" ")} (EPERM)`,
      ]
  }
}

export const lostFailure = (server: string, { command }: ShellExec, when: string): Failure => [
  { _tag: "HostLost", host: server },
  `exec: the connection to ${server} was lost ${when}; ${command} was not repeated (ECONNRESET)`,
]

/** When a command was lost. */
export const whileRunning = "while it ran, which ends it on the server"

/** The failure of a command of which the server says no exit: Dropbear has no names for some signals. */
export const noStatus = (server: string, { command }: ShellExec): Failure => [
  { _tag: "Unknown", code: "ENOSTATUS" },
  `exec: ${server} closed the channel of ${command} and did not say how it ended; a signal may have ended it (ENOSTATUS)`,
]
