/**
 * Takes out of the file what was removed from the journal, a little at a time.
 *
 * @module
 */
import type { Connection } from "./Connection.ts"
import { removedQuery } from "./queries.ts"
import { blockOf } from "./schema.ts"

/** Milliseconds that one slice is to take: the event loop stands still, and other processes cannot write. */
const sliceMillis = 8

const smallest = 32
const largest = 16_384

/** Pages that one slice gives back. */
const pages = 128

/** Correlation ids that one slice looks at. */
const correlations = 4_096

const removedEntries = `DELETE FROM entries WHERE position <=
  min((SELECT removed FROM meta), (SELECT position FROM entries ORDER BY position LIMIT 1) + ?)`

/**
 * Cleans a file in slices, each a transaction of its own, so that neither the event loop nor another process waits for
 * more than one. What was interrupted is taken up by the next who opens the file. Everything here throws what SQLite
 * says; a slice that was busy is run again.
 */
export class Cleaner {
  readonly #connection: Connection
  readonly #steps: Array<() => boolean>
  #rows = 256
  #correlation = 0
  #removed = 0

  constructor(connection: Connection) {
    this.#connection = connection
    this.#steps = [this.#begin, this.#entries, this.#names, this.#pages, this.#end]
  }

  /** Runs one slice; whether there is more to do. */
  slice(): boolean {
    const step = this.#steps[0]
    if (step === undefined) return false
    if (!step()) this.#steps.shift()
    return this.#steps.length > 0
  }

  close(): void {
    this.#connection.close()
  }

  readonly #begin = (): boolean => {
    this.#removed = this.#connection.number(removedQuery)
    this.#correlation = this.#connection.number("SELECT ifnull(min(id), 0) FROM correlations")
    return false
  }

  readonly #entries = (): boolean => {
    // The speed of the machine is measured here, and no time of the program.
    const start = performance.now()
    const more = this.#connection.write(() => {
      this.#connection.run(removedEntries, this.#rows - 1)
      const first = this.#connection.row("SELECT position FROM entries ORDER BY position LIMIT 1")?.[0]
      return typeof first === "number" && first <= this.#connection.number(removedQuery)
    })
    const took = performance.now() - start
    if (took < sliceMillis / 2) this.#rows = Math.min(this.#rows * 2, largest)
    else if (took > sliceMillis) this.#rows = Math.max(this.#rows >> 1, smallest)
    return more
  }

  /** The index rows of blocks that are gone, and the correlation ids that have none left. */
  readonly #names = (): boolean => {
    const last = this.#connection.row("SELECT max(id) FROM correlations")?.[0]
    if (typeof last !== "number" || this.#correlation > last) {
      this.#connection.write(() =>
        this.#connection.run("DELETE FROM kind_blocks WHERE block < ?", blockOf(this.#removed + 1))
      )
      return false
    }
    const from = this.#correlation
    const to = from + correlations
    this.#connection.write(() => {
      const gone = blockOf(this.#removed + 1)
      this.#connection.run(
        "DELETE FROM correlation_blocks WHERE correlation >= ? AND correlation < ? AND block < ?",
        from,
        to,
        gone,
      )
      this.#connection.run(
        `DELETE FROM correlations WHERE id >= ? AND id < ?
          AND NOT EXISTS (SELECT 1 FROM correlation_blocks WHERE correlation = correlations.id)`,
        from,
        to,
      )
      // Whoever remembers a name that is gone must look again before writing.
      this.#connection.run("UPDATE meta SET generation = generation + 1")
    })
    this.#correlation = to
    return true
  }

  readonly #pages = (): boolean => {
    const free = this.#connection.number("PRAGMA freelist_count")
    if (free === 0) return false
    this.#connection.exec(`PRAGMA incremental_vacuum(${pages})`)
    return this.#connection.number("PRAGMA freelist_count") < free
  }

  readonly #end = (): boolean => {
    this.#connection.write(() => this.#connection.run("UPDATE meta SET cleaned = max(cleaned, ?)", this.#removed))
    // What was removed is not to be found in the log either.
    this.#connection.row("PRAGMA wal_checkpoint(TRUNCATE)")
    return false
  }
}

/** Whether a file holds entries that were removed. */
export const needsCleaning = (connection: Connection): boolean =>
  connection.number("SELECT cleaned < removed FROM meta") !== 0
