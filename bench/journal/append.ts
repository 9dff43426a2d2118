/** Measures how many entries a second are appended. */
import * as Effect from "effect/Effect"
import { Journal } from "../../src/journal/Journal.ts"
import type { Values } from "../rows/Row.ts"
import { ndjsonFloor, postgresFloor, sqliteFloor } from "./floors.ts"
import type { Job } from "./Job.ts"
import { layerOf } from "./journals.ts"
import { batchOf, batchSize, type Level } from "./rows.ts"

const rate = (rows: number, ms: number): Values => ({
  perSecond: rows / ms * 1000,
})

/** Batches of 256 entries, one after the other, through the whole service. */
export const append = (
  store: string,
  level: Level,
  job: Job,
): Promise<Values> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    // Made before: what is measured is the journal, not the making of entries.
    const batches = Array.from(
      { length: Math.floor(job.rows / batchSize) },
      (_, index) => batchOf(index * batchSize),
    )
    yield* journal.append(batchOf(0), { durability: level })
    const start = performance.now()
    for (const batch of batches) {
      yield* journal.append(batch, { durability: level })
    }
    return rate(batches.length * batchSize, performance.now() - start)
  }).pipe(Effect.provide(layerOf(store, job)), Effect.runPromise)

/** 64 fibers, each of which appends one entry after the other: who shares an fsync. */
export const together = (
  store: string,
  level: Level,
  job: Job,
): Promise<Values> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const [draft] = batchOf(0)
    if (draft === undefined) throw new Error("no entry")
    const each = Math.ceil(job.rows / 64 / 8)
    const lane = Effect.forEach(Array.from({ length: each }), () => journal.append([draft], { durability: level }), {
      discard: true,
    })
    yield* journal.append([draft], { durability: level })
    const start = performance.now()
    yield* Effect.forEach(Array.from({ length: 64 }), () => lane, { concurrency: "unbounded", discard: true })
    return rate(each * 64, performance.now() - start)
  }).pipe(Effect.provide(layerOf(store, job)), Effect.runPromise)

/** The same batches, without a journal. */
export const floor = async (
  store: string,
  level: Level,
  job: Job,
): Promise<Values> => {
  switch (store) {
    case "sqlite":
      return rate(job.rows, sqliteFloor(job.folder, level, job.rows))
    case "ndjson":
      return rate(job.rows, ndjsonFloor(job.folder, level, job.rows))
    case "postgres":
      if (job.server === null) throw new Error("no PostgreSQL here")
      return rate(job.rows, await postgresFloor(job.server, level, job.rows))
    default:
      throw new Error(`no floor: ${store}`)
  }
}
