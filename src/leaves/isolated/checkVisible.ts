/** Refuses a command whose program, interpreter or working directory is not visible behind the walls. */
import { quote } from "../../base/quote.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { Host } from "../../host/Host.ts"
import type { LocalCommand } from "../local/plan/planCommand.ts"
import { faultOfSpawnError, interpreterOf } from "../../host/faults/spawnError.ts"
import { isVisible, type Mount } from "./Mount.ts"

const notVisible = (
  exec: ShellExec,
  what: "command" | "workingDirectory" | "interpreter",
  path: string,
): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "NotFound", what, path, code: "ENOENT" },
    `exec: ${quote(path)} is not visible in isolation: name it, or a folder above it, in readable (ENOENT)`,
  )

/** The fault of a command whose walls would lead elsewhere. */
export const notInPlace = (exec: ShellExec, path: string): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "Unknown", code: "EISOLATION" },
    `exec: ${quote(path)} was removed or replaced after the leaf was made: restore it, or make a new leaf (EISOLATION)`,
  )

/**
 * Finds the path of a command that is not visible. Paths are checked canonically: a visible link may lead to a hidden
 * file.
 */
export const checkVisible = (
  host: Host,
  mounts: ReadonlyArray<Mount>,
  exec: ShellExec,
  { executable, request: { cwd } }: LocalCommand,
): ShellFault | undefined => {
  const sees = (path: string): boolean => isVisible(mounts, host.realPath(path) ?? path)
  const seesFolder = (path: string): boolean =>
    sees(path) || mounts.some((mount) => mount.path === path || mount.path.startsWith(path === "/" ? "/" : `${path}/`))
  if (cwd !== undefined && !seesFolder(cwd)) return notVisible(exec, "workingDirectory", cwd)
  if (!executable.startsWith("/")) return undefined
  if (!sees(executable)) return notVisible(exec, "command", executable)
  const interpreter = interpreterOf(host, executable)
  if (interpreter?.startsWith("/") !== true) return undefined
  if (host.realPath(interpreter) !== undefined) {
    return sees(interpreter) ? undefined : notVisible(exec, "interpreter", interpreter)
  }
  // The runtime would report this error, but the program that it starts is the engine.
  const error = Object.assign(new Error(`spawn ${executable} ENOENT`), { code: "ENOENT" })
  return faultOfSpawnError(error, { exec, executable, executableIs: "executable", interpreter })
}
