/**
 * Starts a planned process; what the runtime throws becomes a PlatformError.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import { errorCode } from "../errorCode.ts"
import type { Host, HostProcess, SpawnRequest } from "../Host.ts"
import { spawnFailed, type Subject } from "./platformErrors.ts"

/** A file with no `#!` line and no known format: execvp(3) hands it to the shell, and so do we, on every runtime. */
const asScript = (request: SpawnRequest): SpawnRequest => ({
  ...request,
  file: "/bin/sh",
  argv0: "/bin/sh",
  args: [request.file, ...request.args],
})

/** Starts the process. */
export const startProcess = (
  host: Host,
  subject: Subject,
  request: SpawnRequest,
): Effect.Effect<HostProcess, PlatformError.PlatformError> => {
  const attempt = (each: SpawnRequest): Effect.Effect<HostProcess, unknown> =>
    Effect.suspend(() => {
      try {
        const process = host.spawn(each)
        return process instanceof Promise
          ? Effect.tryPromise({ try: () => process, catch: (error) => error })
          : Effect.succeed(process)
      } catch (error) {
        return Effect.fail(error)
      }
    })
  return attempt(request).pipe(
    Effect.catch((error) =>
      subject.platform === "posix" && errorCode(error, "posix") === "ENOEXEC"
        ? attempt(asScript(request))
        : Effect.fail(error)
    ),
    Effect.mapError((error) => spawnFailed(subject, request.argv0 ?? request.file, error)),
  )
}
