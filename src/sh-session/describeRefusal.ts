/** Describes why a shell refused to start a command, by the arguments of `_slf`, one of the start functions. */
import { quote, quoteIfNeeded } from "../base/quote.ts"
import type { FaultReason } from "../command/FaultReason.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { workingDirectoryIssue } from "../command/workingDirectoryIssue.ts"

/** A reason and a message of a fault. */
export type Failure = readonly [reason: FaultReason, message: string]

/** The part of a start that was refused. */
export interface RefusedStart {
  readonly program: string
  /** The directory of the leaf, if the command names none. */
  readonly directory: string | undefined
  readonly where: "on the server" | "in the container"
}

export const describeRefusal = (
  exec: ShellExec,
  { directory = "", program, where }: RefusedStart,
  [what, code = "EACCES", ...rest]: ReadonlyArray<string>,
): Failure => {
  const path = exec.workingDirectory ?? directory
  const shown = quote(program)
  const text = (issue: string, shownCode = code): string => `exec: ${issue} (${shownCode})`
  const denied = (path: string, issue: string): Failure => [
    { _tag: "PermissionDenied", path, code: "EACCES" },
    text(issue, "EACCES"),
  ]
  const invalid = (field: string, issue: string, shownCode = code): Failure => [
    { _tag: "InvalidRequest", field, code: shownCode },
    text(issue, shownCode),
  ]
  switch (`${what} ${code}`) {
    case "cwd EACCES":
      return denied(path, workingDirectoryIssue("may not be entered", path))
    case "cwd ENOTDIR":
    case "cwd ENOENT":
      return [
        { _tag: "NotFound", what: "workingDirectory", path, code },
        text(workingDirectoryIssue(code === "ENOENT" ? "does not exist" : "is not a directory", path)),
      ]
    case "program ENOENT":
      return [
        { _tag: "NotFound", what: exec.useShell ? "interpreter" : "command", path: program, code },
        text(`${shown} was not found ${where}; check its name, and the PATH there`),
      ]
    case "program EISDIR":
      return denied(program, `${shown} is a directory`)
    case "program EACCES":
      return denied(program, `${shown} may not be executed`)
    case "program EINVAL":
      return invalid(
        "command",
        `env(1), which is needed for this environment, would take the path of ${shown}, which has a '=', as a variable`,
      )
    case "program ENOEXEC":
      return invalid("command", `${shown} cannot be executed ${where}`)
    case "interpreter ENOENT": {
      const interpreter = rest.join(" ")
      return [
        { _tag: "NotFound", what: "interpreter", path: interpreter, code },
        text(`the interpreter ${quote(interpreter)} of ${shown} was not found ${where}`),
      ]
    }
    case "terminal ENOTSUP":
      return invalid("terminal", `${quoteIfNeeded(exec.command)} cannot have a terminal ${where}: there is no stty`)
    default:
      return what === "limit"
        ? invalid(`limits.${code}`, `the limit ${code} cannot be set ${where}`, "ENOTSUP")
        : invalid("command", `${shown} was not started ${where}: ${[what, code, ...rest].join(" ")}`, "EPERM")
  }
}
