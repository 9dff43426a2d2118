/**
 * What a look at the file system refuses before anything is started.
 *
 * @module
 */
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { FileKind, Resolution } from "./resolve.ts"
import type { Platform } from "./resolve-paths.ts"
import { noCommand } from "./spawnFindings.ts"

/** The fault of a name that means no file that can be executed. */
export const faultOfResolution = (
  exec: ShellExec,
  found: Extract<Resolution, { readonly _tag: "NotFound" | "NotExecutable" }>,
  platform: Platform,
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
      `exec: '${path}' ${issue} (EACCES)`,
      { executable: path },
    )
  }
  const { issue, reason } = noCommand(found.path, platform, "ENOENT")
  return ShellFault.because(
    exec.commandId,
    exec.useShell && reason._tag === "NotFound" ? { ...reason, what: "interpreter" } : reason,
    `exec: ${issue} (ENOENT)`,
  )
}

/** The fault of a working directory that is none. */
export const faultOfDirectory = (exec: ShellExec, path: string, kind: FileKind): ShellFault => {
  const [problem, code] = kind === "none" ? ["does not exist", "ENOENT"] : ["is not a directory", "ENOTDIR"]
  return ShellFault.because(
    exec.commandId,
    { _tag: "NotFound", what: "workingDirectory", path, code },
    `exec: Working directory ${problem} '${path}' (${code})`,
  )
}

/** The fault of what Deno's permissions do not allow; `why` says what they would have to. */
export const faultOfPermission = (exec: ShellExec, path: string, why: string): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "PermissionDenied", path, code: "NotCapable" },
    `exec: ${why}, and it may not be (NotCapable)`,
  )
