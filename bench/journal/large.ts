/** A journal of millions of entries: opening it, and reading one command out of it. */
import * as Effect from "effect/Effect"
import { existsSync, renameSync } from "node:fs"
import { Journal } from "../../src/journal/Journal.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import type { Values } from "../rows/Row.ts"
import type { Job } from "./Job.ts"
import { batchSize } from "./rows.ts"

/** Entries of one command. */
const perCommand = 100

const commandOf = (index: number): string => `command-${String(Math.floor(index / perCommand)).padStart(9, "0")}`

/** Makes the journal, if it is not there: commands of 100 entries each. */
export const makeLarge = async (job: Job): Promise<Values> => {
  if (existsSync(job.large)) return { entries: job.largeRows }
  await Effect.gen(function* () {
    const journal = yield* Journal
    for (let from = 0; from < job.largeRows; from += batchSize * 8) {
      yield* journal.append(
        Array.from(
          { length: Math.min(batchSize * 8, job.largeRows - from) },
          (_, index) => ({
            branch: "bench",
            correlationId: commandOf(from + index),
            body: {
              _tag: "Row",
              content: "the quick brown fox jumps over the lazy dog, 55 chars",
              n: from + index,
            },
          }),
        ),
      )
    }
  }).pipe(
    Effect.provide(SqliteJournal.layer({ path: `${job.large}.new` })),
    Effect.runPromise,
  )
  renameSync(`${job.large}.new`, job.large)
  return { entries: job.largeRows }
}

/** Milliseconds to open it and know its head; then to read the entries of one command. */
export const openLarge = (job: Job): Promise<Values> => {
  const start = performance.now()
  return Effect.gen(function* () {
    const journal = yield* Journal
    const { position } = yield* journal.head
    const openMs = performance.now() - start
    if (position < job.largeRows) {
      throw new Error(`${position} entries instead of ${job.largeRows}`)
    }
    const before = performance.now()
    const entries = yield* journal.read({
      filter: { correlationId: commandOf(Math.floor(job.largeRows * 0.4)) },
    })
    if (entries.length !== perCommand) {
      throw new Error(`${entries.length} entries of the command`)
    }
    return { openMs, readMs: performance.now() - before }
  }).pipe(
    Effect.provide(SqliteJournal.layer({ path: job.large })),
    Effect.runPromise,
  )
}
