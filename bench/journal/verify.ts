/** Measures the rate at which a SQLite journal is verified. */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { Journal } from "../../src/journal/Journal.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import type { MeasureCase } from "../rows/Row.ts"
import { batchOf, batchSize } from "./rows.ts"

/** Thousands of entries a second. */
export const verify: MeasureCase = (_, job) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const { entries } = job.sizes
    for (let from = 0; from < entries; from += batchSize * 8) {
      yield* journal.append(
        Array.from({ length: 8 }, (_, n) => batchOf(from + n * batchSize))
          .flat(),
      )
    }
    const start = performance.now()
    const report = yield* journal.verify()
    return { thousandsPerSecond: report.entries / (performance.now() - start) }
  }).pipe(
    Effect.provide(
      SqliteJournal.layer({ path: join(job.folder, "verify.db") }),
    ),
    Effect.runPromise,
  )
