/**
 * Starts a planned process on a host.
 *
 * Source: execvp(3).
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { errorCode } from "./errorCode.ts"
import type { Host, HostProcess, SpawnRequest } from "./Host.ts"

const asScript = (request: SpawnRequest): SpawnRequest => ({
  ...request,
  file: "/bin/sh",
  argv0: "/bin/sh",
  args: [request.file, ...request.args],
})

/**
 * Starts the process; fails with what the runtime threw. A file with no `#!` line and no known format is a script:
 * execvp(3) hands it to the shell, and so do we, on every runtime.
 */
export const startRequest = (host: Host, request: SpawnRequest): Effect.Effect<HostProcess, unknown> => {
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
  return Effect.catch(
    attempt(request),
    (error) =>
      host.os !== "windows" && errorCode(error, "posix") === "ENOEXEC"
        ? attempt(asScript(request))
        : Effect.fail(error),
  )
}
