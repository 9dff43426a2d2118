import * as Effect from "effect/Effect"
import { DatabaseSync } from "node:sqlite"
import { openSqlite, type SqliteOptions } from "../../../src/journal/sqlite.ts"
import { builtins } from "../../../src/journal/stores/sqlite/driver.ts"
import { connectWriting } from "../../../src/journal/stores/sqlite/connect.ts"
import { workshop } from "../../support/workshop.ts"

export { add, all, positionsOf, reasonOf, rowsAfter, upTo } from "../ndjson/support.ts"

/** A store in a directory of the test's own, and where its file is. */
export const fresh = (options: Omit<SqliteOptions, "path"> = {}) =>
  Effect.gen(function* () {
    const place = yield* workshop
    const file = place.path("journal.db")
    const store = yield* openSqlite({ path: file, ...options })
    return { ...place, file, store }
  })

/** Looks into a file, past the journal. */
export const query = (path: string, sql: string, ...values: ReadonlyArray<string | number>): Array<unknown> => {
  const database = new DatabaseSync(path)
  try {
    return database.prepare(sql).all(...values).map((row) => Object.values(row)).flat()
  } finally {
    database.close()
  }
}

/** A connection as a store has it; the caller closes it. */
export const connection = (path: string) => connectWriting(builtins(), path)
