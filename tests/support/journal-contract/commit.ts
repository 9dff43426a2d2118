import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { atMost } from "../atMost.ts"
import { pause } from "../eventually.ts"
import { random } from "../random.ts"
import { everything, note, notes, type Part, positionsOf, reasonOf, textsOf, upTo } from "./target.ts"

export const commit: Part = (test, { can }) => {
  for (const durability of can.durabilities) {
    test(`appends at durability "${durability}"`, (place) =>
      Effect.gen(function* () {
        const journal = yield* place.open()
        expect(yield* journal.append(notes(2), { durability })).toEqual([1, 2])
        const { position } = yield* journal.head
        expect(position).toBe(2)
      }))

    test(`is opened with durability "${durability}" for all appends`, (place) =>
      Effect.gen(function* () {
        const journal = yield* place.open({ durability })
        yield* atMost(10, notes(50), (draft) => journal.append([draft]))
        expect(positionsOf(yield* journal.read())).toEqual(upTo(50))
        yield* journal.verify()
      }))
  }

  const beyond = (["memory", "os", "disk"] as const).filter((level) => !can.durabilities.includes(level))
  if (beyond.length > 0) {
    test("refuses a durability that the store does not offer", (place) =>
      Effect.gen(function* () {
        const journal = yield* place.open()
        for (const durability of beyond) {
          const refused = { _tag: "Invalid", field: "durability" }
          expect(yield* reasonOf(journal.append(notes(1), { durability }))).toEqual(refused)
          // One in memory is not asked for another when it is opened.
          if (can.durable) expect(yield* reasonOf(Effect.scoped(place.open({ durability })))).toEqual(refused)
        }
        expect((yield* journal.head).position).toBe(0)
      }))
  }

  for (const durability of can.durabilities) {
    test(`appends a hundred concurrent drafts completely, at durability "${durability}"`, (place) =>
      Effect.gen(function* () {
        const journal = yield* place.open({ durability })
        const answers = yield* Effect.forEach(
          upTo(100),
          (n) => journal.append(notes(1 + n % 4, `id-${n}`)),
          { concurrency: "unbounded" },
        )
        const all = answers.flat()
        expect(all.toSorted((a, b) => a - b)).toEqual(upTo(all.length))
        for (const [index, positions] of answers.entries()) {
          const entries = yield* journal.read({ filter: { correlationId: `id-${index + 1}` } })
          expect(positionsOf(entries)).toEqual(positions)
          expect(positions).toEqual(upTo((positions[0] ?? 0) + (index + 1) % 4, positions[0]))
          expect(textsOf(entries)).toEqual(upTo(positions.length).map(String))
        }
        yield* journal.verify()
      }))
  }

  test("keeps the order of consecutive appends of one fiber while others append", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* Effect.forEach(
        upTo(10),
        (who) => Effect.forEach(notes(20, `w-${who}`), (draft) => journal.append([draft])),
        { concurrency: "unbounded" },
      )
      for (const who of upTo(10)) {
        expect(textsOf(yield* journal.read({ filter: { correlationId: `w-${who}` } }))).toEqual(upTo(20).map(String))
      }
    }))

  test("returns an acknowledged entry to every later read", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* atMost(12, upTo(60), (n) =>
        Effect.gen(function* () {
          const [position = 0] = yield* journal.append([note("n", String(n))])
          const [entry] = yield* journal.read({ after: position - 1, maxEntries: 1 })
          expect(entry?.body?.["text"]).toBe(String(n))
          expect((yield* journal.head).position).toBeGreaterThanOrEqual(position)
        }))
    }))

  for (const durability of can.durabilities) {
    test(`keeps all or nothing of an interrupted append, and continues: "${durability}"`, (place) =>
      Effect.gen(function* () {
        const journal = yield* place.open({ durability })
        const { int } = random(11)
        const fates = yield* atMost(7, upTo(120), (n) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(journal.append(notes(3, `id-${n}`)))
            const steps = int(0, 12)
            for (let step = 0; step < steps; step++) yield* Effect.yieldNow
            if (n % 10 === 0) yield* pause(int(0, 3))
            yield* Fiber.interrupt(fiber)
            // The interrupted caller knows when it is over: nothing is appended later.
            const kept = yield* journal.read({ filter: { correlationId: `id-${n}` } })
            return { exit: yield* Fiber.await(fiber), kept: kept.length, n }
          }))
        expect(yield* journal.append(notes(1, "last"))).toHaveLength(1)
        for (const { exit, kept, n } of fates) {
          const entries = yield* journal.read({ filter: { correlationId: `id-${n}` } })
          expect(textsOf(entries)).toEqual(kept === 0 ? [] : ["1", "2", "3"])
          expect(entries).toHaveLength(kept)
          if (Exit.isSuccess(exit)) expect(positionsOf(entries)).toEqual(exit.value)
        }
        const entries = yield* everything(journal)
        expect(positionsOf(entries)).toEqual(upTo(entries.length))
        yield* journal.verify()
      }))
  }
}
