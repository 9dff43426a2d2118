/**
 * Checks whether the process that holds a lease is gone, by the process table or by the daemon's heartbeats.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { daemonTags, decodeBranchEntry, type LeaseTaken } from "../branch/BranchEntry.ts"
import { checkLiveness, type HostIdentity, type Liveness } from "../branch/HostIdentity.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import type { IsHolderGone } from "./readRecord.ts"

/** Processes whose life is remembered: to ask for one may take a program. */
const maxKnown = 1_000

/** How many times its lease a daemon of another machine may be silent: clocks differ, and entries take their way. */
const silenceFactor = 2

/**
 * Looks at the process that holds a lease: in the process table of this machine, else at the signs that its daemon gives.
 * Who cannot be seen, and promised no sign, is taken to be there. What was seen of a process is remembered.
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

  const isSilent = ({ daemonId: daemon, leaseMillis: lasts }: LeaseTaken) =>
    Effect.gen(function* () {
      const filter = { branch: ComputeBranch.name, correlationId: daemon, tags: daemonTags }
      const [sign] = yield* journal.readBackward({ filter, limit: 1 })
      const said = sign === undefined ? undefined : decodeBranchEntry(ComputeBranch, sign)
      if (said?._tag === "DaemonCompleted") return true
      if (lasts === null || sign === undefined) return false
      return (yield* Clock.currentTimeMillis) - sign.time > silenceFactor * lasts
    })

  return (lease) =>
    Effect.flatMap(
      livenessOf(lease.host),
      (liveness) => liveness === "unknown" ? isSilent(lease) : Effect.succeed(liveness === "dead"),
    )
}
