/**
 * Makes the leaf of the Database branch for a SQLite file, with `node:sqlite` on Deno, Bun and Node.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import { findSqlite, type NodeSqlite } from "../../sql/nodeSqlite.ts"
import { OptionError } from "../../base/OptionError.ts"
import { missingInRuntime } from "../../base/requireBuiltins.ts"
import { retryTransient } from "../../base/retryTransient.ts"
import { elapsedMillis } from "../../base/monotonicTime.ts"
import { Database, type DatabaseService } from "../Database.ts"
import type { DatabaseValue } from "../DatabaseValue.ts"
import type { DriverError } from "../DriverError.ts"
import { type DatabaseLeafOptions, type LeafSettings, leafSettings, type RequestLimits } from "../leafOptions.ts"
import { attempt, type DatabaseDriver, makeLeaf, type Statement, type StatementResult } from "../makeLeaf.ts"
import { type Row, RowMeter } from "../RowMeter.ts"
import { type RowIterator, SqliteConnection } from "./SqliteConnection.ts"

/** Options of a leaf. */
export interface SqliteDatabaseOptions extends DatabaseLeafOptions {
  /** The file. Unless the leaf is read-only, a missing one is created. */
  readonly path: string
}

/**
 * Number of rows, of bytes (approximately) and of milliseconds after which other fibers run and the rows are counted.
 */
const batchRows = 64
const batchBytes = 262_144
const batchMillis = 8

const sizeOf = (value: DatabaseValue): number =>
  typeof value === "string" || value instanceof Uint8Array ? value.length : 8

const retryBusy = <A>(effect: Effect.Effect<A, DriverError>, timeoutMillis: number): Effect.Effect<A, DriverError> =>
  retryTransient(effect, {
    isTransient: ({ faultKind }) => faultKind === "Busy",
    timeoutMillis,
    minPauseMillis: 1,
    maxPauseMillis: 50,
  })

const nextBatch = (rows: RowIterator): ReadonlyArray<Row> => {
  const batch: Array<Row> = []
  const end = elapsedMillis() + batchMillis
  let bytes = 0
  do {
    const row = rows.next()
    if (row === undefined) break
    batch.push(row)
    bytes += row.reduce<number>((sum, value) => sum + sizeOf(value), 0)
  } while (batch.length < batchRows && bytes < batchBytes && elapsedMillis() < end)
  return batch
}

const makeDriver = (sqlite: NodeSqlite, path: string, settings: LeafSettings): DatabaseDriver => {
  const readers = Semaphore.makeUnsafe(settings.maxConnections)
  const writer = Semaphore.makeUnsafe(1)
  const permit = (semaphore: Semaphore.Semaphore): Effect.Effect<unknown, never, Scope.Scope> =>
    Effect.acquireRelease(semaphore.take(1), () => semaphore.release(1), { interruptible: true })

  /** Each request has a connection of its own, so that nothing of it is left for the next one. */
  const connect = (readOnly: boolean, limits: RequestLimits) =>
    Effect.acquireRelease(
      retryBusy(attempt(() => new SqliteConnection(sqlite, path, readOnly, limits)), limits.timeoutMillis),
      (connection) => Effect.sync(() => connection.close()),
    )

  const run = (connection: SqliteConnection, statement: Statement, meter: RowMeter): StatementResult => {
    const before = connection.totalChanges
    const { columns, next } = connection.iterate(statement)
    const rows: Array<Row> = []
    for (let row = next(); row !== undefined; row = next()) {
      meter.add(row)
      rows.push(row)
    }
    return { affectedRows: connection.affectedRows(before), columns, rows }
  }

  return {
    open: (query, limits) =>
      Effect.gen(function* () {
        yield* permit(readers)
        const connection = yield* connect(true, limits)
        // The first row may find the file locked, and the statement has to be begun again.
        const begin = attempt(() => {
          const rows = connection.iterate(query)
          return { rows, first: nextBatch(rows) }
        })
        const { first, rows } = yield* retryBusy(begin, limits.timeoutMillis)
        let pulled: ReadonlyArray<Row> | undefined = first
        const pull = Effect.andThen(
          Effect.yieldNow,
          attempt(() => {
            const batch = pulled ?? nextBatch(rows)
            pulled = undefined
            return batch
          }),
        )
        return { columns: rows.columns, pull }
      }),
    transact: (statements, limits, within) =>
      Effect.scoped(Effect.gen(function* () {
        const { timeoutMillis } = limits
        const own = (connection: SqliteConnection, sql: string) =>
          retryBusy(attempt(() => connection.own(sql)), timeoutMillis)
        const meter = new RowMeter(limits)
        const { connection, results } = yield* within(Effect.gen(function* () {
          yield* permit(writer)
          const connection = yield* connect(false, limits)
          yield* own(connection, "BEGIN IMMEDIATE")
          const results = yield* Effect.forEach(statements, (statement, index) =>
            Effect.andThen(
              Effect.yieldNow,
              Effect.mapError(attempt(() => run(connection, statement, meter)), (error) => error.of(index)),
            ))
          return { connection, results }
        }))
        // A reader may block a commit; a connection that is closed before rolls back.
        yield* Effect.uninterruptible(own(connection, "COMMIT"))
        return results
      })),
  }
}

/**
 * Makes the service. Queries run on read-only connections, and no request reaches another file by `ATTACH`, `VACUUM
 * INTO` or an extension. A statement runs on this thread: it is cancelled, and its time is checked, from row to row. A
 * statement that computes for long without a row cannot be ended; where that matters, run a daemon in a process of its
 * own.
 */
export const make = (options: SqliteDatabaseOptions): Effect.Effect<DatabaseService, OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const { path, settings } = yield* attemptOptions(() => {
      const settings = leafSettings("SqliteDatabase", options, { path: true })
      if (typeof options.path === "string" && !/^(:memory:)?$/.test(options.path)) {
        return { path: options.path, settings }
      }
      throw new OptionError("path", "SqliteDatabase: path is a file; a database in memory ends with each request")
    })
    const sqlite = findSqlite(nodeBuiltins())
    if (sqlite === undefined) {
      return yield* Effect.die(missingInRuntime("SqliteDatabase", "node:sqlite"))
    }
    // Stays open, because closing the last connection of a file writes the log into the file, which takes long.
    yield* Effect.acquireRelease(
      Effect.mapError(
        attempt(() => new SqliteConnection(sqlite, path, settings.readOnly, settings)),
        ({ message }) => new OptionError("path", `SqliteDatabase: ${path} was not opened: ${message}`),
      ),
      (connection) => Effect.sync(() => connection.close()),
    ).pipe(
      // Its log is opened by a read. Where the file is locked, there is none.
      Effect.tap((connection) => Effect.ignore(attempt(() => connection.own("SELECT 1 FROM sqlite_schema")))),
    )
    return makeLeaf(settings, makeDriver(sqlite, path, settings))
  })

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { Database, SqliteDatabase } from "@sluice/shell/database"
 * import { Effect } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const path = join(mkdtempSync(join(tmpdir(), "database-")), "app.db")
 * const write = Effect.flip(Database.query("CREATE TABLE t (a)"))
 * const { faultKind } = await Effect.runPromise(Effect.provide(write, SqliteDatabase.layer({ path })))
 * // A query changes nothing:
 * console.log(faultKind) // ReadOnly
 * ```
 */
export const layer = (options: SqliteDatabaseOptions): Layer.Layer<Database, OptionError> =>
  Layer.effect(Database, make(options))
