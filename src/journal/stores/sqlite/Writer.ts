/**
 * The transactions of one connection that writes.
 *
 * @module
 */
import { type Head, noHash, type Position, type Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Durability } from "../../JournalStore.ts"
import { Inserter } from "./Inserter.ts"
import { checkLayout, layoutOf } from "./layout.ts"
import { Reader } from "./Reader.ts"
import { emptyBodies } from "./rewriting.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import { beginQuery, generationQuery } from "./queries.ts"

/** Bytes that are written, about, before it is looked how long the write-ahead log has become. */
const checkAfter = 16 * 1024 * 1024

/** What a row takes beside its body, about. */
const rowBytes = 100

const outOfPlace = (position: Position, next: Position, path: string): JournalError =>
  JournalError.because(
    { _tag: "Failed" },
    `journal: nothing was written to ${path}: an entry was to stand at ${position} where ${next} comes next`,
  )

/** What a transaction did that does not end with it. */
export interface Committed {
  /** Entries are gone, and their place in the file is to be cleaned. */
  readonly removed: boolean
  /** Bodies are gone, and the write-ahead log may still hold them. */
  readonly stripped: boolean
  /** It is time to look how long the write-ahead log is. */
  readonly long: boolean
}

/** Writes on one connection, one transaction at a time. Everything here throws what SQLite says. */
export class Writer {
  readonly reader: Reader
  readonly #connection: Connection
  readonly #inserter: Inserter
  readonly #path: string
  #full = false
  #generation: number | undefined
  #bytes = 0
  #next = 1
  #removed = false
  #stripped = false

  constructor(connection: Connection, path: string) {
    this.#connection = connection
    this.#path = path
    this.reader = new Reader(connection)
    this.#inserter = new Inserter(connection, this.reader.names)
  }

  get inTransaction(): boolean {
    return this.#connection.inTransaction
  }

  /** Begins; throws that it is busy while somebody else writes. Answers with where the journal ends. */
  begin(durability: Durability): Head {
    const full = durability === "disk"
    if (full !== this.#full) {
      // With FULL a commit waits until the disk has the write-ahead log; it cannot be changed within a transaction.
      this.#connection.exec(`PRAGMA synchronous = ${full ? "FULL" : "NORMAL"}`)
      this.#full = full
    }
    this.#connection.run("BEGIN IMMEDIATE")
    try {
      this.#removed = false
      this.#stripped = false
      const head = this.#head()
      this.#next = head.position + 1
      return head
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  /** Where the journal ends, and with the same question whether what is remembered still holds. */
  #head(): Head {
    const found = this.#connection.row(beginQuery)
    const generation = found === undefined ? this.#connection.number(generationQuery) : numberAt(found, 0)
    // Somebody has removed names, or brought the file to another layout.
    if (generation !== this.#generation) {
      checkLayout(layoutOf(this.#connection), this.#path)
      this.#forget()
      this.#generation = generation
    }
    return found === undefined
      ? { position: 0, hash: noHash }
      : { position: numberAt(found, 1), hash: textAt(found, 2) }
  }

  #forget(): void {
    this.reader.names.clear()
    this.#inserter.clear()
  }

  /** Adds rows; each must be the one that comes next. */
  insert(rows: ReadonlyArray<Row>): void {
    for (const { body, position } of rows) {
      if (position !== this.#next) throw outOfPlace(position, this.#next, this.#path)
      this.#next++
      this.#bytes += body.length + rowBytes
    }
    this.#inserter.insert(rows)
  }

  /** Entries up to a position are gone for everybody who reads; their place is cleaned later, a little at a time. */
  removeThrough(position: Position): void {
    this.#connection.run("UPDATE meta SET removed = max(removed, ?)", position)
    this.#removed = true
  }

  /** Empties bodies at positions that ascend; answers with how many it has dealt with, and is called for the rest. */
  strip(positions: ReadonlyArray<Position>): number {
    // What is removed is overwritten with zeros, too.
    this.#connection.exec("PRAGMA secure_delete = ON")
    try {
      this.#stripped = true
      return emptyBodies(this.#connection, positions)
    } finally {
      this.#connection.exec("PRAGMA secure_delete = FAST")
    }
  }

  /** Keeps what was done; when that fails nothing is kept. */
  commit(): Committed {
    try {
      this.#connection.run("COMMIT")
    } catch (error) {
      this.rollback()
      throw error
    }
    const long = this.#bytes > checkAfter
    if (long) this.#bytes = 0
    return { removed: this.#removed, stripped: this.#stripped, long }
  }

  /** Ends the transaction; nothing of it is kept, here neither. */
  rollback(): void {
    this.#generation = undefined
    this.#forget()
    this.#connection.rollback()
  }

  /** Moves the write-ahead log into the file and empties it, if nobody reads from it. */
  checkpoint(): void {
    this.#connection.row("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
