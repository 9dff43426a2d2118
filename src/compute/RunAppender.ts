/** Appends the events of one run to a journal, in order, across outages, and in groups that fit a bounded journal. */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Semaphore from "effect/Semaphore"
import { draftEvent } from "../branch/BranchDefinition.ts"
import { isTransient, type LeaseTarget } from "../branch/LeaseHolder.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { Draft, Position } from "../journal/Entry.ts"
import type { AppendCondition, JournalService } from "../journal/JournalService.ts"
import { ComputeBranch, type ComputeEvent } from "./ComputeBranch.ts"
import { makeJournalFault } from "./makeJournalFault.ts"
import { retryAppend } from "./retryAppend.ts"

/**
 * Entries of one append. Output that comes whole may be more than a bounded journal takes at once, though less than it
 * takes piece by piece.
 */
const maxEntriesAtOnce = 32

export class RunAppender {
  readonly #exec: ShellExec
  readonly #place: LeaseTarget
  readonly #outageMillis: number
  readonly #inTurn: <A, E>(append: Effect.Effect<A, E>) => Effect.Effect<A, E>
  #isOpen = false
  #last: Position = 0

  /** `isShared`: input is appended concurrently with the output. */
  constructor(exec: ShellExec, journal: JournalService, outageMillis: number, isShared: boolean) {
    this.#exec = exec
    this.#place = { journal, branch: ComputeBranch, correlationId: exec.commandId }
    this.#outageMillis = outageMillis
    this.#inTurn = isShared ? Semaphore.makeUnsafe(1).withPermits(1) : identity
  }

  /** Whether the request is in the journal, and the last event is not. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Appends the request and the lease. Returns the position of the request. */
  begin(drafts: ReadonlyArray<Draft>, condition: AppendCondition | undefined): Effect.Effect<Position, ShellFault> {
    return Effect.map(
      Effect.mapError(
        this.#place.journal.append(drafts, { condition }),
        (error) => makeJournalFault(this.#exec, error, false),
      ),
      (positions) => {
        this.#isOpen = true
        this.#last = positions.at(-1) ?? 0
        return positions[0] ?? 0
      },
    )
  }

  append(events: ReadonlyArray<ComputeEvent>): Effect.Effect<void, ShellFault> {
    return this.#inTurn(this.appendNow(events))
  }

  /** Appends an event unless the run has ended. */
  appendIfOpen(event: ComputeEvent): Effect.Effect<void, ShellFault> {
    return this.#inTurn(
      Effect.suspend(() => this.#isOpen ? Effect.uninterruptible(this.#appendAll([event])) : Effect.void),
    )
  }

  /** Appends the events that end the run. */
  end(events: ReadonlyArray<ComputeEvent>): Effect.Effect<void, ShellFault> {
    return Effect.uninterruptible(Effect.suspend(() => {
      this.#isOpen = false
      return this.append(events)
    }))
  }

  /** Appends events, and does not wait for those that are appended beside them. */
  appendNow(events: ReadonlyArray<ComputeEvent>): Effect.Effect<void, ShellFault> {
    if (events.length === 0) return Effect.void
    if (events.length > maxEntriesAtOnce) return this.#appendParts(maxEntriesAtOnce, events)
    if (events.length === 1) return this.#appendAll(events)
    // A small journal that prunes itself has room for some of the entries at a time, but not for all at once.
    return Effect.catchIf(
      this.#appendAll(events),
      ({ reason }) => reason._tag === "JournalFailed" && reason.what === "Full",
      () => this.#appendParts(Math.ceil(events.length / 2), events),
    )
  }

  #appendParts(count: number, events: ReadonlyArray<ComputeEvent>): Effect.Effect<void, ShellFault> {
    return Effect.andThen(
      this.appendNow(events.slice(0, count)),
      Effect.suspend(() => this.appendNow(events.slice(count))),
    )
  }

  #appendAll(events: ReadonlyArray<ComputeEvent>): Effect.Effect<void, ShellFault> {
    const drafts = events.map((event) => draftEvent(ComputeBranch, event))
    const note = (position: Position): void => void (this.#last = position)
    return Effect.catch(
      Effect.map(this.#place.journal.append(drafts), (positions) => note(positions.at(-1) ?? this.#last)),
      (error) => {
        const retried = isTransient(error)
          ? Effect.map(retryAppend(this.#place, this.#last, drafts, error, this.#outageMillis), note)
          : Effect.fail(error)
        return Effect.mapErrorEager(retried, (failed) => makeJournalFault(this.#exec, failed, true))
      },
    )
  }
}
