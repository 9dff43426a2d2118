/**
 * Ends the requests that no daemon has taken when the last daemon of a branch is shut down.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { JournalError } from "../journal/JournalError.ts"
import { decodeRequestEntry, draftEvent } from "./BranchDefinition.ts"
import { decodeBranchEntry } from "./BranchEntry.ts"
import { type DaemonContext, daemonEntryFilter } from "./DaemonContext.ts"
import { checkLiveness } from "./HostIdentity.ts"
import { isConflict } from "./LeaseHolder.ts"

/** The newest entries of daemons that are looked at, and requests of one read. */
const maxSigns = 256
const batch = 256

/**
 * Whether another daemon is there: its process lives, or cannot be seen from here and has given a sign within its lease. A
 * daemon elsewhere without places renews its leases; one with places would have taken what waits.
 */
const hasPeer = <Request, Event, E>(
  { branch, id, journal }: DaemonContext<Request, Event, E>,
): Effect.Effect<boolean, JournalError> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const seen = new Set([id])
    for (const sign of yield* journal.readBackward({ filter: daemonEntryFilter(branch), limit: maxSigns })) {
      const daemon = sign.correlationId
      if (seen.has(daemon)) continue
      seen.add(daemon)
      const newest = decodeBranchEntry(branch, sign)
      if (newest === undefined || !("leaseMillis" in newest)) continue
      const filter = daemonEntryFilter(branch, daemon, ["DaemonStarted"])
      const [entry] = yield* journal.readBackward({ filter, limit: 1 })
      const started = entry === undefined ? undefined : decodeBranchEntry(branch, entry)
      const liveness = started?._tag === "DaemonStarted" ? yield* checkLiveness(started.host) : "unknown"
      if (liveness === "alive" || (liveness === "unknown" && now - sign.time < (newest.leaseMillis ?? 0))) return true
    }
    return false
  })

/** Ends the requests without a lease as cancelled by the shutdown, unless another daemon is there to take them. */
export const endWaiting = <Request, Event, E>(
  context: DaemonContext<Request, Event, E>,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    const { branch, journal, requests, settings } = context
    let after = requests.settled
    if (after >= (yield* journal.head).position || (yield* hasPeer(context))) return
    for (;;) {
      const filter = { branch: branch.name, tags: branch.request.tags }
      const entries = yield* journal.read({ after, filter, limit: batch })
      for (const entry of entries) {
        const { correlationId, position } = entry
        after = position
        // What is not kept, though there was room for it, has ended.
        const isKept = requests.get(correlationId)?.position === position
        if (!isKept && position <= Math.min(requests.cursor, requests.behind ?? Infinity)) continue
        const request = entry.body === undefined ? undefined : decodeRequestEntry(branch, entry)
        if (request === undefined || Result.isFailure(request)) continue
        const last = yield* settings.makeLastEvent(request.success, { _tag: "Cancelled", by: "shutdown" })
        const noneOf = { branch: branch.name, correlationId, tags: ["LeaseTaken", ...branch.lastTags] }
        const append = journal.append([draftEvent(branch, last)], { condition: { after: position, noneOf } })
        yield* Effect.catchIf(Effect.asVoid(append), isConflict, () => Effect.void)
      }
      if (entries.length < batch) return
    }
  })
