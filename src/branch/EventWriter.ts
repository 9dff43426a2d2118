/**
 * Appends the events of one request, and retries while the journal cannot be reached.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Draft } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { isTransient, type LeaseHolder } from "./LeaseHolder.ts"

/** What is written, and how much it matters. */
export interface WriteOptions {
  /** Whether the last event is among it. */
  readonly last: boolean
  /** Goes on whatever the journal says, as long as nobody else has the lease. */
  readonly untilLeaseLost: boolean
}

const firstWait = 100
const maxWait = 2_000

/** Appends under a lease, again and again while the journal cannot be reached; whoever produces waits. */
export class EventWriter {
  readonly #holder: LeaseHolder
  readonly #name: string
  /** Another has the lease. */
  lost = false
  /** The last event is in the journal. */
  ended = false
  /** What the journal said when it failed last. */
  failure: JournalError | undefined

  /** `name` is what the request is called in the log. */
  constructor(holder: LeaseHolder, name: string) {
    this.#holder = holder
    this.#name = name
  }

  /** Answers with the error when trying again is of no use; `undefined` when it was written, or the lease is lost. */
  write(
    drafts: ReadonlyArray<Draft>,
    { last, untilLeaseLost: stubborn }: WriteOptions,
  ): Effect.Effect<JournalError | undefined> {
    // One step: who is interrupted meanwhile must know whether the last event was written.
    const append = Effect.uninterruptible(Effect.map(Effect.result(this.#holder.append(drafts)), (kept) => {
      if (Result.isSuccess(kept)) {
        if (!kept.success) this.lost = true
        else if (last) this.ended = true
      } else this.failure = kept.failure
      return kept
    }))
    return Effect.gen({ self: this }, function* () {
      for (let wait = firstWait; !this.lost; wait = Math.min(2 * wait, maxWait)) {
        const kept = yield* append
        if (Result.isSuccess(kept)) return undefined
        const error = kept.failure
        if (error.reason._tag === "Invalid" || (!stubborn && !isTransient(error))) return error
        if (wait === firstWait) yield* Effect.logWarning(`${this.#name} waits for the journal: ${error.message}`)
        yield* Effect.sleep(wait)
      }
      return undefined
    })
  }
}
