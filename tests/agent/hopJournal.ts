/**
 * The journal of the hops of a tool call: `FILE.db`, `FILE.ndjson`, or options of a PostgreSQL server as JSON.
 */
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Journal } from "../../src/journal/Journal.ts"
import { NdjsonJournal } from "../../src/journal/ndjson.ts"
import { PostgresJournal } from "../../src/journal/postgres.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"

const decodeServer = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({
  host: Schema.String,
  port: Schema.Int,
  database: Schema.String,
  username: Schema.String,
  password: Schema.String,
  schema: Schema.String,
})))

export const hopJournal = (
  location: string,
  mode: "read" | "write" = "write",
): Layer.Layer<Journal, unknown> => {
  if (location.startsWith("{")) {
    const { password, ...server } = decodeServer(location)
    return PostgresJournal.layer({ ...server, password: Redacted.make(password) })
  }
  return location.endsWith(".ndjson")
    ? NdjsonJournal.layer({ path: location, mode, lockTimeout: "30 seconds" })
    : SqliteJournal.layer({ path: location })
}
