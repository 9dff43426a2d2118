import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { atMost } from "../atMost.ts"
import { everything, note, notes, type Part, positionsOf, reasonOf, tailed, textsOf, upTo } from "./target.ts"

export const processes: Part = (test) => {
  test("keeps one chain without gaps or losses while several processes append", (place) =>
    Effect.gen(function* () {
      const journals = yield* Effect.all([place.open(), place.open(), place.open()])
      yield* Effect.forEach(
        journals,
        (journal, who) => atMost(4, notes(60, `w-${who}`), (draft) => journal.append([draft])),
        { concurrency: "unbounded" },
      )
      for (const journal of journals) {
        expect(positionsOf(yield* everything(journal))).toEqual(upTo(180))
        expect(yield* journal.verify()).toMatchObject({ entries: 180 })
        for (const who of [0, 1, 2]) {
          const texts = textsOf(yield* journal.read({ filter: { correlationId: `w-${who}` } }))
          expect(texts.map(Number).toSorted((a, b) => a - b)).toEqual(upTo(60))
        }
      }
    }))

  test("delivers entries of another process to a tail, each once and in order", (place) =>
    Effect.gen(function* () {
      const reader = yield* place.open()
      const writers = yield* Effect.all([place.open(), place.open()])
      const fibers = yield* Effect.forEach(upTo(5), () => Effect.forkChild(tailed(reader, 200)))
      const filtered = yield* Effect.forkChild(tailed(reader, 100, { filter: { correlationId: "w-1" } }))
      yield* Effect.forEach(
        writers,
        (journal, who) => Effect.forEach(notes(100, `w-${who}`), (draft) => journal.append([draft])),
        { concurrency: "unbounded" },
      )
      for (const fiber of fibers) expect(positionsOf(yield* Fiber.join(fiber))).toEqual(upTo(200))
      expect(textsOf(yield* Fiber.join(filtered))).toEqual(upTo(100).map(String))
    }))

  test("lets exactly one of several processes succeed that append under one condition", (place) =>
    Effect.gen(function* () {
      const journals = yield* Effect.all([place.open(), place.open(), place.open()])
      for (const round of upTo(10)) {
        const condition = { after: 0, noneOf: { correlationId: `lease-${round}` } }
        const results = yield* Effect.forEach(
          [...journals, ...journals],
          (journal) => Effect.result(journal.append([note(`lease-${round}`)], { condition })),
          { concurrency: "unbounded" },
        )
        expect(results.filter(Result.isSuccess)).toHaveLength(1)
        for (const { failure } of results.filter(Result.isFailure)) expect(failure.reason._tag).toBe("Conflict")
      }
    }))

  test("verifies in both processes while one prunes and another appends", (place) =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([place.open(), place.open()])
      yield* one.append(notes(50, "a"))
      yield* two.prune({ through: 20 })
      yield* one.append(notes(1, "a"))
      yield* two.prune({ correlationIds: ["a"], through: 30 })
      yield* one.append(notes(1, "b"))
      for (const journal of [one, two]) {
        expect(yield* journal.verify()).toMatchObject({ removedThrough: 30 })
        expect(positionsOf(yield* journal.read({ maxEntries: 1 }))).toEqual([31])
      }
      expect(yield* reasonOf(tailed(one, 1, { after: 25 }))).toEqual({ _tag: "Pruned", through: 30 })
    }))

  test("keeps working when one of several processes closes it", (place) =>
    Effect.gen(function* () {
      const one = yield* place.open()
      const fiber = yield* Effect.forkChild(tailed(one, 3))
      yield* Effect.scoped(Effect.flatMap(place.open(), (two) => two.append(notes(2))))
      yield* one.append(notes(1))
      expect(positionsOf(yield* Fiber.join(fiber))).toEqual([1, 2, 3])
    }))
}
