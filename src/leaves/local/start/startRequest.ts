/**
 * Starts a planned process on a host, and runs a script without `#!` through the shell.
 *
 * Source: execvp(3).
 */
import * as Effect from "effect/Effect"
import { hasSucceeded } from "../../../base/hasSucceeded.ts"
import { errorCode } from "../../../host/faults/errorCode.ts"
import type { Host, HostProcess, SpawnRequest } from "../../../host/Host.ts"

const asScript = (request: SpawnRequest): SpawnRequest => ({
  ...request,
  file: "/bin/sh",
  argv0: "/bin/sh",
  args: [request.file, ...request.args],
})

/**
 * Starts the process; fails with the runtime's error. A file without a `#!` line and of no known format is a script: it runs
 * through the shell on every runtime, as by execvp(3).
 */
export const startRequest = (host: Host, request: SpawnRequest): Effect.Effect<HostProcess, unknown> =>
  Effect.suspend(() => startNow(host, request))

/** As {@link startRequest}, at once: an `Exit` where the runtime has started the process synchronously. */
export const startNow = (host: Host, request: SpawnRequest): Effect.Effect<HostProcess, unknown> => {
  const started = attempt(host, request)
  return hasSucceeded(started) ? started : Effect.catch(
    started,
    (error) =>
      host.os !== "windows" && errorCode(error, "posix") === "ENOEXEC"
        ? attempt(host, asScript(request))
        : Effect.fail(error),
  )
}

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
