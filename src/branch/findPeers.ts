/** Finds the other daemons of a branch that may be alive, by their entries and their processes. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { JournalError } from "../journal/JournalError.ts"
import { decodeBranchEntry } from "./BranchEntry.ts"
import { type DaemonContext, daemonEntryFilter } from "./DaemonContext.ts"
import { checkLiveness } from "./HostIdentity.ts"

const maxSigns = 256

/** Another daemon that has started, has not ended, and is not seen to be dead. */
export interface Peer {
  readonly daemonId: string
  readonly maxOpen: number | undefined
  /**
   * Its process is alive, or cannot be observed from here and has given a sign within its lease. Otherwise it is lost
   * or idle: a daemon on another machine renews its leases while it holds any, and one with free slots takes the
   * waiting requests.
   */
  readonly isSeen: boolean
}

export const findPeers = <Request, Event, E>(
  { branch, id, journal }: DaemonContext<Request, Event, E>,
): Effect.Effect<ReadonlyArray<Peer>, JournalError> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const peers: Array<Peer> = []
    const known = new Set([id])
    const filter = daemonEntryFilter(branch, undefined, ["DaemonStarted", "DaemonCompleted"])
    for (const entry of yield* journal.readBackward({ filter, maxEntries: maxSigns })) {
      if (known.has(entry.correlationId)) continue
      known.add(entry.correlationId)
      const started = decodeBranchEntry(branch, entry)
      if (started?._tag !== "DaemonStarted") continue
      const { daemonId, host, leaseMillis, maxOpen } = started
      const liveness = yield* checkLiveness(host)
      if (liveness === "dead") continue
      const [sign = entry] = yield* journal.readBackward({ filter: daemonEntryFilter(branch, daemonId), maxEntries: 1 })
      peers.push({ daemonId, maxOpen, isSeen: liveness === "alive" || now - sign.time < leaseMillis })
    }
    return peers
  })
