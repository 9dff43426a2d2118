/**
 * Ends the tree of a process on Windows at once, by its job object or `taskkill`.
 *
 * Windows has no signal that requests a process to end, so a grace period does not apply.
 *
 * Source: Microsoft, "taskkill".
 */
import * as Effect from "effect/Effect"
import type { Host, HostProcess, ProcessJob } from "../../../host/Host.ts"
import { runHelper } from "../../../host/runHelper.ts"
import { maxReapMillis } from "./terminateTree.ts"
import { waitUntil } from "../../../host/waitRealTime.ts"

/** Waits for ended processes to vanish. */
const untilReaped = (condition: () => boolean): Effect.Effect<unknown> =>
  waitUntil(Effect.sync(condition), maxReapMillis)

/** The full path of `taskkill`: CreateProcess searches a bare name in the current directory first. */
export const taskkillPath = (host: Host): string =>
  `${host.variable("SystemRoot") ?? "C:\\Windows"}\\System32\\taskkill.exe`

const endJob = (job: ProcessJob, hasExited: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => {
    job.terminate()
    return Effect.asVoid(untilReaped(() => hasExited() && job.active === 0))
  })

/** Ends a tree without a job. Its descendants are found while the root is alive; some may escape between the searches. */
const taskkill = (host: Host, process: HostProcess, hasExited: () => boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (hasExited()) return
    const file = taskkillPath(host)
    if (host.mayRun(file)) {
      yield* Effect.promise(() => runHelper(host)(file, ["/pid", String(process.pid), "/T", "/F"]))
    }
    if (!hasExited()) process.kill("SIGKILL")
    yield* untilReaped(hasExited)
  })

export const endTree = (host: Host, process: HostProcess, hasExited: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() =>
    process.job === undefined || process.job.isReleased
      ? taskkill(host, process, hasExited)
      : endJob(process.job, hasExited)
  )
