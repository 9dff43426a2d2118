import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Audit } from "../../src/history/mod.ts"
import { Journal, type PruneOptions } from "../../src/journal/Journal.ts"
import { onJournal, ran, write } from "./support.ts"

/** Two journals with the same in them. */
const fill = Effect.gen(function* () {
  for (let n = 0; n < 60; n++) {
    yield* ran(`c${n % 20}`)
    yield* write(`c${n % 20}`, { text: "x".repeat(n * 10) })
    yield* TestClock.adjust("1 minute")
  }
})

const wishes: ReadonlyArray<readonly [name: string, options: PruneOptions]> = [
  ["an age", { olderThan: "30 minutes" }],
  ["an age that all have", { olderThan: 0 }],
  ["an age that none has", { olderThan: "2 hours" }],
  ["a number of entries", { keepEntries: 100 }],
  ["more entries than there are", { keepEntries: 1_000 }],
  ["a size", { keepBytes: 20_000 }],
  ["commands", { correlationIds: ["c3", "c7", "none"] }],
  ["an age and commands", { olderThan: "30 minutes", correlationIds: ["c3"] }],
  ["an age, but not from a position on", { olderThan: "30 minutes", keepFrom: 50 }],
]

it.effect.each(wishes)(
  "computes for '%s' the report of a prune, and removes nothing",
  ([, options]) =>
    Effect.gen(function* () {
      yield* fill
      const journal = yield* Journal
      const before = yield* journal.head
      const plan = yield* Audit.planPrune(options)
      expect(yield* journal.head).toEqual(before)
      expect(plan.checkpoints).toEqual([])
      const { checkpoints: _, ...report } = yield* journal.prune(options)
      expect(plan).toMatchObject(report)
    }).pipe(onJournal),
)
