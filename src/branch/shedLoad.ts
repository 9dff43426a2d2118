/** Ends the requests beyond `maxOpen` of a daemon as `Throttled`, unless another daemon may take them. */
import * as Effect from "effect/Effect"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { DaemonContext } from "./DaemonContext.ts"
import { endUnleased } from "./endUnleased.ts"
import { findPeers, type Peer } from "./findPeers.ts"

const batch = 256
const concurrency = 32

/** Time in which daemons with free slots take waiting requests: daemons that are visible from here, and others. */
const settleDelay = "250 millis"
const quietDelay = "5 seconds"

const retryDelay = "1 second"

/**
 * Whether another daemon has room, judged by the leases that were read. Others may be among the skipped requests, so a full
 * daemon may seem to have room; then the request is left and read again later.
 */
const hasRoom = <Request, Event, E>(
  { requests }: DaemonContext<Request, Event, E>,
  { daemonId, isSeen, maxOpen = Infinity }: Peer,
): boolean => isSeen && maxOpen > requests.loadOf(daemonId)

/**
 * Ends requests beyond `maxOpen`, for the lifetime of the daemon. Either this daemon appends the end or another takes
 * the request: each appends only if the other has not.
 */
export const shedLoad = <Request, Event, E>(
  context: DaemonContext<Request, Event, E>,
  isStopping: () => boolean,
): Effect.Effect<never> => {
  const { branch, journal, overload, requests, settings: { maxConcurrency, maxOpen } } = context
  const ending = { _tag: "Throttled", maxConcurrency, maxOpen } as const
  const isFull = (): boolean => requests.behind !== undefined && requests.room <= 0 && !isStopping()
  let through: Position = 0

  const refuse = (end: Position): Effect.Effect<void, JournalError> =>
    Effect.gen(function* () {
      if (requests.behind === undefined || !isFull()) return
      const after = Math.max(requests.behind, through)
      const read = yield* journal.read({
        after,
        filter: { branch: branch.name, tags: branch.request.tags },
        maxEntries: batch,
      })
      const beyond = read.filter(({ position }) => position <= end)
      const endings = yield* Effect.forEach(
        beyond,
        (entry) => Effect.suspend(() => isFull() ? endUnleased(context, entry, ending) : Effect.undefined),
        { concurrency },
      )
      const before = (index: number): Position => (beyond[index < 0 ? beyond.length - 1 : index - 1]?.position ?? after)
      through = before(endings.indexOf(undefined))
      if (after === requests.behind) requests.behind = before(endings.findIndex((ended) => ended !== true))
      if (beyond.length === batch) yield* refuse(end)
    })

  const shed = Effect.gen(function* () {
    const { cursor } = requests
    const peers = yield* findPeers(context)
    if (peers.length === 0) return yield* refuse(cursor)
    yield* Effect.sleep(peers.some(({ isSeen }) => !isSeen) ? quietDelay : settleDelay)
    if ((yield* findPeers(context)).some((peer) => hasRoom(context, peer))) yield* Effect.sleep(retryDelay)
    else yield* refuse(cursor)
  })
  const failed = ({ message }: JournalError) =>
    Effect.andThen(Effect.logWarning(`branch ${branch.name}: ${message}`), Effect.sleep(retryDelay))
  const next = Effect.suspend(() => {
    overload.close()
    return isFull() ? Effect.catch(shed, failed) : Effect.void
  })
  return Effect.forever(Effect.andThen(overload.await, next))
}
