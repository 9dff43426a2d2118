import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { JournalError, VerifyOptions, VerifyReport } from "@sluice/shell/journal"
import { during, type JournalPlace, note, notes, type Part, reasonOf, type Tamper } from "./target.ts"

/** What is found after an intruder was there. */
const found = (
  place: JournalPlace,
  durable: boolean,
  deed: (tamper: Tamper) => Effect.Effect<void, unknown>,
  options?: VerifyOptions,
): Effect.Effect<VerifyReport | JournalError["reason"], unknown> =>
  Effect.gen(function* () {
    const { tamper } = place
    if (tamper === undefined || !durable) return yield* Effect.die(new Error("nobody can tamper with it"))
    yield* during(place, (journal) =>
      Effect.gen(function* () {
        yield* journal.append(notes(20))
        yield* journal.append([note("other", "é", "Told", "elsewhere")])
        yield* Effect.forEach(notes(20), (draft) => journal.append([draft]))
      }))
    yield* deed(tamper)
    // It may be found when the journal is opened, or when it is verified: it must be found.
    return yield* during(place, (journal) => journal.verify(options)).pipe(
      Effect.catch((error) => Effect.succeed(error.reason)),
    )
  })

export const verify: Part = (test, { can }) => {
  test("holds an empty journal to be whole", (place) =>
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

  test("knows a head that was noted, and that the journal is not the one it was noted of", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(5))
      const head = yield* journal.head
      yield* journal.append(notes(5))
      expect((yield* journal.verify({ expect: head })).entries).toBe(10)
      const other = { position: 4, hash: head.hash }
      expect(yield* reasonOf(journal.verify({ expect: other }))).toMatchObject({ _tag: "Corrupt", position: 4 })
      const longer = { position: 12, hash: head.hash }
      expect(yield* reasonOf(journal.verify({ expect: longer }))).toMatchObject({ _tag: "Corrupt", position: 11 })
      const error = yield* Effect.flip(journal.verify({ expect: longer }))
      expect(error.message).toMatch(/^journal: entry 11 does not hold: /)
    }))

  if (!can.durable) return

  const corrupt = (position: number) => ({ _tag: "Corrupt", position })

  const deeds: Readonly<
    Record<string, readonly [position: number, deed: (tamper: Tamper) => Effect.Effect<void, unknown>]>
  > = {
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
    test(`names the first position that does not hold: ${what}`, (place) =>
      Effect.gen(function* () {
        expect(yield* found(place, can.durable, deed)).toMatchObject(corrupt(position))
      }))
  }

  test("cannot know that its end was cut off, unless the head was noted", (place) =>
    Effect.gen(function* () {
      const deed = (tamper: Tamper) => Effect.andThen(tamper.remove(41), tamper.remove(40))
      const all = yield* found(place, can.durable, deed)
      // A store that keeps its head beside its rows does know.
      expect([{ entries: 39 }, corrupt(40)]).toContainEqual(
        "entries" in all ? { entries: all.entries } : { _tag: all._tag, position: "position" in all && all.position },
      )
      const noted = { position: 41, hash: "a".repeat(64) }
      expect(yield* reasonOf(during(place, (journal) => journal.verify({ expect: noted })))).toMatchObject(corrupt(40))
    }))
}
