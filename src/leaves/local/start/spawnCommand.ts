/**
 * Starts a planned command, a pinned one only while its program and directory are still those that were checked, and
 * turns the runtime's error into a fault.
 */
import * as Effect from "effect/Effect"
import { hasSucceeded } from "../../../base/hasSucceeded.ts"
import type { ShellExec } from "../../../command/ShellExec.ts"
import { ShellFault } from "../../../command/plain/ShellFault.ts"
import type { SpawnConstraints } from "../../../shell/LeafFiles.ts"
import { argumentLimit } from "../../../host/faults/argumentLimit.ts"
import type { Host, HostProcess } from "../../../host/Host.ts"
import type { LocalCommand } from "../plan/planCommand.ts"
import type { LocalContext } from "../plan/LocalContext.ts"
import { startUnchanged } from "./startUnchanged.ts"
import { faultOfSpawnError, scriptInterpreter } from "../../../host/faults/spawnError.ts"

const headOf = (host: Host, path: string): string => {
  // The kernel reads no more of a script's first line (execve(2)).
  const head = host.readHead(path, 256)
  return head === undefined ? "" : new TextDecoder("latin1").decode(head)
}

/** Starts the process. Fails with the runtime's error as a {@link ShellFault}. */
export const spawnCommand = (
  exec: ShellExec,
  { executable, request }: LocalCommand,
  { host, platform }: LocalContext,
  pinned?: SpawnConstraints,
): Effect.Effect<HostProcess, ShellFault> => {
  const started = startUnchanged(exec, host, request, pinned)
  if (hasSucceeded(started)) return started
  return Effect.mapError(
    started,
    (error) =>
      error instanceof ShellFault ? error : faultOfSpawnError(error, {
        exec,
        executable,
        platform,
        argumentBytes: argumentLimit(host),
        cwd: request.cwd,
        cwdIs: request.cwd === undefined ? undefined : host.fileKind(request.cwd),
        executableIs: host.fileKind(executable),
        interpreter: scriptInterpreter(headOf(host, executable)),
      }),
  )
}
