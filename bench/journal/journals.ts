/** The journals that are measured, by the names of the tables. */
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import { type Journal, type JournalError, MemoryJournal } from "../../src/journal/Journal.ts"
import { NdjsonJournal } from "../../src/journal/ndjson.ts"
import { PostgresJournal } from "../../src/journal/postgres.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import type { Job } from "./Job.ts"

/** A layer for each store, fresh for each process but for PostgreSQL, whose schema has the name of the process. */
export const layerOf = (
  store: string,
  job: Job,
  mode: "write" | "read" = "write",
): Layer.Layer<Journal, JournalError> => {
  switch (store) {
    case "memory":
      return MemoryJournal.layerWith({
        maxEntries: Infinity,
        maxBytes: Infinity,
      })
    case "ndjson":
      return NdjsonJournal.layer({
        path: join(job.folder, "journal.ndjson"),
        mode,
      })
    case "sqlite":
      return SqliteJournal.layer({ path: join(job.folder, "journal.db") })
    case "postgres": {
      if (job.server === null) throw new Error("no PostgreSQL here")
      return PostgresJournal.layer({
        host: "127.0.0.1",
        port: job.server.port,
        database: "postgres",
        username: "sluice",
        password: Redacted.make(job.server.password),
        schema: `bench_${process.pid}`,
      })
    }
    default:
      throw new Error(`no such store: ${store}`)
  }
}
