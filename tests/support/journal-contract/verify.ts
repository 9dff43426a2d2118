import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { JournalError, JournalService, VerifyReport } from "@sluice/shell/journal"
import { during, type JournalPlace, note, notes, type Part, reasonOf, type Tamper, upTo } from "./target.ts"

type Deed = (tamper: Tamper) => Effect.Effect<void, unknown>

/** A journal with 41 entries. */
const ordinary = (journal: JournalService) =>
  Effect.gen(function* () {
    yield* journal.append(notes(20))
    yield* journal.append([note("other", "é", "Told", "elsewhere")])
    yield* Effect.forEach(notes(20), (draft) => journal.append([draft]))
  })

/**
 * A journal that was pruned: entries 1 to 10 are gone, and the bodies of "a": those of 11, 13, … 29. Checkpoints are 41
 * (bodies of 1, 3, … 29), 42 (removed) and 43 (bodies of 11, 13, … 29), an entry of no special kind is 44.
 */
const pruned = (journal: JournalService) =>
  Effect.gen(function* () {
    yield* journal.append(upTo(40).map((n) => note(n % 2 === 1 && n < 30 ? "a" : "b", String(n))))
    yield* journal.prune({ correlationIds: ["a"] })
    yield* journal.prune({ through: 10 })
    yield* journal.append([note("last")])
    expect(yield* journal.verify()).toMatchObject({ entries: 24, stripped: 10, removedThrough: 10 })
  })

/** What is found after an intruder was there: when the journal is opened, or when it is verified. */
const found = (
  place: JournalPlace,
  prepare: (journal: JournalService) => Effect.Effect<void, JournalError>,
  deed: Deed,
): Effect.Effect<VerifyReport | JournalError["reason"], unknown> =>
  Effect.gen(function* () {
    const { tamper } = place
    if (tamper === undefined) return yield* Effect.die(new Error("nobody can tamper with it"))
    yield* during(place, prepare)
    yield* deed(tamper)
    return yield* during(place, (journal) => journal.verify()).pipe(
      Effect.catch((error) => Effect.succeed(error.reason)),
    )
  })

