/**
 * Starts a planned command and turns the runtime's error into a fault; a command that a policy has checked starts only while
 * its program and directory are the checked ones.
 *
 * Source: execvp(3).
 */
import * as Effect from "effect/Effect"
import { hasSucceeded } from "../../../base/hasSucceeded.ts"
import { ShellFault } from "../../../command/plain/ShellFault.ts"
import type { ShellExec } from "../../../command/ShellExec.ts"
import { argumentLimit } from "../../../host/faults/argumentLimit.ts"
import { errorCode } from "../../../host/faults/errorCode.ts"
import { faultOfSpawnError, interpreterOf } from "../../../host/faults/spawnError.ts"
import type { Host, HostProcess, SpawnRequest } from "../../../host/Host.ts"
import type { SeenFile, SpawnConstraints } from "../../../shell/LeafFiles.ts"
import type { LocalContext } from "../plan/LocalContext.ts"
import type { LocalCommand } from "../plan/planCommand.ts"

const attempt = (host: Host, request: SpawnRequest): Effect.Effect<HostProcess, unknown> => {
  try {
    const process = host.spawn(request)
    return process instanceof Promise
      ? Effect.tryPromise({ try: () => process, catch: (error) => error })
      : Effect.succeed(process)
  } catch (error) {
    return Effect.fail(error)
  }
}

/**
 * Starts a process at once: an `Exit` where the runtime does so synchronously; fails with the runtime's error. A file without a
 * `#!` line and of no known format is a script: it runs through the shell on every runtime, as by execvp(3).
 */
export const startProcess = (host: Host, request: SpawnRequest): Effect.Effect<HostProcess, unknown> => {
  const started = attempt(host, request)
  return hasSucceeded(started) ? started : Effect.catch(
    started,
    (error) =>
      host.os !== "windows" && errorCode(error, "posix") === "ENOEXEC"
        ? attempt(host, { ...request, file: "/bin/sh", argv0: "/bin/sh", args: [request.file, ...request.args] })
        : Effect.fail(error),
  )
}

const isSame = (host: Host, { file, identity, path }: SeenFile): boolean =>
  host.realPath(path) === file && host.identity(file) === identity

const changed = (exec: ShellExec, what: string, path: string): Effect.Effect<never, ShellFault> =>
  Effect.fail(ShellFault.because(
    exec.commandId,
    { _tag: "NotAllowed", policy: "sameFile", value: path },
    `exec: the ${what} ${path} is not the one that was checked (NOT_ALLOWED)`,
  ))

/** Starts a process if its checked files are unchanged. The directory is held open where possible, compared, and used. */
const startUnchanged = (
  exec: ShellExec,
  host: Host,
  request: SpawnRequest,
  { directory, program }: SpawnConstraints,
): Effect.Effect<HostProcess, unknown> => {
  const held = directory === undefined ? undefined : host.hold?.(directory.file)
  const isDirectory = directory === undefined ||
    (host.hold === undefined
      ? isSame(host, directory)
      : held?.file === directory.file && held.identity === directory.identity)
  const started = directory !== undefined && !isDirectory
    ? changed(exec, "working directory", directory.path)
    : program !== undefined && !isSame(host, program)
    ? changed(exec, "program", program.path)
    : startProcess(host, held === undefined ? request : { ...request, cwd: held.path })
  if (!hasSucceeded(started)) return Effect.ensuring(started, Effect.sync(() => held?.release()))
  held?.release()
  return started
}

/** Starts a command, at once where the runtime does. `pinned`: what an access policy has checked. */
export const startCommand = (
  exec: ShellExec,
  { executable, request }: LocalCommand,
  { host, platform }: LocalContext,
  pinned?: SpawnConstraints,
): Effect.Effect<HostProcess, ShellFault> => {
  const started = pinned === undefined ? startProcess(host, request) : startUnchanged(exec, host, request, pinned)
  return hasSucceeded(started) ? started : Effect.mapError(
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
        interpreter: interpreterOf(host, executable),
      }),
  )
}
