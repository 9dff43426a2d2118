/**
 * The transactions of one connection that writes.
 *
 * @module
 */
import type { Head, Position, Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Durability } from "../../JournalStore.ts"
import { Inserter } from "./Inserter.ts"
import { checkVersion } from "./layout.ts"
import { Reader } from "./Reader.ts"
import type { Connection } from "./Connection.ts"

/** Bytes that are written, about, before it is looked how long the write-ahead log has become. */
const checkAfter = 16 * 1024 * 1024

/** Bodies that are emptied before others get their turn. */
const stripped = 1_024

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
  #bytes = 0
  #next = 1
  #removed = false
  #stripped = false

  constructor(connection: Connection, path: string) {
    this.#connection = connection
    this.#path = path
    this.reader = new Reader(connection)
    this.#inserter = new Inserter(connection)
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
      // Another process may have brought the file to a later layout.
      checkVersion(this.#connection.number("PRAGMA user_version"), this.#path)
      const head = this.reader.head()
      // Another process has appended since: what it marked is not known here.
      if (head.position + 1 !== this.#next) this.#inserter.clear()
      this.#next = head.position + 1
      return head
    } catch (error) {
      this.rollback()
      throw error
    }
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
      const some = positions.slice(0, stripped)
      this.#connection.run(
        "UPDATE entries SET body = '' WHERE position IN (SELECT value FROM json_each(?))",
        JSON.stringify(some),
      )
      return some.length
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
    this.#inserter.clear()
    this.#connection.rollback()
  }

  /** Moves the write-ahead log into the file and empties it, if nobody reads from it. */
  checkpoint(): void {
    this.#connection.row("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
