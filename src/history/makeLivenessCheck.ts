/** Checks whether the process that holds a lease is gone, by the process table or by the daemon's heartbeats. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { daemonTags, decodeBranchEntry, type LeaseTaken } from "../branch/BranchEntry.ts"
import { checkLiveness, type HostIdentity, type Liveness } from "../branch/HostIdentity.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import type { IsHolderGone } from "./readRecord.ts"

/** Maximum number of cached results: a check may start a program. */
const maxKnown = 1_000

/**
 * Number of lease times without a heartbeat after which a daemon of another machine counts as gone: clocks differ, and
 * entries are delayed.
 */
const silenceFactor = 2

/**
 * Makes the check: looks for the holder of a lease in the process table of this machine, else for the heartbeats of its
 * daemon. A holder that cannot be checked and sends no heartbeats counts as alive. Results of the process table are
 * cached.
 */
export const makeLivenessCheck = (journal: JournalService): IsHolderGone => {
  const known = new Map<string, Liveness>()

  const livenessOf = (host: HostIdentity): Effect.Effect<Liveness> =>
    Effect.suspend(() => {
      const key = JSON.stringify(host)
      const before = known.get(key)
      if (before !== undefined) return Effect.succeed(before)
      return Effect.map(checkLiveness(host), (liveness) => {
        if (known.size >= maxKnown) known.clear()
        known.set(key, liveness)
        return liveness
      })
    })

  const isSilent = ({ daemonId: daemon, leaseMillis }: LeaseTaken) =>
    Effect.gen(function* () {
      const filter = { branch: ComputeBranch.name, correlationId: daemon, tags: daemonTags }
      const [heartbeat] = yield* journal.readBackward({ filter, maxEntries: 1 })
      const entry = heartbeat === undefined ? undefined : decodeBranchEntry(ComputeBranch, heartbeat)
      if (entry?._tag === "DaemonCompleted") return true
      if (leaseMillis === null || heartbeat === undefined) return false
      return (yield* Clock.currentTimeMillis) - heartbeat.time > silenceFactor * leaseMillis
    })

  return (lease) =>
    Effect.flatMap(
      livenessOf(lease.host),
      (liveness) => liveness === "unknown" ? isSilent(lease) : Effect.succeed(liveness === "dead"),
    )
}
