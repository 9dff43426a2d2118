/**
 * How commands are ended on Windows: at once. There is no way to ask a process to end, so a grace period is for
 * nothing.
 *
 * Source: Compute Branch, "Process Termination"; Microsoft, "taskkill".
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Host, HostProcess, ProcessJob } from "../Host.ts"
import { runHelper } from "../runHelper.ts"

/** How long the dead may take to vanish. */
const reapMillis = 2_000

const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (condition()) return resume(Effect.void)
    const deadline = performance.now() + reapMillis
    // Real time, not the Clock's: the death of a process is an event of the machine, not of the program.
    const timer = setInterval(() => {
      if (!condition() && performance.now() < deadline) return
      clearInterval(timer)
      resume(Effect.void)
    }, 5)
    return Effect.sync(() => clearInterval(timer))
  })

/** Where `taskkill` is. By its full path: CreateProcess would look for a name in the current directory first. */
export const taskkillPath = (host: Host): string =>
  `${host.variable("SystemRoot") ?? "C:\\Windows"}\\System32\\taskkill.exe`

const endJob = (job: ProcessJob, hasExited: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => {
    job.terminate()
    return until(() => hasExited() && job.active === 0)
  })

/** Without a job: while the root is there its descendants can be found. They are by asking, so some may get away. */
const taskkill = (host: Host, process: HostProcess, hasExited: () => boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (hasExited()) return
    const file = taskkillPath(host)
    if (host.mayRun(file)) {
      yield* Effect.promise(() => runHelper(host)(file, ["/pid", String(process.pid), "/T", "/F"]))
    }
    if (!hasExited()) process.kill("SIGKILL")
    yield* until(hasExited)
  })

/** Ends the tree under a process. */
export const endTree = (host: Host, process: HostProcess, hasExited: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() =>
    process.job === undefined || process.job.isReleased
      ? taskkill(host, process, hasExited)
      : endJob(process.job, hasExited)
  )
