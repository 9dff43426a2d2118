/** Applies the entries of the journal to the open requests of a daemon. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Entry } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { branchEntryTags, decodeBranchEntry } from "./BranchEntry.ts"
import type { DaemonContext } from "./DaemonContext.ts"
import { type BranchTags, trackedTags } from "./OpenRequests.ts"

const batch = 500

/** Maximum number of leases and cancel requests that are read of one deferred request, newest first. */
const lateLimit = 100

const retryDelay = "1 second"

/** Whether the journal cannot be followed until it is repaired. */
const isHopeless = ({ reason }: JournalError): boolean =>
  ["Closed", "Corrupt", "TooNew", "Missing", "Invalid"].includes(reason._tag)

const filterOf = (branch: BranchTags) => ({ branch: branch.name, tags: trackedTags(branch) })

export class JournalFollower<Request, Event, E> {
  readonly #context: DaemonContext<Request, Event, E>
  readonly #dispatch: Effect.Effect<void>
  /** Whether entries of other processes are seen as they are written. */
  isFollowing = false

  constructor(context: DaemonContext<Request, Event, E>, dispatch: Effect.Effect<void>) {
    this.#context = context
    this.#dispatch = dispatch
  }

  readonly catchUp: Effect.Effect<void, JournalError> = Effect.suspend(() => {
    const { branch, journal, requests } = this.#context
    const read = Effect.suspend(() =>
      journal.read({ after: requests.cursor, filter: filterOf(branch), maxEntries: batch })
    )
    const step: Effect.Effect<void, JournalError> = Effect.flatMap(
      read,
      (entries) => entries.length === 0 ? Effect.void : Effect.andThen(this.#absorb(entries), step),
    )
    return step
  })

  readonly follow: Effect.Effect<never, JournalError> = Effect.suspend(() => {
    const { branch, journal, requests } = this.#context
    const tail = Stream.suspend(() => {
      this.isFollowing = true
      return journal.tail({ after: requests.cursor, filter: filterOf(branch) })
    })
    const once = Effect.andThen(
      this.#refill,
      Stream.runForEachArray(tail, (entries) => Effect.andThen(this.#absorb(entries), this.#refill)),
    )
    const again = (error: JournalError): Effect.Effect<void, JournalError> => {
      this.isFollowing = false
      if (error.reason._tag === "Pruned") {
        requests.cursor = Math.max(requests.cursor, error.reason.through)
        return Effect.void
      }
      if (isHopeless(error)) return Effect.fail(error)
      return Effect.andThen(Effect.logWarning(`branch ${branch.name}: ${error.message}`), Effect.sleep(retryDelay))
    }
    return Effect.forever(Effect.catch(once, again))
  })

  /** Reads the requests for which there was no room before, as many as fit now. */
  readonly #refill: Effect.Effect<void, JournalError> = Effect.suspend(() => {
    const { overload, requests } = this.#context
    if (requests.behind === undefined) return this.#dispatch
    if (requests.room <= 0) {
      overload.open()
      return this.#dispatch
    }
    return Effect.andThen(this.#comeBack(requests.behind), Effect.suspend(() => this.#refill))
  })

  #comeBack(after: number): Effect.Effect<void, JournalError> {
    const { branch, journal, requests } = this.#context
    const tags = [...branchEntryTags, ...branch.lastTags]
    return Effect.gen(function* () {
      const maxEntries = Math.min(requests.room, batch)
      const found = yield* journal.read({
        after,
        filter: { branch: branch.name, tags: branch.request.tags },
        maxEntries,
      })
      for (const request of found) {
        // Later requests are not applied yet; the tail will deliver them.
        if (request.position > requests.cursor) break
        const { correlationId, position } = request
        const filter = { branch: branch.name, correlationId, tags }
        const newest = yield* journal.readBackward({ filter, maxEntries: lateLimit })
        requests.applyLate(request, newest.filter((entry) => entry.position > position).reverse())
      }
      if ((found.at(-1)?.position ?? Infinity) > requests.cursor || found.length < maxEntries) {
        requests.behind = undefined
      }
    })
  }

  #absorb(entries: ReadonlyArray<Entry>): Effect.Effect<void> {
    const { branch, id, leaseSeen, requests, leaseActivity, active } = this.#context
    const consequences: Array<Effect.Effect<void>> = []
    for (const entry of entries) {
      requests.apply(entry)
      const work = active.get(entry.correlationId)
      if (work === undefined || entry.position < work.request.position) continue
      const decoded = decodeBranchEntry(branch, entry)
      if (decoded?._tag === "LeaseTaken" && entry.position > (work.lease ?? Infinity)) {
        if (decoded.daemonId !== id && work.execution !== undefined) consequences.push(work.execution.lose)
      }
      if (decoded?._tag === "CancelRequested" && work.execution !== undefined) {
        consequences.push(work.execution.cancel(decoded))
      }
    }
    if (requests.isLeased) {
      leaseActivity.open()
      leaseSeen.open()
    }
    return consequences.length === 0 ? Effect.void : Effect.all(consequences, { discard: true })
  }
}
