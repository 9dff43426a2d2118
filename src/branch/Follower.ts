/**
 * How a daemon learns what the journal says of its branch.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Entry } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { branchEntryOf, branchTags } from "./BranchEntry.ts"
import type { DaemonContext } from "./DaemonContext.ts"
import { type LedgerBranch, ledgerTags } from "./Ledger.ts"

/** Entries of one look back. */
const batch = 500

/** What is read at most of one request that was left in the journal: leases and wishes to cancel, the newest. */
const lateLimit = 100

/** Time between tries to follow a journal that cannot be followed. */
const pause = "1 second"

/** Errors after which nothing can be followed any more, until somebody repairs it. */
const isHopeless = ({ reason }: JournalError): boolean =>
  ["Closed", "Corrupt", "TooNew", "Missing", "Invalid"].includes(reason._tag)

const filterOf = (branch: LedgerBranch) => ({ branch: branch.name, tags: ledgerTags(branch) })

/** Takes what a journal says into the ledger. */
export class Follower<Request, Event, E> {
  readonly #context: DaemonContext<Request, Event, E>
  readonly #dispatch: Effect.Effect<void>
  /** Whether it sees what others write, as it is written. */
  following = false

  /** `dispatch` is called whenever there may be something to do. */
  constructor(context: DaemonContext<Request, Event, E>, dispatch: Effect.Effect<void>) {
    this.#context = context
    this.#dispatch = dispatch
  }

  /** Reads on to the end of the journal. */
  readonly catchUp: Effect.Effect<void, JournalError> = Effect.suspend(() => {
    const { branch, journal, ledger } = this.#context
    const read = Effect.suspend(() => journal.read({ after: ledger.cursor, filter: filterOf(branch), limit: batch }))
    const step: Effect.Effect<void, JournalError> = Effect.flatMap(
      read,
      (entries) => entries.length === 0 ? Effect.void : Effect.andThen(this.#absorb(entries), step),
    )
    return step
  })

  /** Follows, until nothing can be followed any more. */
  readonly follow: Effect.Effect<never, JournalError> = Effect.suspend(() => {
    const { branch, journal, ledger } = this.#context
    const tail = Stream.suspend(() => {
      this.following = true
      return journal.tail({ after: ledger.cursor, filter: filterOf(branch) })
    })
    const once = Effect.andThen(
      this.#refill,
      Stream.runForEachArray(tail, (entries) => Effect.andThen(this.#absorb(entries), this.#refill)),
    )
    const again = (error: JournalError): Effect.Effect<void, JournalError> => {
      this.following = false
      if (error.reason._tag === "Pruned") {
        ledger.cursor = Math.max(ledger.cursor, error.reason.through)
        return Effect.void
      }
      if (isHopeless(error)) return Effect.fail(error)
      return Effect.andThen(Effect.logWarning(`branch ${branch.name}: ${error.message}`), Effect.sleep(pause))
    }
    return Effect.forever(Effect.catch(once, again))
  })

  /** Comes back to requests for which there was no room. */
  readonly #refill: Effect.Effect<void, JournalError> = Effect.suspend(() => {
    const { ledger, settings } = this.#context
    if (ledger.behind === undefined || ledger.room < settings.maxOpen / 2) return this.#dispatch
    return Effect.andThen(this.#comeBack(ledger.behind), Effect.suspend(() => this.#refill))
  })

  #comeBack(after: number): Effect.Effect<void, JournalError> {
    const { branch, journal, ledger } = this.#context
    const tags = [...branchTags, ...branch.lastTags]
    return Effect.gen(function* () {
      const limit = Math.min(ledger.room, batch)
      const requests = yield* journal.read({ after, filter: { branch: branch.name, tags: branch.request.tags }, limit })
      for (const request of requests) {
        // What comes after has not been seen by the ledger: it will bring its requests itself.
        if (request.position > ledger.cursor) break
        const { correlationId, position } = request
        const filter = { branch: branch.name, correlationId, tags }
        const newest = yield* journal.readBackward({ filter, limit: lateLimit })
        ledger.applyLate(request, newest.filter((entry) => entry.position > position).reverse())
      }
      if ((requests.at(-1)?.position ?? Infinity) > ledger.cursor || requests.length < limit) ledger.behind = undefined
    })
  }

  #absorb(entries: ReadonlyArray<Entry>): Effect.Effect<void> {
    const { branch, id, leased, ledger, stirred, works } = this.#context
    const consequences: Array<Effect.Effect<void>> = []
    for (const entry of entries) {
      ledger.apply(entry)
      const work = works.get(entry.correlationId)
      if (work === undefined || entry.position < work.open.position) continue
      const said = branchEntryOf(branch, entry)
      if (entry.tag === "LeaseTaken" && entry.position > (work.lease ?? Infinity)) {
        const own = said?._tag === "LeaseTaken" && said.daemonId === id
        if (!own && work.answering !== undefined) consequences.push(work.answering.lose)
      }
      if (said?._tag === "CancelRequested" && work.answering !== undefined) {
        consequences.push(work.answering.cancel(said))
      }
    }
    if (ledger.isLeased) {
      stirred.openUnsafe()
      leased.openUnsafe()
    }
    return consequences.length === 0 ? Effect.void : Effect.all(consequences, { discard: true })
  }
}
