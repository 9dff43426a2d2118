/**
 * One connection to the file, with its statements prepared once.
 *
 * @module
 */
import { JournalError } from "../../JournalError.ts"
import type { Cell, Cells, Database, Statement } from "./driver.ts"

const malformed = (): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what: "a cell of the file" },
    "journal: it cannot be read: a cell of the file is not what is written there",
  )

/** The number in a cell; throws a {@link JournalError} when it is something else. */
export const numberAt = (cells: Cells, index: number): number => {
  const cell = cells[index]
  if (typeof cell === "number") return cell
  throw malformed()
}

/** The text in a cell; throws a {@link JournalError} when it is something else. */
export const textAt = (cells: Cells, index: number): string => {
  const cell = cells[index]
  if (typeof cell === "string") return cell
  throw malformed()
}

/** A connection. Everything here throws what SQLite says. */
export class Connection {
  readonly #database: Database
  readonly #statements = new Map<string, Statement>()

  constructor(database: Database) {
    this.#database = database
  }

  /** A statement, prepared once. */
  statement(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      statement.setReturnArrays(true)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** Whether a transaction is open. */
  get inTransaction(): boolean {
    return this.#database.isTransaction
  }

  /** Runs a statement that is prepared once. */
  run(sql: string, ...values: ReadonlyArray<Cell>): void {
    this.statement(sql).run(...values)
  }

  /** The first row. */
  row(sql: string, ...values: ReadonlyArray<Cell>): Cells | undefined {
    return this.statement(sql).get(...values)
  }

  /** The number in the first cell of the first row. */
  number(sql: string, ...values: ReadonlyArray<Cell>): number {
    return numberAt(this.row(sql, ...values) ?? [], 0)
  }

  /** All rows. */
  rows(sql: string, ...values: ReadonlyArray<Cell>): ReadonlyArray<Cells> {
    return this.statement(sql).all(...values)
  }

  /** Runs statements that are not worth keeping. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  /** Ends a transaction that failed; SQLite may have done so already. */
  rollback(): void {
    if (this.inTransaction) this.run("ROLLBACK")
  }

  /** Runs `work` as one transaction that writes. */
  write<A>(work: () => A): A {
    this.run("BEGIN IMMEDIATE")
    try {
      const result = work()
      this.run("COMMIT")
      return result
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  /** Runs `work` on one state of the file, in the transaction that is open or in one of its own. */
  read<A>(work: () => A): A {
    if (this.inTransaction) return work()
    this.run("BEGIN")
    try {
      return work()
    } finally {
      // Nothing was written: there is nothing to keep, and nothing that could fail to be kept.
      this.rollback()
    }
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }
}
