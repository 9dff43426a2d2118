/**
 * Starts a planned command; what the runtime throws becomes a fault.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { ShellFault } from "../../command/ShellFault.ts"
import type { Host, HostProcess, SpawnRequest } from "./Host.ts"
import type { LocalCommand } from "./LocalCommand.ts"
import type { LocalContext } from "./LocalContext.ts"
import { faultOfSpawnError, scriptInterpreter } from "./spawnError.ts"

/** A file with no `#!` line and no known format: execvp(3) hands it to the shell, and so do we, on every runtime. */
const asScript = (request: SpawnRequest): SpawnRequest => ({
  ...request,
  file: "/bin/sh",
  args: [request.file, ...request.args],
})

const isNoExec = (error: unknown): boolean =>
  typeof error === "object" && error !== null &&
  (("code" in error && error.code === "ENOEXEC") ||
    ("message" in error && typeof error.message === "string" && error.message.includes("os error 8)")))

const headOf = (host: Host, path: string): string => {
  // The kernel reads no more of a script's first line (execve(2)).
  const head = host.readHead(path, 256)
  return head === undefined ? "" : new TextDecoder("latin1").decode(head)
}

/** Starts the process. Fails with what the runtime said, as a {@link ShellFault}. */
export const spawnCommand = (
  exec: ShellExec,
  command: LocalCommand,
  { host, platform }: LocalContext,
): Effect.Effect<HostProcess, ShellFault> => {
  const attempt = (request: SpawnRequest): Effect.Effect<HostProcess, unknown> =>
    Effect.suspend(() => {
      try {
        const process = host.spawn(request)
        return process instanceof Promise
          ? Effect.tryPromise({ try: () => process, catch: (error) => error })
          : Effect.succeed(process)
      } catch (error) {
        return Effect.fail(error)
      }
    })
  const { request } = command
  return attempt(request).pipe(
    Effect.catch((error) => platform === "posix" && isNoExec(error) ? attempt(asScript(request)) : Effect.fail(error)),
    Effect.mapError((error) =>
      faultOfSpawnError(error, {
        exec,
        executable: command.executable,
        platform,
        cwd: request.cwd,
        cwdIs: request.cwd === undefined ? undefined : host.fileKind(request.cwd),
        executableIs: host.fileKind(command.executable),
        interpreter: scriptInterpreter(headOf(host, command.executable)),
      })
    ),
  )
}
