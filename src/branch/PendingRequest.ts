/** Tracks the lease, the attempt and the events of one request of a client. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Duration from "effect/Duration"
import { completeLater } from "../base/waits.ts"
import type { Draft, Entry, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { decodeBranchEntry, draftBranchEntry, type LeaseTaken } from "./BranchEntry.ts"
import { daemonEntryFilter } from "./DaemonContext.ts"
import { type Branch, decodeEventEntry, draftEvent } from "./BranchDefinition.ts"
import type { EndCause, MakeLastEvent } from "./EndCause.ts"
import type { HostIdentity } from "./HostIdentity.ts"
import { appendUnless } from "./LeaseHolder.ts"

export interface ClientSettings<Request, Event> {
  readonly id: string
  readonly host: HostIdentity
  readonly journal: JournalService
  readonly branch: Branch<Request, Event>
  readonly makeLastEvent: MakeLastEvent<Request, Event, never>
  readonly acceptMillis: number
  readonly queueMillis: number
  readonly closeTimeout: (request: Request) => Duration.Duration
}

/** An event with the number of its attempt. */
export interface AttemptEvent<Event> {
  readonly event: Event
  /** Counts the runs of the request from 1. Events of an earlier attempt belong to a run that was lost. */
  readonly attempt: number
}

/** The newest heartbeat of a daemon; the next one comes within `leaseMillis` while it runs any request. */
export interface DaemonSign {
  readonly position: Position
  readonly leaseMillis: number
}

export class PendingRequest<Request, Event> {
  readonly #settings: ClientSettings<Request, Event>
  readonly #request: Request
  readonly #correlationId: string
  cursor: Position
  /** The newest lease; `position` is that of the newest `LeaseTaken`, also one that cannot be read. */
  lease: { readonly position: Position; readonly leaseTaken: LeaseTaken } | undefined
  /** The newest `LeaseTaken` that cannot be read, before the first lease. */
  #unreadable: Position = 0
  readonly taken: Deferred.Deferred<void> = Deferred.makeUnsafe<void>()
  isOver = false
  isCancelled = false
  #attempt = 1

  constructor(settings: ClientSettings<Request, Event>, request: Request, position: Position) {
    this.#settings = settings
    this.#request = request
    this.#correlationId = settings.branch.correlationOf(request)
    this.cursor = position
  }

  /** Applies entries; returns their events up to the last one. */
  receive(entries: ReadonlyArray<Entry>): Result.Result<ReadonlyArray<AttemptEvent<Event>>, JournalError> {
    const { branch } = this.#settings
    const events: Array<AttemptEvent<Event>> = []
    for (const entry of entries) {
      if (this.isOver) break
      this.cursor = entry.position
      if (entry.tag === "LeaseTaken") {
        const decoded = decodeBranchEntry(branch, entry)
        if (decoded?._tag === "LeaseTaken") {
          this.lease = { position: entry.position, leaseTaken: decoded }
          completeLater(this.taken, Effect.void)
          this.#attempt = decoded.attempt
        } else if (this.lease === undefined) this.#unreadable = entry.position
        else this.lease = { ...this.lease, position: entry.position }
      }
      const event = decodeEventEntry(branch, entry)
      if (event === undefined) continue
      // Also when the event cannot be read.
      this.isOver = branch.lastTags.includes(entry.tag)
      if (Result.isFailure(event)) return Result.fail(event.failure)
      events.push({ event: event.success, attempt: this.#attempt })
    }
    return Result.succeed(events)
  }

  /** Ends the request if no daemon has taken it; `false` when one has, or it has ended. */
  withdraw(position: Position, ending: EndCause<never>): Effect.Effect<boolean, JournalError> {
    return this.#unless(Math.max(position, this.#unreadable), [], ending)
  }

  /** Ends the request in place of a lost daemon; `false` when another daemon was first, or it has ended. */
  endAsLost(lost: LeaseTaken, position: Position): Effect.Effect<boolean, JournalError> {
    const { branch, host, id } = this.#settings
    const { attempt } = lost
    // Takes a lease of the client's own, so that a daemon that was only slow appends nothing more.
    const lease: LeaseTaken = { _tag: "LeaseTaken", daemonId: id, host, attempt, leaseMillis: null }
    const ending: EndCause<never> = { _tag: "HostLost", lost, recovered: {}, attempts: attempt }
    return this.#unless(position, [draftBranchEntry(branch, this.#correlationId, lease)], ending)
  }

  requestCancel(by: string | undefined): Effect.Effect<void, JournalError> {
    const { branch, journal } = this.#settings
    const entry = { _tag: "CancelRequested" as const, ...(by === undefined ? undefined : { by }) }
    return Effect.asVoid(journal.append([draftBranchEntry(branch, this.#correlationId, entry)]))
  }

  /** The newest sign of life of a daemon, or of any daemon; `undefined` if there is none after a position. */
  newestSign(after: Position, daemon?: string): Effect.Effect<DaemonSign | undefined, JournalError> {
    const { branch, journal } = this.#settings
    const filter = daemonEntryFilter(branch, daemon, ["DaemonStarted", "DaemonAlive"])
    return Effect.map(journal.readBackward({ filter, maxEntries: 1 }), ([entry]) => {
      if (entry === undefined || entry.position <= after) return undefined
      const decoded = decodeBranchEntry(branch, entry)
      return {
        position: entry.position,
        leaseMillis: decoded !== undefined && "leaseMillis" in decoded ? decoded.leaseMillis ?? 0 : 0,
      }
    })
  }

  #unless(
    after: Position,
    before: ReadonlyArray<Draft>,
    ending: EndCause<never>,
  ): Effect.Effect<boolean, JournalError> {
    const { branch, journal, makeLastEvent } = this.#settings
    const target = { branch, journal, correlationId: this.#correlationId }
    const tags = ["LeaseTaken", ...branch.lastTags]
    return Effect.flatMap(
      makeLastEvent(this.#request, ending),
      (last) => appendUnless(target, [...before, draftEvent(branch, last)], after, tags),
    )
  }
}
