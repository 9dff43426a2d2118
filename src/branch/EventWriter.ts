/** Appends the events of one request under its lease, and retries while the journal cannot be reached. */
import * as Effect from "effect/Effect"
import { cappedBackoff } from "../base/cappedBackoff.ts"
import type { Draft } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { isTransient, type LeaseHolder } from "./LeaseHolder.ts"

export interface WriteOptions {
  readonly last: boolean
  /** Retries after every error but `Invalid` for as long as the lease is held; else only after a transient one. */
  readonly untilLeaseLost: boolean
}

/** Appends under a lease, and retries while the journal cannot be reached; the producer of the events waits. */
export class EventWriter {
  readonly #holder: LeaseHolder
  readonly #name: string
  lost = false
  ended = false
  failure: JournalError | undefined

  constructor(holder: LeaseHolder, name: string) {
    this.#holder = holder
    this.#name = name
  }

  /** Returns the error when a retry is of no use; `undefined` when the entries were written, or the lease is lost. */
  write(
    drafts: ReadonlyArray<Draft>,
    { last, untilLeaseLost }: WriteOptions,
  ): Effect.Effect<JournalError | undefined> {
    let hasWarned = false
    const warn = (error: JournalError): Effect.Effect<void> => {
      if (hasWarned) return Effect.void
      hasWarned = true
      return Effect.logWarning(`${this.#name} waits for the journal: ${error.message}`)
    }
    const mayRetry = (error: JournalError): boolean =>
      !this.lost && error.reason._tag !== "Invalid" && (untilLeaseLost || isTransient(error))
    return Effect.suspend(() => this.lost ? Effect.void : this.#append(drafts, last)).pipe(
      Effect.tapError((error) => mayRetry(error) ? warn(error) : Effect.void),
      Effect.retry({ schedule: cappedBackoff("100 millis", "2 seconds"), while: mayRetry }),
      Effect.as(undefined),
      Effect.catch((error) => Effect.succeed(this.lost ? undefined : error)),
    )
  }

  /** Uninterruptible: after an interruption it must be known whether the last event was written. */
  #append(drafts: ReadonlyArray<Draft>, last: boolean): Effect.Effect<void, JournalError> {
    return Effect.uninterruptible(
      this.#holder.append(drafts).pipe(
        Effect.tapError((error) => Effect.sync(() => void (this.failure = error))),
        Effect.map((isHeld) => {
          if (!isHeld) this.lost = true
          else if (last) this.ended = true
        }),
      ),
    )
  }
}
