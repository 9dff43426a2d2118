/**
 * Deletes pruned entries from the database file in the background, and gives the free pages back to the file system.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Connection } from "./Connection.ts"
import { isBusy } from "./errors.ts"
import { prunedThrough } from "./schema.ts"
import { truncateWal } from "./SqliteWriter.ts"

/** The aim for one slice: it blocks the event loop, and other processes that write. */
const sliceMillis = 8

/** Positions that one slice deletes. */
const minPositions = 32
const maxPositions = 65_536

/** Pages that one slice gives back. */
const slicePages = 128

/** Milliseconds between two attempts while another connection writes. */
const busyPauseMillis = 10

/** How long closing waits for a deletion in progress. The next store that opens the file does the rest. */
const maxCloseMillis = 10_000

const deleteStatement = `DELETE FROM entries WHERE position <=
  min(?, (SELECT position FROM entries ORDER BY position LIMIT 1) + ?)`

/** Whether the file holds entries that were pruned. */
export const hasPrunedEntries = (connection: Connection): boolean =>
  connection.number("SELECT cleaned < removed FROM meta") !== 0

/**
 * Deletes pruned entries in slices, each a transaction of its own, so that neither the event loop nor another process
 * waits for more than one. Throws SQLite's errors; after `SQLITE_BUSY` the slice may be run again.
 */
export class PrunedEntryDeleter {
  readonly #connection: Connection
  #through: number | undefined
  #phase: "entries" | "pages" | "finish" | "done" = "entries"
  #positions = 256

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Runs one slice; returns whether there is more to do. */
  runSlice(): boolean {
    const through = this.#through ??= prunedThrough(this.#connection)
    switch (this.#phase) {
      case "entries":
        if (!this.#deleteSome(through)) this.#phase = "pages"
        return true
      case "pages":
        if (!this.#freePages()) this.#phase = "finish"
        return true
      case "finish":
        this.#connection.write(() => this.#connection.run("UPDATE meta SET cleaned = max(cleaned, ?)", through))
        // The log must not hold the deleted entries either.
        truncateWal(this.#connection)
        this.#phase = "done"
        return false
      case "done":
        return false
    }
  }

  /** Deletes as many entries as fit into the time of a slice; returns whether it found any. */
  #deleteSome(through: number): boolean {
    // Measures the machine, so not by Effect's Clock.
    const start = performance.now()
    const isMore = this.#connection.write(() => {
      this.#connection.run(deleteStatement, through, this.#positions - 1)
      return this.#connection.number("SELECT changes()") > 0
    })
    const millis = performance.now() - start
    if (millis < sliceMillis / 2) this.#positions = Math.min(this.#positions * 2, maxPositions)
    else if (millis > sliceMillis) this.#positions = Math.max(this.#positions >> 1, minPositions)
    return isMore
  }

  /** Cuts free pages off the file, after moving the pages behind them; returns whether that had an effect. */
  #freePages(): boolean {
    const free = this.#connection.number("PRAGMA freelist_count")
    if (free === 0) return false
    this.#connection.exec(`PRAGMA incremental_vacuum(${slicePages})`)
    return this.#connection.number("PRAGMA freelist_count") < free
  }
}

/** Deletes pruned entries when it is started. */
export interface PruneWorker {
  /** Starts, or runs once more if it is running. */
  readonly start: Effect.Effect<void>
}

/**
 * Makes the worker of a store. When the Scope closes, a deletion in progress is finished first, unless that takes more
 * than 10 seconds: so a program that prunes and ends has pruned the file.
 */
export const makePruneWorker = (connect: () => Connection): Effect.Effect<PruneWorker, never, Scope.Scope> => {
  let running: Fiber.Fiber<void> | undefined
  let isRequested = false
  let isPausing = false
  let closingSince: number | undefined

  /** Runs one slice. An error ends the deletion: the next store that opens the file takes it up. */
  const runSlice = (deleter: PrunedEntryDeleter, now: number): "more" | "busy" | "done" => {
    if (closingSince !== undefined && now - closingSince > maxCloseMillis) return "done"
    try {
      return deleter.runSlice() ? "more" : "done"
    } catch (error) {
      return isBusy(error) && closingSince === undefined ? "busy" : "done"
    }
  }

  const pause: Effect.Effect<void> = Effect.suspend(() => {
    isPausing = true
    return Effect.ensuring(Effect.sleep(busyPauseMillis), Effect.sync(() => isPausing = false))
  })

  const deleteAll = (connection: Connection): Effect.Effect<void> => {
    const deleter = new PrunedEntryDeleter(connection)
    const run: Effect.Effect<void> = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const state = runSlice(deleter, now)
      return state === "done" ? Effect.void : Effect.andThen(state === "busy" ? pause : Effect.yieldNow, run)
    })
    return run
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
