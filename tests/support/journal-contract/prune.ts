import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { everything, later, note, notes, type Part, positionsOf, reasonOf, upTo } from "./target.ts"

export const prune: Part = (test) => {
  test("removes entries up to a position, records that in a checkpoint, and verifies", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(10))
      const [, , third] = yield* journal.read()
      const report = yield* journal.prune({ through: 3, by: "me", why: "for the test" })
      expect(report).toEqual({ through: 3, removed: 3, stripped: 0, checkpoints: [11] })
      const entries = yield* journal.read()
      expect(positionsOf(entries)).toEqual(upTo(11, 4))
      const body = { _tag: "Checkpoint", kind: "removed", through: 3, hash: third?.hash, count: 3 }
      expect(entries.at(-1)).toMatchObject({ branch: "journal", correlationId: "journal", tag: "Checkpoint" })
      expect(entries.at(-1)?.body).toEqual({ ...body, by: "me", why: "for the test" })
      expect(yield* journal.verify()).toMatchObject({ entries: 8, removedThrough: 3 })
      expect(yield* journal.append(notes(1))).toEqual([12])
    }))

  test("removes nothing and appends no checkpoint when there is nothing to prune", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      const nothing = { through: 0, removed: 0, stripped: 0, checkpoints: [] }
      for (const options of [{}, { through: 0 }, { keepEntries: 0 }, { correlationIds: ["n"] }, { olderThan: 0 }]) {
        expect(yield* journal.prune(options)).toEqual(nothing)
      }
      yield* journal.append(notes(10))
      for (
        const options of [
          {},
          { through: 0 },
          { through: 5, keepFrom: 1 },
          { keepEntries: 10 },
          { keepBytes: 1_000_000 },
          { olderThan: "1 hour" as const },
          { correlationIds: ["nobody"] },
          { correlationIds: ["n"], keepFrom: 1 },
        ]
      ) expect(yield* journal.prune(options)).toEqual(nothing)
      expect((yield* journal.head).position).toBe(10)
    }))

  test("prunes by number and by size, and never the last entry", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(10))
      expect(yield* journal.prune({ keepEntries: 6 })).toMatchObject({ through: 4, removed: 4, checkpoints: [11] })
      yield* journal.verify()
      const text = "x".repeat(1_000)
      yield* journal.append(upTo(10).map(() => note("n", text)))
      const { removed } = yield* journal.prune({ keepBytes: 5_500 })
      expect(removed).toBeGreaterThan(10)
      expect((yield* everything(journal)).length).toBeLessThanOrEqual(6)
      yield* journal.verify()
      const { position } = yield* journal.head
      expect(yield* journal.prune({ keepEntries: 0 })).toMatchObject({ through: position - 1 })
      expect(positionsOf(yield* everything(journal))).toEqual([position, position + 1])
      yield* journal.verify()
      expect(yield* journal.prune({ through: 1_000_000 })).toMatchObject({ through: position })
      yield* journal.verify()
    }))

  test("prunes by age", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(40))
      yield* later(60_000)(journal.append(notes(7)))
      yield* later(120_000)(journal.append(notes(3)))
      yield* later(150_000)(journal.verify())
      expect(yield* later(150_000)(journal.prune({ olderThan: "2 minutes" }))).toMatchObject({
        through: 40,
        removed: 40,
      })
      expect(yield* later(150_000)(journal.prune({ olderThan: "1 minute" }))).toMatchObject({ through: 47, removed: 7 })
      yield* journal.verify()
    }))

  test("prunes by age up to the first entry that is young, also where the clock stepped back", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(10))
      // The clock was an hour ahead for a while, and was set back.
      yield* later(3_600_000)(journal.append(notes(20)))
      yield* later(60_000)(journal.append(notes(30)))
      yield* later(120_000)(journal.append(notes(1)))
      expect(yield* later(150_000)(journal.prune({ olderThan: "1 minute" }))).toMatchObject({
        through: 10,
        removed: 10,
      })
      expect(positionsOf(yield* everything(journal))).toEqual(upTo(62, 11))
    }))

  test("applies the limit that removes most, and keeps everything from keepFrom on", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(20))
      expect(yield* journal.prune({ through: 2, keepEntries: 15 })).toMatchObject({ through: 5 })
      expect(yield* journal.prune({ through: 12, keepEntries: 1, keepFrom: 9 })).toMatchObject({ through: 8 })
      expect(positionsOf(yield* journal.read({ maxEntries: 1 }))).toEqual([9])
      yield* journal.verify()
    }))

  test("strips the bodies of some correlation ids at any position", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(upTo(30).map((n) => note(`id-${n % 3}`, `secret ${n}`)))
      const before = yield* everything(journal)
      const report = yield* journal.prune({ correlationIds: ["id-1", "nobody", "id-1"], keepFrom: 22 })
      expect(report).toEqual({ through: 0, removed: 0, stripped: 7, checkpoints: [31] })
      const after = yield* everything(journal)
      expect(after.slice(0, 30)).toEqual(
        before.map((entry) =>
          entry.correlationId === "id-1" && entry.position < 22 ? { ...entry, body: undefined } : entry
        ),
      )
      expect(after.at(-1)?.body).toMatchObject({ kind: "stripped", count: 7, through: 19 })
      expect(yield* journal.verify()).toMatchObject({ entries: 24, stripped: 7 })
      expect(yield* journal.prune({ correlationIds: ["id-1"], keepFrom: 22 })).toMatchObject({
        stripped: 0,
        checkpoints: [],
      })
      expect(yield* journal.prune({ correlationIds: ["id-1", "id-2"] })).toMatchObject({
        stripped: 13,
        checkpoints: [32],
      })
      expect(yield* journal.verify()).toMatchObject({ entries: 12, stripped: 20 })
      // Found by their tag and id all the same.
      expect(yield* journal.read({ filter: { correlationId: "id-1", tags: ["Noted"] } })).toHaveLength(10)
    }))

  test("verifies after every mixture of removals and strips", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(upTo(60).map((n) => note(`id-${n % 4}`)))
      yield* journal.prune({ correlationIds: ["id-1"] })
      yield* journal.verify()
      // What signs off is never emptied.
      expect(yield* journal.prune({ correlationIds: ["journal"] })).toMatchObject({ stripped: 0, checkpoints: [] })
      // Through the middle of those whose bodies are gone.
      yield* journal.prune({ through: 20 })
      expect(yield* journal.verify()).toMatchObject({ removedThrough: 20, stripped: 10 })
      yield* journal.prune({ through: 30, correlationIds: ["id-2", "id-1", "journal"] })
      expect(yield* journal.verify()).toMatchObject({ removedThrough: 30 })
      yield* journal.prune({ through: 59 })
      yield* journal.verify()
      yield* journal.prune({ correlationIds: ["id-0", "id-3"] })
      yield* journal.verify()
      // The checkpoints themselves go, and the last of them speaks for what they said.
      const { position } = yield* journal.head
      yield* journal.append(notes(5))
      yield* journal.prune({ through: position + 1 })
      expect(yield* journal.verify()).toMatchObject({ removedThrough: position + 1, stripped: 0 })
      yield* journal.prune({ keepEntries: 1 })
      yield* journal.verify()
    }))

  test("refuses limits of a prune that are not numbers", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(10))
      for (const field of ["through", "keepEntries", "keepBytes", "keepFrom"] as const) {
        for (const wrong of field === "keepBytes" ? [NaN, -1] : [NaN, -1, 1.5, -Infinity]) {
          expect(yield* reasonOf(journal.prune({ through: 1, [field]: wrong }))).toEqual({ _tag: "Invalid", field })
        }
      }
      expect(yield* reasonOf(journal.prune({ olderThan: NaN }))).toEqual({ _tag: "Invalid", field: "olderThan" })
      expect((yield* journal.head).position).toBe(10)
    }))
}
