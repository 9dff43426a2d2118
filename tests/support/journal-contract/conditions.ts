import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { startsEachOnce } from "../startsEachOnce.ts"
import { appendEach, note, notes, type Part, positionsOf, reasonOf, textsOf, upTo } from "./target.ts"

export const conditions: Part = (test) => {
  test("appends under a condition only if no entry matches, and otherwise fails with the position of a match", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* appendEach(journal, [note("a"), note("b", "", "Taken"), note("a", "", "Taken", "other")])
      const under = (
        condition: { after: number; noneOf: { correlationId?: string; branch?: string; tags?: string[] } },
      ) => journal.append([note("x")], { condition })
      const conflict = (position: number) => ({ _tag: "Conflict", position })
      expect(yield* reasonOf(under({ after: 0, noneOf: {} }))).toEqual(conflict(1))
      expect(yield* reasonOf(under({ after: 0, noneOf: { correlationId: "b" } }))).toEqual(conflict(2))
      expect(yield* reasonOf(under({ after: 1, noneOf: { correlationId: "a" } }))).toEqual(conflict(3))
      expect(yield* reasonOf(under({ after: 2, noneOf: { branch: "other", tags: ["No", "Taken"] } }))).toEqual(
        conflict(3),
      )
      expect((yield* journal.head).position).toBe(3)
      expect(yield* under({ after: 3, noneOf: {} })).toEqual([4])
      expect(yield* under({ after: 0, noneOf: { tags: [] } })).toEqual([5])
      expect(yield* under({ after: 2, noneOf: { correlationId: "b" } })).toEqual([6])
      expect(yield* under({ after: 0, noneOf: { correlationId: "a", branch: "notes", tags: ["Taken"] } })).toEqual([7])
    }))

  test("lets exactly one of twenty concurrent appends under one condition succeed", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      for (const id of ["first", "second", "third"]) {
        const { position } = yield* journal.head
        const condition = { after: position, noneOf: { correlationId: id, tags: ["Leased"] } }
        const results = yield* Effect.forEach(
          upTo(20),
          (who) => Effect.result(journal.append([note(id, String(who), "Leased"), note(id)], { condition })),
          { concurrency: "unbounded" },
        )
        const winners = results.filter(Result.isSuccess)
        expect(winners.map((winner) => winner.success)).toEqual([[position + 1, position + 2]])
        for (const loser of results.filter(Result.isFailure)) {
          expect(loser.failure.reason).toEqual({ _tag: "Conflict", position: position + 1 })
        }
        const leased = yield* journal.read({ filter: { correlationId: id, tags: ["Leased"] } })
        expect(textsOf(leased)).toEqual([String(results.findIndex(Result.isSuccess) + 1)])
      }
    }))

  test("appends once for each of many callers, started by Effect.forEach a few at a time", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      const taken = { after: 0, noneOf: { correlationId: "taken" } }
      yield* journal.append([note("taken")])
      // Some are refused at once; some wait for the entry that they appended, so that an append resumes them.
      const all = yield* startsEachOnce(
        60,
        (n) =>
          n % 5 === 4
            ? reasonOf(journal.append([note("callers", "refused")], { condition: taken }))
            : Effect.flatMap(journal.append([note("callers", String(n))]), ([position = 0]) =>
              n % 2 === 0
                ? Effect.void
                : journal.waitFor({ after: position - 1, filter: { correlationId: "callers" } })),
      )
      const appended = textsOf(yield* journal.read({ filter: { correlationId: "callers" } })).map(Number)
      expect(appended.toSorted((a, b) => a - b)).toEqual(all.filter((n) => n % 5 !== 4))
    }))

  test("checks the condition of each append of a group against the appends before it, and always appends without a condition", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      const appends = upTo(30).map((n) =>
        n % 3 === 0 ? journal.append([note("plain", String(n))]) : journal.append([note(`lease-${n % 5}`, String(n))], {
          condition: { after: 0, noneOf: { correlationId: `lease-${n % 5}` } },
        })
      )
      const results = yield* Effect.forEach(appends, Effect.result, { concurrency: "unbounded" })
      const positions = results.flatMap((result) => Result.isSuccess(result) ? result.success : [])
      const entries = yield* journal.read()
      expect(positionsOf(entries)).toEqual(upTo(15))
      expect(positions.toSorted((a, b) => a - b)).toEqual(upTo(15))
      expect(results.filter(Result.isFailure)).toHaveLength(15)
      expect(textsOf(yield* journal.read({ filter: { correlationId: "plain" } }))).toEqual(
        upTo(10).map((n) => String(3 * n)),
      )
      for (const lease of [0, 1, 2, 3, 4]) {
        expect(yield* journal.read({ filter: { correlationId: `lease-${lease}` } })).toHaveLength(1)
      }
      yield* journal.verify()
    }))

  test("refuses a condition whose position is not a whole number from 0", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(1))
      for (const after of [-1, 0.5, NaN]) {
        expect(yield* reasonOf(journal.append(notes(1), { condition: { after, noneOf: {} } }))).toEqual({
          _tag: "Invalid",
          field: "condition.after",
        })
      }
    }))
}
