/**
 * `node:sqlite` as it is on Deno, Bun and Node: one code path for the three.
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
import { JournalError } from "../../JournalError.ts"

/** What is bound to a parameter, and what stands in a cell. */
export type Cell = null | number | string

/** The cells of a row, in the order of the query. */
export type Cells = ReadonlyArray<unknown>

/**
 * A prepared statement that returns arrays. `iterate` is not here: on Deno it ends without an error where a page of the
 * file is corrupt.
 */
export interface Statement {
  run(...values: ReadonlyArray<Cell>): unknown
  get(...values: ReadonlyArray<Cell>): Cells | undefined
  all(...values: ReadonlyArray<Cell>): ReadonlyArray<Cells>
  setReturnArrays(on: boolean): void
}

/** A connection. */
export interface Database {
  readonly isTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

interface DatabaseOptions {
  readonly readOnly?: boolean
  /** Milliseconds for which SQLite itself waits for a lock, and the event loop with it. */
  readonly timeout?: number
}

interface NodeSqlite {
  readonly DatabaseSync: new (location: string | URL, options?: DatabaseOptions) => Database
}

/** The built-in modules that a file of rows needs. */
export interface Builtins {
  readonly sqlite: NodeSqlite
  readonly fs: typeof NodeFs
  readonly os: typeof NodeOs
  readonly path: typeof NodePath
  readonly url: typeof NodeUrl
  readonly threads: typeof NodeThreads
}

interface WithBuiltins {
  readonly getBuiltinModule: {
    (id: "node:fs"): typeof NodeFs
    (id: "node:os"): typeof NodeOs
    (id: "node:path"): typeof NodePath
    (id: "node:url"): typeof NodeUrl
    (id: "node:worker_threads"): typeof NodeThreads
    (id: "node:sqlite"): unknown
  }
}

const hasBuiltins = (u: unknown): u is WithBuiltins =>
  typeof u === "object" && u !== null && "getBuiltinModule" in u && typeof u.getBuiltinModule === "function"

const isSqlite = (u: unknown): u is NodeSqlite =>
  typeof u === "object" && u !== null && "DatabaseSync" in u && typeof u.DatabaseSync === "function"

/** The built-in modules; throws a {@link JournalError} where there is no `node:sqlite` (an edge isolate, an old Node). */
export const builtins = (): Builtins => {
  const process: unknown = Reflect.get(globalThis, "process")
  const sqlite = hasBuiltins(process) ? process.getBuiltinModule("node:sqlite") : undefined
  if (!hasBuiltins(process) || !isSqlite(sqlite)) {
    throw JournalError.because(
      { _tag: "Failed" },
      "journal: a SQLite journal was not opened: this runtime has no node:sqlite (Deno 2.2, Bun 1.3, Node 22.19 have)",
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
