/** Deletes pruned entries from a SQLite file in the background, in small transactions. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Connection } from "./Connection.ts"
import { isBusy } from "../../../sql/sqliteResult.ts"
import { prunedThrough } from "./schema.ts"
import { truncateWal } from "./SqliteWriter.ts"

/** Target duration of one slice, which blocks the event loop and other processes that write. */
const sliceMillis = 8

const minPositions = 32
const maxPositions = 65_536

const slicePages = 64

const busyPauseMillis = 10

/** Maximum time that closing waits for a deletion in progress. The next store that opens the file does the rest. */
const maxCloseMillis = 10_000

const doomed = "position <= min(?, (SELECT position FROM entries ORDER BY position LIMIT 1) + ?)"

export const hasPrunedEntries = (connection: Connection): boolean =>
  connection.number("SELECT cleaned < removed FROM meta") !== 0

/**
 * Deletes pruned entries and returns free pages to the file system. Yields after each slice, which is a transaction, so
 * that neither the event loop nor another process waits longer than one slice. Throws SQLite's errors; it can be
 * restarted afterwards.
 */
export const deletePrunedEntries = function* (connection: Connection): Generator<void> {
  const through = prunedThrough(connection)
  let positions = 256
  for (let isMore = true; isMore;) {
    // Measures the machine, so it does not use Effect's Clock.
    const start = performance.now()
    isMore = connection.write(() => {
      connection.run(`DELETE FROM entries WHERE ${doomed}`, through, positions - 1)
      return connection.number("SELECT changes()") > 0
    })
    const millis = performance.now() - start
    if (millis < sliceMillis / 2) positions = Math.min(positions * 2, maxPositions)
    else if (millis > sliceMillis) positions = Math.max(positions >> 1, minPositions)
    yield
  }
  const countFreePages = (): number => connection.number("PRAGMA freelist_count")
  for (let free = countFreePages(), before = Infinity; free > 0 && free < before;) {
    connection.exec(`PRAGMA incremental_vacuum(${slicePages})`)
    before = free
    free = countFreePages()
    yield
  }
  connection.write(() => connection.run("UPDATE meta SET cleaned = max(cleaned, ?)", through))
  // The log must not hold the deleted entries either.
  truncateWal(connection)
}

export interface PruneWorker {
  /** Starts the worker; if it is running, makes it run once more. */
  readonly start: Effect.Effect<void>
}

/**
 * Makes the worker of a store. When the Scope closes, a deletion in progress is finished first, unless it takes more
 * than 10 seconds, so that a program which prunes and ends has pruned the file.
 */
export const makePruneWorker = (connect: () => Connection): Effect.Effect<PruneWorker, never, Scope.Scope> => {
  let running: Fiber.Fiber<void> | undefined
  let isRequested = false
  let isPausing = false
  let closingSince: number | undefined

  const pause: Effect.Effect<void> = Effect.suspend(() => {
    isPausing = true
    return Effect.ensuring(Effect.sleep(busyPauseMillis), Effect.sync(() => isPausing = false))
  })

  const deleteAll = (connection: Connection): Effect.Effect<void> => {
    let slices = deletePrunedEntries(connection)
    const next: Effect.Effect<void> = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (closingSince !== undefined && now - closingSince > maxCloseMillis) return Effect.void
      try {
        return slices.next().done === true ? Effect.void : Effect.andThen(Effect.yieldNow, next)
      } catch (error) {
        // Any other error ends the deletion; the next store that opens the file resumes it.
        if (!isBusy(error) || closingSince !== undefined) return Effect.void
        slices = deletePrunedEntries(connection)
        return Effect.andThen(pause, next)
      }
    })
    return next
  }

  const run: Effect.Effect<void> = Effect.suspend(() => {
    isRequested = false
    return Effect.acquireUseRelease(
      Effect.try({ try: connect, catch: () => undefined }),
      deleteAll,
      (connection) => Effect.sync(() => connection.close()),
    )
  }).pipe(
    Effect.ignore,
    Effect.andThen(Effect.suspend(() => isRequested ? run : Effect.void)),
  )

  const start: Effect.Effect<void> = Effect.suspend(() => {
    isRequested = true
    if (running !== undefined || closingSince !== undefined) return Effect.void
    // A transaction is uninterruptible when it starts this; closing has to be able to interrupt it.
    const fiber = Effect.interruptible(Effect.ensuring(run, Effect.sync(() => running = undefined)))
    return Effect.map(Effect.forkDetach(fiber), (forked) => {
      running = forked
    })
  })

  return Effect.as(
    Effect.addFinalizer(() =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        closingSince = now
        if (running === undefined) return Effect.void
        return isPausing ? Fiber.interrupt(running) : Effect.asVoid(Fiber.await(running))
      })
    ),
    { start },
  )
}
