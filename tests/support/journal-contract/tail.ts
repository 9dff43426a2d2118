import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Entry } from "@sluice/shell/journal"
import { atMost } from "../atMost.ts"
import { eventually, pause } from "../eventually.ts"
import { appendEach, note, notes, type Part, positionsOf, reasonOf, tailed, textsOf, upTo } from "./target.ts"

export const tail: Part = (test) => {
  test("follows from the beginning: existing entries, then new ones, each once and in order", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(700))
      const fiber = yield* Effect.forkChild(tailed(journal, 1_500))
      yield* Effect.forEach(upTo(20), () => Effect.andThen(journal.append(notes(40)), Effect.yieldNow))
      expect(positionsOf(yield* Fiber.join(fiber))).toEqual(upTo(1_500))
    }))

  test("follows from a position, and from the end", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(10))
      const { position } = yield* journal.head
      const fromEnd = yield* Effect.forkChild(tailed(journal, 2, { after: position }))
      const fromBeyond = yield* Effect.forkChild(tailed(journal, 1, { after: position + 2 }))
      yield* pause(20)
      expect(positionsOf(yield* tailed(journal, 3, { after: 7 }))).toEqual([8, 9, 10])
      yield* appendEach(journal, notes(3))
      expect(positionsOf(yield* Fiber.join(fromEnd))).toEqual([11, 12])
      expect(positionsOf(yield* Fiber.join(fromBeyond))).toEqual([13])
    }))

  test("follows the entries that match a filter, past others", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      const odd = (n: number) => note(n % 2 === 1 ? "odd" : "even", String(n), n % 3 === 0 ? "Third" : "Noted")
      yield* journal.append(upTo(2_000).map(odd))
      const none = yield* Effect.forkChild(tailed(journal, 1, { filter: { correlationId: "nobody" } }))
      const fiber = yield* Effect.forkChild(
        tailed(journal, 500, { filter: { correlationId: "odd", tags: ["Third"] } }),
      )
      yield* appendEach(journal, upTo(2_100, 2_001).map(odd))
      yield* journal.append(upTo(3_000, 2_101).map(odd))
      expect(positionsOf(yield* Fiber.join(fiber))).toEqual(
        upTo(3_000).filter((n) => n % 2 === 1 && n % 3 === 0),
      )
      yield* journal.append([note("nobody", "came")])
      expect(textsOf(yield* Fiber.join(none))).toEqual(["came"])
    }))

  test("wakes every one of many tails, each time", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      const fibers = yield* Effect.forEach(upTo(50), () => Effect.forkChild(tailed(journal, 60)))
      for (const n of upTo(20)) {
        yield* journal.append(notes(3))
        if (n % 5 === 0) yield* pause(2)
      }
      for (const fiber of fibers) expect(positionsOf(yield* Fiber.join(fiber))).toEqual(upTo(60))
    }))

  test("delivers each entry once to a slow tail and to a fast one", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      const slow = yield* journal.tail().pipe(
        Stream.rechunk(1),
        Stream.tap((entry) => entry.position % 10 === 0 ? pause(1) : Effect.void),
        Stream.take(300),
        Stream.runCollect,
        Effect.forkChild,
      )
      const fast = yield* Effect.forkChild(tailed(journal, 300))
      yield* appendEach(journal, notes(300))
      expect(positionsOf(yield* Fiber.join(fast))).toEqual(upTo(300))
      expect(positionsOf(yield* Fiber.join(slow))).toEqual(upTo(300))
    }))

  test("accepts an append for each entry that a tail delivers", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      const daemon = yield* journal.tail({ filter: { tags: ["Asked"] } }).pipe(
        Stream.mapEffect(({ correlationId, body }) => journal.append([note(correlationId, `${body?.["text"]}!`)])),
        Stream.take(40),
        Stream.runDrain,
        Effect.forkChild,
      )
      const answers = yield* atMost(8, upTo(40), (n) =>
        Effect.gen(function* () {
          const [after] = yield* journal.append([note(`id-${n}`, String(n), "Asked")])
          return yield* journal.waitFor({ after, filter: { correlationId: `id-${n}` } })
        }))
      yield* Fiber.join(daemon)
      expect(textsOf(answers)).toEqual(upTo(40).map((n) => `${n}!`))
    }))

  test("serves other tails after one was interrupted, while it waited or while it was busy", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      const seen: Array<Entry> = []
      const other = yield* Effect.forkChild(
        Stream.runForEach(journal.tail(), (entry) => Effect.sync(() => seen.push(entry))),
      )
      for (const n of upTo(30)) {
        const fiber = yield* Effect.forkChild(
          Stream.runForEach(journal.tail(), () => n % 2 === 0 ? pause(50) : Effect.void),
        )
        yield* n % 3 === 0 ? pause(1) : Effect.yieldNow
        yield* journal.append(notes(1))
        yield* n % 5 === 0 ? pause(1) : Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      }
      yield* eventually("the other one has seen all", () => seen.length === 30)
      expect(positionsOf(seen)).toEqual(upTo(30))
      yield* Fiber.interrupt(other)
      expect(positionsOf(yield* tailed(journal, 30))).toEqual(upTo(30))
    }))

  test("fails a tail with Pruned when its next entry was pruned", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(20))
      for (const filter of [undefined, { correlationId: "n" }, { correlationId: "nobody" }]) {
        const head = yield* journal.head
        const behind = yield* reasonOf(
          journal.tail({ after: head.position - 5, filter }).pipe(
            Stream.rechunk(1),
            Stream.runForEach(() => Effect.void),
            (rest) => Effect.andThen(journal.prune({ through: head.position - 2 }), rest),
          ),
        )
        expect(behind).toEqual({ _tag: "Pruned", through: head.position - 2 })
        yield* journal.append(notes(20))
      }
    }))

  test("starts from the beginning with the remaining entries, and from the position where pruning ended", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(20))
      yield* journal.prune({ through: 15 })
      for (const filter of [undefined, { branch: "notes" }]) {
        expect(positionsOf(yield* tailed(journal, 5, { filter }))).toEqual(upTo(20, 16))
        expect(positionsOf(yield* tailed(journal, 5, { after: 15, filter }))).toEqual(upTo(20, 16))
        expect(yield* reasonOf(tailed(journal, 5, { after: 14, filter }))).toEqual({ _tag: "Pruned", through: 15 })
      }
    }))

  test("fails a tail with Pruned that started with an empty journal and did not keep up", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      let gate = Effect.void
      const seen: Array<number> = []
      const fiber = yield* journal.tail().pipe(
        Stream.rechunk(1),
        Stream.runForEach((entry) =>
          Effect.andThen(Effect.sync(() => seen.push(entry.position)), Effect.suspend(() => gate))
        ),
        reasonOf,
        Effect.forkChild,
      )
      yield* pause(20)
      let open = false
      gate = Effect.suspend(() => open ? Effect.void : eventually("the gate is open", () => open))
      yield* journal.append(notes(1))
      yield* eventually("it holds the first", () => seen.length === 1)
      yield* journal.append(notes(10))
      yield* journal.prune({ through: 6 })
      open = true
      expect(yield* Fiber.join(fiber)).toEqual({ _tag: "Pruned", through: 6 })
      expect(seen).toEqual([1])
    }))

  test("waits for the first entry that matches, existing or new", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(5))
      expect((yield* journal.waitFor({})).position).toBe(1)
      expect((yield* journal.waitFor({ after: 2 })).position).toBe(3)
      expect((yield* journal.waitFor({ match: (entry) => entry.body?.["text"] === "4" })).position).toBe(4)
      const fiber = yield* Effect.forkChild(
        journal.waitFor({ after: 1, filter: { tags: ["Wanted"] }, match: (entry) => entry.correlationId === "me" }),
      )
      yield* pause(10)
      yield* journal.append([note("other", "", "Wanted"), note("me")])
      yield* journal.append([note("me", "first", "Wanted"), note("me", "second", "Wanted")])
      expect((yield* Fiber.join(fiber)).body).toEqual({ _tag: "Wanted", text: "first" })
    }))

  test("refuses to follow from a position that is not a whole number from 0", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      for (const after of [-1, 0.5, NaN]) {
        expect(yield* reasonOf(tailed(journal, 1, { after }))).toEqual({ _tag: "Invalid", field: "after" })
      }
    }))
}
