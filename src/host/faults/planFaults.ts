/** Makes the faults of missing programs, paths, directories and permissions, before a command starts. */
import { quote } from "../../base/quote.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/plain/ShellFault.ts"
import { workingDirectoryIssue } from "../../command/workingDirectoryIssue.ts"
import type { FileKind, Resolution } from "../resolveExecutable.ts"
import { isAbsolutePath } from "../../base/isAbsolutePath.ts"
import { isPath, type Platform } from "../paths.ts"
import { explainMissingCommand, explainPath } from "./spawnErrorExplanations.ts"

/** Explains a relative path to those who expect it below `cwd`, where `child_process` would look. */
const relativeAdvice = ({ command, useShell, workingDirectory }: ShellExec, platform: Platform): string =>
  useShell || workingDirectory === undefined || !isPath(platform, command) || isAbsolutePath(command, platform)
    ? ""
    : "; a relative program starts at the directory of this process, not at cwd: write its absolute path"

/** The fault of a program name without an executable file. */
export const faultOfResolution = (
  exec: ShellExec,
  found: Extract<Resolution, { readonly _tag: "NotFound" | "NotExecutable" }>,
  platform: Platform,
  errorAt: (path: string) => string | undefined,
): ShellFault => {
  if (found._tag === "NotExecutable") {
    const { is, path } = found
    const issue = is === "directory"
      ? "is a directory"
      : is === "special"
      ? "is a FIFO, a device or a socket, not a program"
      : "may not be executed"
    return ShellFault.because(
      exec.commandId,
      { _tag: "PermissionDenied", path, code: "EACCES" },
      `exec: ${quote(path)} ${issue} (EACCES)`,
      { executable: path },
    )
  }
  const bad = faultOfPath(exec, "command", found.path, found.searched.length > 0 ? undefined : errorAt(found.path))
  if (bad !== undefined) return bad
  const { issue, reason } = explainMissingCommand(found.path, platform, "ENOENT", relativeAdvice(exec, platform))
  return ShellFault.because(
    exec.commandId,
    exec.useShell && reason._tag === "NotFound" ? { ...reason, what: "interpreter" } : reason,
    `exec: ${issue} (ENOENT)`,
  )
}

/** The fault of an unresolvable path (ENOTDIR, ELOOP, ENAMETOOLONG); `undefined` for any other code. */
export const faultOfPath = (
  exec: ShellExec,
  what: "command" | "workingDirectory",
  path: string,
  code: string | undefined,
): ShellFault | undefined => {
  const found = explainPath(what, path, code)
  return found === undefined
    ? undefined
    : ShellFault.because(exec.commandId, found.reason, `exec: ${found.issue} (${code})`)
}

/** The fault of a missing working directory, or of one that is not a directory. */
export const faultOfDirectory = (exec: ShellExec, path: string, kind: FileKind): ShellFault => {
  const [problem, code] = kind === "none" ? ["does not exist", "ENOENT"] : ["is not a directory", "ENOTDIR"]
  return ShellFault.because(
    exec.commandId,
    { _tag: "NotFound", what: "workingDirectory", path, code },
    `exec: ${workingDirectoryIssue(problem, path)} (${code})`,
  )
}

/** The fault of a missing permission of Deno, which `flag` gives; `why` names what needs it. */
export const faultOfPermission = (exec: ShellExec, path: string, why: string, flag: string): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "PermissionDenied", path, code: "NotCapable" },
    `exec: ${why}, which Deno does not permit: start it with ${flag} (NotCapable)`,
  )
