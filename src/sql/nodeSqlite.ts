/**
 * Finds `node:sqlite`, with types that are correct on Deno, Bun and Node.
 *
 * Source: https://nodejs.org/docs/latest-v24.x/api/sqlite.html
 */
import type { NodeBuiltins } from "../base/nodeBuiltins.ts"

export type Cell = null | number | bigint | string | Uint8Array

/** The cells of a row, in the order of the query. */
export type Cells = ReadonlyArray<unknown>

/** A prepared statement that returns rows as arrays. */
export interface Statement {
  run(...values: ReadonlyArray<Cell>): unknown
  get(...values: ReadonlyArray<Cell>): Cells | undefined
  all(...values: ReadonlyArray<Cell>): ReadonlyArray<Cells>
  /** On Deno 2.9 it ends without an error at a row that fails, or on a damaged page. */
  iterate(...values: ReadonlyArray<Cell>): IterableIterator<Cells>
  columns(): ReadonlyArray<{ readonly name: string }>
  readonly sourceSQL: string
  setReturnArrays(on: boolean): void
  setReadBigInts(on: boolean): void
}

export interface Database {
  readonly isTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
  function(name: string, body: (...values: ReadonlyArray<unknown>) => Cell): void
  /** From Node 24.10. */
  setAuthorizer?(decide: (action: number, first: string | null, second: string | null) => number): void
  /** From Node 24.10. */
  readonly limits?: { length: number }
}

interface DatabaseOptions {
  readonly readOnly?: boolean
  /** Milliseconds for which SQLite itself waits for a lock. It blocks the event loop. */
  readonly timeout?: number
}

/** The module. */
export interface NodeSqlite {
  readonly DatabaseSync: new (location: string | URL, options?: DatabaseOptions) => Database
}

const isSqlite = (u: unknown): u is NodeSqlite =>
  typeof u === "object" && u !== null && "DatabaseSync" in u && typeof u.DatabaseSync === "function"

/** Finds the module; `undefined` in a runtime without it (an edge isolate, an old Node). */
export const findSqlite = (process: NodeBuiltins | undefined): NodeSqlite | undefined => {
  const sqlite: unknown = process?.getBuiltinModule("node:sqlite")
  return isSqlite(sqlite) ? sqlite : undefined
}