export const verify: Part = (test, { can }) => {
  test("verifies an empty journal", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      expect(yield* journal.verify()).toEqual({
        entries: 0,
        stripped: 0,
        removedThrough: 0,
        head: { position: 0, hash: "0".repeat(64) },
        expected: "none",
      })
      yield* journal.verify({ expect: { position: 0, hash: "0".repeat(64) } })
    }))

  test("verifies while others append", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(2_000))
      yield* Effect.forkChild(Effect.forEach(notes(200), (draft) => journal.append([draft])))
      for (let round = 0; round < 3; round++) {
        const { entries, head } = yield* journal.verify()
        expect(entries).toBe(head.position)
        expect(entries).toBeGreaterThanOrEqual(2_000)
      }
    }))

  test("verifies a recorded head, and rejects the head of another journal", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(5))
      const head = yield* journal.head
      yield* journal.append(notes(5))
      expect(yield* journal.verify({ expect: head })).toMatchObject({ entries: 10, expected: "holds" })
      const other = { position: 4, hash: head.hash }
      expect(yield* reasonOf(journal.verify({ expect: other }))).toMatchObject({ _tag: "Corrupt", position: 4 })
      const longer = { position: 12, hash: head.hash }
      expect(yield* reasonOf(journal.verify({ expect: longer }))).toMatchObject({ _tag: "Corrupt", position: 11 })
      const error = yield* Effect.flip(journal.verify({ expect: longer }))
      expect(error.message).toMatch(/^journal: entry 11 does not hold: /)
    }))

  test("reports whether an expected head was found or was pruned", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(5))
      const five = yield* journal.head
      yield* journal.append(notes(1))
      const six = yield* journal.head
      yield* journal.append(notes(1))
      yield* journal.prune({ through: 6 })
      expect(yield* journal.verify({ expect: five })).toMatchObject({ expected: "pruned" })
      expect(yield* journal.verify({ expect: six })).toMatchObject({ expected: "holds" })
      const other = { position: 6, hash: five.hash }
      expect(yield* reasonOf(journal.verify({ expect: other }))).toMatchObject({ _tag: "Corrupt", position: 6 })
    }))

  test("verifies while others prune, and reports no damage for it", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(upTo(3_000).map((n) => note(`id-${n % 5}`, String(n))))
      yield* journal.prune({ correlationIds: ["id-0"] })
      const pruning = yield* Effect.forkChild(Effect.gen(function* () {
        yield* journal.prune({ correlationIds: ["id-1"] })
        for (const through of [400, 500, 1_300, 1_301, 2_000, 2_500]) {
          yield* journal.prune({ through })
          yield* journal.append(notes(1))
          yield* journal.prune({ correlationIds: [`id-${through % 3 + 2}`], keepFrom: through + 600 })
          yield* Effect.yieldNow
        }
      }))
      let rounds = 0
      while (pruning.pollUnsafe() === undefined || rounds < 2) {
        yield* journal.verify()
        rounds++
      }
      yield* Fiber.join(pruning)
      expect(yield* journal.verify()).toMatchObject({ removedThrough: 2_500 })
    }))

  if (!can.durable) return

  const corrupt = (position: number) => ({ _tag: "Corrupt", position })

  const deeds: Readonly<Record<string, readonly [position: number, deed: Deed]>> = {
    "a body": [7, (tamper) => tamper.change(7, { body: '{"_tag":"Noted","text":"other"}' })],
    "a body, in its spelling only": [7, (tamper) => tamper.change(7, { body: '{ "_tag":"Noted","text":"7"}' })],
    "a body that is gone": [7, (tamper) => tamper.change(7, { body: "" })],
    "the first body": [1, (tamper) => tamper.change(1, { body: '{"_tag":"Noted","text":"other"}' })],
    "the last body": [41, (tamper) => tamper.change(41, { body: '{"_tag":"Noted","text":"other"}' })],
    "a hash": [9, (tamper) => tamper.change(9, { hash: "a".repeat(64) })],
    "the last hash": [41, (tamper) => tamper.change(41, { hash: "a".repeat(64) })],
    "a time": [5, (tamper) => tamper.change(5, { time: 1 })],
    "a tag": [21, (tamper) => tamper.change(21, { tag: "Noted" })],
    "a branch": [21, (tamper) => tamper.change(21, { branch: "notes" })],
    "a correlation id": [21, (tamper) => tamper.change(21, { correlationId: "n" })],
    "a version": [21, (tamper) => tamper.change(21, { version: 2 })],
    "a row that is gone": [12, (tamper) => tamper.remove(12)],
    "the first row gone": [1, (tamper) => tamper.remove(1)],
    "two rows that changed places": [3, (tamper) => tamper.swap(3, 30)],
    "the first of several": [
      4,
      (tamper) => Effect.andThen(tamper.change(30, { time: 1 }), tamper.change(4, { time: 1 })),
    ],
  }

  for (const [what, [position, deed]] of Object.entries(deeds)) {
    test(`names the first invalid position: ${what}`, (place) =>
      Effect.gen(function* () {
        expect(yield* found(place, ordinary, deed)).toMatchObject(corrupt(position))
      }))
  }

  const afterPruning: Readonly<Record<string, readonly [position: number, deed: Deed]>> = {
    "the first body that is left": [12, (tamper) => tamper.change(12, { body: '{"_tag":"Noted","text":"other"}' })],
    "one entry more gone": [11, (tamper) => tamper.remove(11)],
    "one body more gone": [12, (tamper) => tamper.change(12, { body: "" })],
    "one body more gone, of an entry whose neighbours lost theirs": [14, (tamper) => tamper.change(14, { body: "" })],
    "a body that is back": [13, (tamper) => tamper.change(13, { body: '{"_tag":"Noted","text":"13"}', tag: "Other" })],
    "the time of an entry without body": [11, (tamper) => tamper.change(15, { time: 1 })],
    "the tag of an entry without body": [11, (tamper) => tamper.change(15, { tag: "Other" })],
    "the correlation id of an entry without body": [11, (tamper) => tamper.change(29, { correlationId: "b" })],
    "the hash of an entry without body": [16, (tamper) => tamper.change(15, { hash: "a".repeat(64) })],
    "an entry without body gone": [15, (tamper) => tamper.remove(15)],
    "the checkpoint that says what was removed": [1, (tamper) => tamper.remove(42)],
    "the checkpoint that says which bodies went": [43, (tamper) => tamper.remove(43)],
    "what the last checkpoint says": [
      43,
      (tamper) => tamper.change(43, { body: '{"_tag":"Noted","text":"other"}' }),
    ],
  }

  for (const [what, [position, deed]] of Object.entries(afterPruning)) {
    test(`names the first invalid position after pruning: ${what}`, (place) =>
      Effect.gen(function* () {
        expect(yield* found(place, pruned, deed)).toMatchObject(corrupt(position))
      }))
  }

  test("refuses to remove entries when the rest of a strip checkpoint does not match", (place) =>
    Effect.gen(function* () {
      yield* found(place, pruned, (tamper) => tamper.change(25, { time: 1 }))
      const reason = yield* reasonOf(during(place, (journal) => journal.prune({ through: 12 })))
      expect(reason).toMatchObject(corrupt(11))
      expect(yield* reasonOf(during(place, (journal) => journal.verify()))).toMatchObject(corrupt(11))
    }))

  test("detects a cut end only with a recorded head", (place) =>
    Effect.gen(function* () {
      const deed = (tamper: Tamper) => Effect.andThen(tamper.remove(41), tamper.remove(40))
      const all = yield* found(place, ordinary, deed)
      // A store that keeps its head beside its rows does know.
      expect([{ entries: 39 }, corrupt(40)]).toContainEqual(
        "entries" in all ? { entries: all.entries } : { _tag: all._tag, position: "position" in all && all.position },
      )
      const noted = { position: 41, hash: "a".repeat(64) }
      expect(yield* reasonOf(during(place, (journal) => journal.verify({ expect: noted })))).toMatchObject(corrupt(40))
    }))
}
