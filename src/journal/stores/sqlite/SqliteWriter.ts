/** Writes transactions on one SQLite connection. */
import type { Head, Position, Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Durability } from "../../JournalStore.ts"
import type { Connection } from "./Connection.ts"
import type { Cell } from "../../../sql/nodeSqlite.ts"
import { readHead } from "./scan.ts"
import { checkVersion } from "./schema.ts"
import { MarkBuilder } from "./sparseIndex.ts"

/** Approximate bytes written between two checks of the length of the write-ahead log. */
const walCheckBytes = 16 * 1024 * 1024

const stripBatch = 1_024

const rowOverheadBytes = 100

/** Rows of one statement: a call of the driver costs about as much as a row. */
const batchRows = 16

const insertStatement = (count: number): string =>
  `INSERT INTO entries (position, marks, time, branch, correlation_id, tag, version, hash, body)
    VALUES ${Array.from({ length: count }, () => "(?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`

const insertOne = insertStatement(1)
const insertBatch = insertStatement(batchRows)

/**
 * Inserts rows, several with one statement. Reset `marks` if its rows were rolled back, or if rows of others came in
 * between.
 */
export const insertRows = (connection: Connection, marks: MarkBuilder, rows: ReadonlyArray<Row>): void => {
  const batched = rows.length - rows.length % batchRows
  let cells: Array<Cell> = []
  let count = 0
  for (const row of rows) {
    const { body, branch, correlationId, hash, position, tag, time, version } = row
    cells.push(position, marks.marksOf(row), time, branch, correlationId, tag, version, hash, body)
    count++
    if (count <= batched && count % batchRows !== 0) continue
    connection.run(count <= batched ? insertBatch : insertOne, ...cells)
    cells = []
  }
}

export interface CommitResult {
  /** Entries were pruned, and have to be deleted from the file. */
  readonly removed: boolean
  /** Bodies were emptied, and the write-ahead log may still hold them. */
  readonly stripped: boolean
  /** So much was written that the write-ahead log may be long. */
  readonly isWalDue: boolean
}

/** Writes one transaction at a time. Its methods throw SQLite's errors, or a {@link JournalError}. */
export class SqliteWriter {
  readonly connection: Connection
  readonly #path: string
  readonly #marks = new MarkBuilder()
  #isFull = false
  #bytes = 0
  #next: Position = 1
  #removed = false
  #stripped = false

  constructor(connection: Connection, path: string) {
    this.connection = connection
    this.#path = path
  }

  /** Begins a transaction and returns the head; throws `SQLITE_BUSY` while another connection writes. */
  begin(durability: Durability): Head {
    const isFull = durability === "disk"
    if (isFull !== this.#isFull) {
      // With FULL a commit waits until the write-ahead log is on the disk. The setting cannot be changed within a
      // transaction.
      this.connection.exec(`PRAGMA synchronous = ${isFull ? "FULL" : "NORMAL"}`)
      this.#isFull = isFull
    }
    this.connection.run("BEGIN IMMEDIATE")
    try {
      this.#removed = false
      this.#stripped = false
      // Another process may have changed the layout since.
      checkVersion(this.connection.number("PRAGMA user_version"), this.#path)
      const head = readHead(this.connection)
      // Another process has appended, and the rows that it marked are unknown to this one.
      if (head.position + 1 !== this.#next) this.#marks.reset()
      this.#next = head.position + 1
      return head
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  insert(rows: ReadonlyArray<Row>): void {
    for (const { body, position } of rows) {
      if (position !== this.#next) {
        throw JournalError.because(
          { _tag: "Failed" },
          `journal: nothing was written to ${this.#path}: entry ${position} does not follow entry ${this.#next - 1}`,
        )
      }
      this.#next++
      this.#bytes += body.length + rowOverheadBytes
    }
    insertRows(this.connection, this.#marks, rows)
  }

  /** Hides the entries up to a position from every reader; they are deleted later, in small transactions. */
  removeThrough(position: Position): void {
    this.connection.run("UPDATE meta SET removed = max(removed, ?)", position)
    this.#removed = true
  }

  /** Empties the bodies at the first of the ascending positions; returns how many positions it has handled. */
  strip(positions: ReadonlyArray<Position>): number {
    // Overwrites the old bodies with zeros.
    this.connection.exec("PRAGMA secure_delete = ON")
    try {
      this.#stripped = true
      const batch = positions.slice(0, stripBatch)
      const list = JSON.stringify(batch)
      this.connection.run("UPDATE entries SET body = '' WHERE position IN (SELECT value FROM json_each(?))", list)
      return batch.length
    } finally {
      this.connection.exec("PRAGMA secure_delete = FAST")
    }
  }

  commit(): CommitResult {
    try {
      this.connection.run("COMMIT")
    } catch (error) {
      this.rollback()
      throw error
    }
    const isWalDue = this.#bytes > walCheckBytes
    if (isWalDue) this.#bytes = 0
    return { removed: this.#removed, stripped: this.#stripped, isWalDue }
  }

  rollback(): void {
    this.#marks.reset()
    this.connection.rollback()
  }

  close(): void {
    this.connection.close()
  }
}

/** Moves the write-ahead log into the file and empties it, unless another connection reads from it. */
export const truncateWal = (connection: Connection): void => {
  connection.row("PRAGMA wal_checkpoint(TRUNCATE)")
}
