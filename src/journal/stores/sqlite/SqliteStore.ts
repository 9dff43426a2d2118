/** Opens a journal in a SQLite database as a `JournalStore`. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import type { Connection } from "./Connection.ts"
import { ConnectionSet } from "./ConnectionSet.ts"
import { loadBuiltins } from "./loadBuiltins.ts"
import { resolveOptions, type SqliteOptions, type SqliteSettings } from "./options.ts"
import { hasPrunedEntries, makePruneWorker } from "./prune.ts"
import { retryWhileBusy, runOnce } from "./retryWhileBusy.ts"
import { readHead, readSize, scanRows } from "./scan.ts"
import { makeTransact } from "./makeTransact.ts"
import { checkFile, RowCheck } from "./verify.ts"
import { watchVersion } from "./watchVersion.ts"

const openConnections = (settings: SqliteSettings): Effect.Effect<ConnectionSet, JournalError, Scope.Scope> => {
  const { lockTimeoutMillis, path } = settings
  const operation = { tried: `${path} was not opened`, path, lockTimeoutMillis }
  return Effect.uninterruptibleMask((restore) =>
    Effect.tap(
      Effect.flatMap(
        runOnce(operation, loadBuiltins),
        // A process that creates the file at the same time holds it for a moment.
        (builtins) => retryWhileBusy(operation, () => new ConnectionSet(builtins, settings), restore),
      ),
      (connections) => Effect.addFinalizer(() => Effect.sync(() => connections.close())),
    )
  )
}

/**
 * Opens the store of a SQLite journal, for `makeJournal` or as the target of a salvage. Any number of processes may have
 * the file open. Closing finishes the deletion of pruned entries, for at most 10 seconds.
 *
 * Errors: see `SqliteJournal.make`.
 *
 * @example
 * ```ts
 * import { SqliteJournal } from "@sluice/shell/journal/sqlite"
 * import { Effect } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const path = join(mkdtempSync(join(tmpdir(), "store-")), "journal.db")
 * const name = Effect.map(SqliteJournal.openStore({ path }), (store) => store.name)
 * console.log(await Effect.runPromise(Effect.scoped(name))) // sqlite
 * ```
 *
 * @stability experimental
 */
export const openStore = (options: SqliteOptions): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* resolveOptions(options)
    const { lockTimeoutMillis, pollIntervalMillis } = settings
    const connections = yield* openConnections(settings)
    const { path } = connections
    const operation = { tried: `nothing was read from ${path}`, path, lockTimeoutMillis }
    const read = <A>(work: (connection: Connection) => A): Effect.Effect<A, JournalError> =>
      retryWhileBusy(operation, () => connections.read(work))
    const pruning = yield* makePruneWorker(() => connections.connectWriting())
    if (connections.isWritable && (yield* read(hasPrunedEntries))) yield* pruning.start
    return {
      name: "sqlite",
      location: path,
      durabilities: ["memory", "os", "disk"],
      synchronous: true,
      head: read(readHead),
      size: Effect.map(read(readSize), (size) => ({ ...size, bytes: size.bytes + connections.walBytes })),
      scan: (scan) => read((connection) => scanRows(connection, scan)),
      check: checkFile(connections, operation),
      verifyingScan: () => {
        const check = new RowCheck(path)
        return {
          scan: (scan) =>
            read((connection) => scanRows(connection, scan, (row, cells, first) => check.add(row, cells, first))),
          failure: () => check.failure,
        }
      },
      transact: makeTransact(connections, lockTimeoutMillis, pruning),
      watch: (wake) => watchVersion(() => connections.dataVersion(), pollIntervalMillis, wake),
    }
  })
