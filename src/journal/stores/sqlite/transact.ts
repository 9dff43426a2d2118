/**
 * Begins, runs and ends transactions.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Durability, JournalStore } from "../../JournalStore.ts"
import type { Access } from "./Access.ts"
import type { Cleaning } from "./cleaning.ts"
import { makeTransaction } from "./transaction.ts"
import { attempt, whenFree } from "./waiting.ts"
import type { Committed } from "./Writer.ts"

/** Milliseconds after which it is looked again whether the file is still the one that was opened. */
const lookAgainMillis = 1_000

/** Bytes of write-ahead log from which on it is emptied as soon as nobody reads. SQLite begins anew at 4 MiB or so. */
const longLog = 64 * 1024 * 1024

/** Makes a store's `transact`. It suspends only while somebody else writes. */
export const transact = (access: Access, lockTimeoutMillis: number, cleaning: Cleaning): JournalStore["transact"] => {
  const writing = { tried: `nothing was written to ${access.path}`, path: access.path, lockTimeoutMillis }
  let looked = -Infinity

  const begin = (durability: Durability, now: number) => {
    const { writer } = access
    if (now - looked >= lookAgainMillis) {
      access.checkFile()
      looked = now
    }
    return writer.begin(durability)
  }

  /** What follows a commit. It may fail without harm: the next one does it. */
  const after = ({ long, removed, stripped }: Committed): Effect.Effect<void> => {
    try {
      // What was stripped is still in the log.
      if (stripped || (long && access.logBytes > longLog)) access.writer.checkpoint()
    } catch {
      // Somebody else holds it.
    }
    return removed ? cleaning.start : Effect.void
  }

  const rollback = (): void => {
    try {
      access.writer.rollback()
    } catch {
      // It was closed, and that rolled back.
    }
  }

  return (durability, work) =>
    Effect.uninterruptibleMask((restore) =>
      Clock.clockWith((clock) =>
        Effect.flatMap(
          whenFree(writing, () => begin(durability, clock.currentTimeMillisUnsafe()), restore),
          (head) => {
            const open = makeTransaction(access.writer, head, writing)
            return Effect.matchCauseEffect(restore(Effect.suspend(() => work(open.transaction))), {
              onFailure: (cause) => {
                open.end()
                rollback()
                return Effect.failCause(cause)
              },
              onSuccess: (value) => {
                open.end()
                const failure = open.failure()
                if (failure !== undefined) {
                  rollback()
                  return Effect.fail(failure)
                }
                return Effect.flatMap(
                  attempt(writing, () => access.writer.commit()),
                  (committed) => Effect.as(after(committed), value),
                )
              },
            })
          },
        )
      )
    )
}
