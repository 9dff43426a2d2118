/** Wraps one SQLite connection with cached prepared statements and transactions, and reads typed cells of its rows. */
import { JournalError } from "../../JournalError.ts"
import type { Cell, Cells, Database, Statement } from "../../../sql/nodeSqlite.ts"

const wrongType = (): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what: "a cell of the wrong type" },
    "journal: nothing was read: a cell of the file is of the wrong type",
  )

export const numberAt = (cells: Cells, index: number): number => {
  const cell = cells[index]
  if (typeof cell === "number") return cell
  throw wrongType()
}

export const textAt = (cells: Cells, index: number): string => {
  const cell = cells[index]
  if (typeof cell === "string") return cell
  throw wrongType()
}

/** An open connection. Its methods throw SQLite's errors. */
export class Connection {
  readonly #database: Database
  readonly #statements = new Map<string, Statement>()

  constructor(database: Database) {
    this.#database = database
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      statement.setReturnArrays(true)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** Runs a statement; the prepared statement is kept. */
  run(sql: string, ...values: ReadonlyArray<Cell>): void {
    this.#prepare(sql).run(...values)
  }

  row(sql: string, ...values: ReadonlyArray<Cell>): Cells | undefined {
    return this.#prepare(sql).get(...values)
  }

  number(sql: string, ...values: ReadonlyArray<Cell>): number {
    return numberAt(this.row(sql, ...values) ?? [], 0)
  }

  rows(sql: string, ...values: ReadonlyArray<Cell>): ReadonlyArray<Cells> {
    return this.#prepare(sql).all(...values)
  }

  /** Runs statements without keeping them prepared. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  /** Rolls back the open transaction, unless SQLite has done so already. */
  rollback(): void {
    if (this.inTransaction) this.run("ROLLBACK")
  }

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

  /** Runs `work` on one snapshot of the file, within the open transaction or in one of its own. */
  read<A>(work: () => A): A {
    if (this.inTransaction) return work()
    this.run("BEGIN")
    try {
      return work()
    } finally {
      // Nothing was written, and unlike a commit a rollback cannot fail.
      this.rollback()
    }
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }
}
