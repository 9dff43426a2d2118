import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Draft, Journal, MemoryJournal } from "@sluice/shell/journal"

const note = (text: string): Draft => ({ branch: "notes", correlationId: "n", body: { _tag: "Noted", text } })

it.live("offers each operation as a function on the journal of the context", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    expect(yield* Journal.append([note("a"), note("b"), note("c")])).toEqual([1, 2, 3])
    expect((yield* Journal.read({ maxEntries: 2 })).map(({ position }) => position)).toEqual([1, 2])
    expect((yield* Journal.readBackward({ maxEntries: 2 })).map(({ position }) => position)).toEqual([3, 2])
    const tailed = yield* Stream.runCollect(Stream.take(Journal.tail({ after: 1 }), 2))
    expect(Array.from(tailed, ({ position }) => position)).toEqual([2, 3])
    const found = yield* Journal.waitFor({ match: ({ body }) => body?.["text"] === "c" })
    expect(found.position).toBe(3)
    expect(yield* Journal.head).toEqual(yield* journal.head)
    expect(yield* Journal.verify()).toEqual(yield* journal.verify())
    expect(yield* Journal.prune({ through: 1 })).toMatchObject({ through: 1, removed: 1, checkpoints: [4] })
    expect(yield* Journal.stats).toEqual(yield* journal.stats)
  }).pipe(Effect.provide(MemoryJournal.layer)))
