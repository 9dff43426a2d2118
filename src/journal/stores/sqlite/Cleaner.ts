/**
 * Takes out of the file what was removed from the journal, a little at a time.
 *
 * @module
 */
import { type Connection, numberAt } from "./Connection.ts"
import { removedQuery } from "./queries.ts"
import { correlationsBetween, cutSegment } from "./rewriting.ts"
import { blockOf, blockSize } from "./schema.ts"

/** Milliseconds that one slice is to take: the event loop stands still, and other processes cannot write. */
const sliceMillis = 8

/** Positions that one slice takes out, at least and at most. */
const fewestPositions = 32
const mostPositions = 65_536

/** Pages that one slice gives back. */
const pages = 128

/** Correlation ids that one slice looks at, at most, and index rows that it takes out. */
const names = 4_096

const goneSegments = `DELETE FROM segments WHERE last <=
  min(?1, (SELECT last FROM segments ORDER BY last LIMIT 1) + ?2)`

const firstSegment = "SELECT last FROM segments ORDER BY last LIMIT 1"

/** Of the block that is cut in two, too, where a correlation has no entry behind the cut. */
const goneCorrelationBlocks = `DELETE FROM correlation_blocks WHERE (correlation, block) IN (
  SELECT correlation, block FROM correlation_blocks WHERE correlation >= ?1 AND correlation < ?2
    AND (block < ?3 OR block = ?3 AND correlation NOT IN (SELECT value FROM json_each(?4)))
  LIMIT ${names})`

const goneCorrelations = `DELETE FROM correlations WHERE id >= ? AND id < ?
  AND NOT EXISTS (SELECT 1 FROM correlation_blocks WHERE correlation = correlations.id)`

const goneKindBlocks = `DELETE FROM kind_blocks WHERE (kind, block) IN (
  SELECT kind, block FROM kind_blocks WHERE kind = ? AND block < ? LIMIT ${names})`

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
  #correlation = 0
  #kinds: Array<number> = []

  constructor(connection: Connection) {
    this.#connection = connection
    this.#steps = [this.#begin, this.#entries, this.#correlations, this.#kindBlocks, this.#pages, this.#end]
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
    this.#correlation = this.#connection.number("SELECT ifnull(min(id), 0) FROM correlations")
    this.#kinds = this.#connection.rows("SELECT id FROM kinds").map((row) => numberAt(row, 0))
    return false
  }

  /** Whole segments go first, and then what is left of one that is cut in two. */
  readonly #entries: Step = () => {
    // The speed of the machine is measured here, and no time of the program.
    const start = performance.now()
    const more = this.#connection.write(() => {
      this.#connection.run(goneSegments, this.#removed, this.#positions - 1)
      const first = this.#connection.row(firstSegment)
      if (first !== undefined && numberAt(first, 0) <= this.#removed) return true
      cutSegment(this.#connection, this.#removed)
      return false
    })
    const took = performance.now() - start
    if (took < sliceMillis / 2) this.#positions = Math.min(this.#positions * 2, mostPositions)
    else if (took > sliceMillis) this.#positions = Math.max(this.#positions >> 1, fewestPositions)
    return more
  }

  /** The first block that is still there, perhaps in part. */
  get #block(): number {
    return blockOf(this.#removed + 1)
  }

  /** The index rows of blocks that are gone, and the correlation ids that have none left. */
  readonly #correlations: Step = () => {
    const last = this.#connection.number("SELECT ifnull(max(id), -1) FROM correlations")
    if (this.#correlation > last) return false
    const from = this.#correlation
    const to = from + names
    const block = this.#block
    const more = this.#connection.write(() => {
      // Whoever remembers what is gone must look again before writing.
      this.#connection.run("UPDATE meta SET generation = generation + 1")
      const left = correlationsBetween(this.#connection, this.#removed + 1, (block + 1) * blockSize - 1)
      this.#connection.run(goneCorrelationBlocks, from, to, block, JSON.stringify([...left].map(Number)))
      if (this.#connection.number("SELECT changes()") === names) return true
      this.#connection.run(goneCorrelations, from, to)
      return false
    })
    if (!more) this.#correlation = to
    return true
  }

  readonly #kindBlocks: Step = () => {
    const [kind] = this.#kinds
    if (kind === undefined) return false
    const more = this.#connection.write(() => {
      this.#connection.run(goneKindBlocks, kind, this.#block)
      return this.#connection.number("SELECT changes()") === names
    })
    if (!more) this.#kinds.shift()
    return true
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
