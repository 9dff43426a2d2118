/**
 * Loads `node:sqlite` and the other built-in modules of the SQLite store, with types that hold on Deno, Bun and Node.
 *
 * Source: https://nodejs.org/docs/latest-v24.x/api/sqlite.html
 *
 * @module
 */
import type * as NodeFs from "node:fs"
import type * as NodeOs from "node:os"
import type * as NodePath from "node:path"
import type * as NodeUrl from "node:url"
import type * as NodeThreads from "node:worker_threads"
import { nodeBuiltins } from "../../../base/nodeBuiltins.ts"
import { JournalError } from "../../JournalError.ts"

/** A value that is bound to a parameter. */
export type Cell = null | number | string

/** The cells of a row, in the order of the query. */
export type Cells = ReadonlyArray<unknown>

/**
 * A prepared statement that returns rows as arrays. `iterate` is left out: on Deno it ends without an error at a damaged
 * page.
 */
export interface Statement {
  run(...values: ReadonlyArray<Cell>): unknown
  get(...values: ReadonlyArray<Cell>): Cells | undefined
  all(...values: ReadonlyArray<Cell>): ReadonlyArray<Cells>
  setReturnArrays(on: boolean): void
}

/** An open database. */
export interface Database {
  readonly isTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

interface DatabaseOptions {
  readonly readOnly?: boolean
  /** Milliseconds for which SQLite itself waits for a lock. It blocks the event loop. */
  readonly timeout?: number
}

interface NodeSqlite {
  readonly DatabaseSync: new (location: string | URL, options?: DatabaseOptions) => Database
}

/** The built-in modules that the store uses. */
export interface Builtins {
  readonly sqlite: NodeSqlite
  readonly fs: typeof NodeFs
  readonly os: typeof NodeOs
  readonly path: typeof NodePath
  readonly url: typeof NodeUrl
  readonly threads: typeof NodeThreads
}

const isSqlite = (u: unknown): u is NodeSqlite =>
  typeof u === "object" && u !== null && "DatabaseSync" in u && typeof u.DatabaseSync === "function"

/** Loads the modules; throws a {@link JournalError} in a runtime without `node:sqlite` (an edge isolate, an old Node). */
export const loadBuiltins = (): Builtins => {
  const process = nodeBuiltins()
  const sqlite: unknown = process?.getBuiltinModule("node:sqlite")
  if (process === undefined || !isSqlite(sqlite)) {
    throw JournalError.because(
      { _tag: "Failed" },
      "journal: a SQLite journal was not opened: this runtime has no node:sqlite; " +
        "use Deno 2.2, Bun 1.3 or Node 22.19, or later",
    )
  }
  return {
    sqlite,
    fs: process.getBuiltinModule("node:fs"),
    os: process.getBuiltinModule("node:os"),
    path: process.getBuiltinModule("node:path"),
    url: process.getBuiltinModule("node:url"),
    threads: process.getBuiltinModule("node:worker_threads"),
  }
}
