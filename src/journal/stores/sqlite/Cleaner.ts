/**
 * Takes out of the file what was removed from the journal, a little at a time.
 *
 * @module
 */
import type { Connection } from "./Connection.ts"
import { removedQuery } from "./queries.ts"

/** Milliseconds that one slice is to take: the event loop stands still, and other processes cannot write. */
const sliceMillis = 8

/** Positions that one slice takes out, at least and at most. */
const fewestPositions = 32
const mostPositions = 65_536

/** Pages that one slice gives back. */
const pages = 128

const goneEntries = `DELETE FROM entries WHERE position <=
  min(?, (SELECT position FROM entries ORDER BY position LIMIT 1) + ?)`

/** Each does one slice of its work, and says whether there is more of it. */
type Step = () => boolean

/**
 * Cleans a file in slices, each a transaction of its own, so that neither the event loop nor another process waits for
 * more than one. What was interrupted is taken up by the next who opens the file. Everything here throws what SQLite
 * says; a slice that was busy is run again.
 */
export class Cleaner {
  readonly #connection: Connection
  readonly #steps: Array<Step>
  #positions = 256
  #removed = 0

  constructor(connection: Connection) {
    this.#connection = connection
    this.#steps = [this.#begin, this.#entries, this.#pages, this.#end]
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

  readonly #begin: Step = () => {
    this.#removed = this.#connection.number(removedQuery)
    return false
  }

  /** A few more each time, as long as that is quick; SQLite takes them out of the indexes. */
  readonly #entries: Step = () => {
    // The speed of the machine is measured here, and no time of the program.
    const start = performance.now()
    const more = this.#connection.write(() => {
      this.#connection.run(goneEntries, this.#removed, this.#positions - 1)
      return this.#connection.number("SELECT changes()") > 0
    })
    const took = performance.now() - start
    if (took < sliceMillis / 2) this.#positions = Math.min(this.#positions * 2, mostPositions)
    else if (took > sliceMillis) this.#positions = Math.max(this.#positions >> 1, fewestPositions)
    return more
  }

  /** Pages that are free go back to the file system; those behind them move to where they were. */
  readonly #pages: Step = () => {
    const free = this.#connection.number("PRAGMA freelist_count")
    if (free === 0) return false
    this.#connection.exec(`PRAGMA incremental_vacuum(${pages})`)
    return this.#connection.number("PRAGMA freelist_count") < free
  }

  readonly #end: Step = () => {
    this.#connection.write(() => this.#connection.run("UPDATE meta SET cleaned = max(cleaned, ?)", this.#removed))
    // What was removed is not to be found in the log either.
    this.#connection.row("PRAGMA wal_checkpoint(TRUNCATE)")
    return false
  }
}

/** Whether a file holds entries that were removed. */
export const needsCleaning = (connection: Connection): boolean =>
  connection.number("SELECT cleaned < removed FROM meta") !== 0
