/**
 * Rows in a SQLite database.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { Access } from "./Access.ts"
import { checkFile } from "./check.ts"
import { makeCleaning } from "./cleaning.ts"
import { builtins } from "./driver.ts"
import { settingsOf, type SqliteOptions } from "./options.ts"
import { transact } from "./transact.ts"
import { checkPath } from "./file.ts"
import { attempt, whenFree } from "./waiting.ts"
import { watchVersion } from "./watch.ts"

const openAccess = (options: SqliteOptions): Effect.Effect<Access, JournalError, Scope.Scope> => {
  const { create, lockTimeoutMillis, readOnly } = settingsOf(options)
  const opening = { tried: `${options.path} was not opened`, path: options.path, lockTimeoutMillis }
  return Effect.uninterruptibleMask((restore) =>
    Effect.tap(
      Effect.flatMap(attempt(opening, builtins), (modules) => {
        const path = modules.path.resolve(options.path)
        const open = (): Access => {
          checkPath(options.path)
          return new Access(modules, path, { create, readOnly })
        }
        // Whoever makes the file at the same time holds it for a moment.
        return whenFree(opening, open, restore)
      }),
      (access) => Effect.addFinalizer(() => Effect.sync(() => access.close())),
    )
  )
}

/**
 * Opens a journal's rows in a SQLite database, and makes it if it is not there. Any number of processes may have it open.
 *
 * - A file that may not be written, or stands where none may be made, is opened for reading.
 * - A file that is not a journal is an error, and is left as it is; one of an older version is brought to this one.
 * - Whoever writes while others do waits for them, up to `lockTimeout`.
 *
 * Closing finishes what a prune has left to do, for at most 10 seconds.
 */
export const openSqlite = (options: SqliteOptions): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const { lockTimeoutMillis, pollMillis } = settingsOf(options)
    const access = yield* openAccess(options)
    const { path } = access
    const reading = { tried: `nothing was read from ${path}`, path, lockTimeoutMillis }
    const cleaning = yield* makeCleaning(() => access.cleaner())
    if (yield* whenFree(reading, () => access.needsCleaning)) yield* cleaning.start
    const store: JournalStore = {
      name: "sqlite",
      location: path,
      durabilities: ["memory", "os", "disk"],
      synchronous: true,
      head: whenFree(reading, () => access.read((reader) => reader.head())),
      size: whenFree(reading, () => {
        const size = access.read((reader) => reader.size())
        return { ...size, bytes: size.bytes + access.logBytes }
      }),
      scan: (scan) => whenFree(reading, () => access.read((reader) => reader.scan(scan))),
      check: checkFile(access, reading),
      transact: transact(access, lockTimeoutMillis, cleaning),
      watch: (wake) => watchVersion(() => access.version(), pollMillis, wake),
    }
    return store
  })
