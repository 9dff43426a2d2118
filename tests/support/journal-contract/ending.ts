import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { pause } from "../eventually.ts"
import { during, everything, note, notes, type Part, positionsOf, reasonOf, tailed, textsOf, upTo } from "./target.ts"

const closed = { _tag: "Closed" }

export const ending: Part = (test, { can }) => {
  test("fails every operation with Closed after its Scope was closed", (place) =>
    Effect.gen(function* () {
      const journal = yield* during(place, (open) => Effect.as(open.append(notes(3)), open))
      expect(yield* reasonOf(journal.append(notes(1)))).toEqual(closed)
      expect(yield* reasonOf(journal.append(notes(1), { condition: { after: 9, noneOf: {} } }))).toEqual(closed)
      expect(yield* reasonOf(journal.read())).toEqual(closed)
      expect(yield* reasonOf(journal.readBackward())).toEqual(closed)
      expect(yield* reasonOf(journal.head)).toEqual(closed)
      expect(yield* reasonOf(journal.stats)).toEqual(closed)
      expect(yield* reasonOf(journal.verify())).toEqual(closed)
      expect(yield* reasonOf(journal.prune({ through: 1 }))).toEqual(closed)
      expect(yield* reasonOf(journal.waitFor({ after: 100 }))).toEqual(closed)
      expect(yield* reasonOf(tailed(journal, 1))).toEqual(closed)
    }))

  test("fails tails and waits with Closed when the journal is closed before they end", (place) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const journal = yield* Scope.provide(place.open(), scope)
      yield* journal.append(notes(3))
      const following = yield* Effect.forkChild(reasonOf(Stream.runDrain(journal.tail())))
      const waiting = yield* Effect.forkChild(reasonOf(journal.waitFor({ filter: { tags: ["Never"] } })))
      yield* pause(20)
      yield* Scope.close(scope, Exit.void)
      expect(yield* Fiber.join(following)).toEqual(closed)
      expect(yield* Fiber.join(waiting)).toEqual(closed)
    }))

  for (const durability of can.durabilities) {
    test(`writes and acknowledges queued appends before it is closed: "${durability}"`, (place) =>
      Effect.gen(function* () {
        for (const turns of [0, 1, 2, 3, 5, 8]) {
          const scope = yield* Scope.make()
          const journal = yield* Scope.provide(place.open({ durability }), scope)
          const appended: Array<number> = []
          const ids = upTo(40).map((n) => `t${turns}-${n}`)
          const fibers = yield* Effect.forEach(
            ids,
            (id) =>
              Effect.forkChild(
                Effect.exit(
                  Effect.tap(journal.append([note(id)]), (positions) => Effect.sync(() => appended.push(...positions))),
                ),
              ),
          )
          for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
          const tail = yield* Effect.forkChild(Effect.exit(Stream.runCollect(journal.tail())))
          yield* Scope.close(scope, Exit.void)
          const exits = yield* Effect.forEach(fibers, Fiber.join)
          // Each is answered: with its place, or with Closed.
          expect(exits.filter(Exit.isSuccess)).toHaveLength(appended.length)
          for (const exit of exits.filter(Exit.isFailure)) {
            const late = yield* Effect.flip(exit)
            expect(late.reason).toEqual(closed)
          }
          yield* Fiber.join(tail)
          if (!can.durable) continue
          const there = yield* during(place, everything)
          const mine = there.filter((entry) => entry.correlationId.startsWith(`t${turns}-`))
          expect(positionsOf(mine).toSorted((a, b) => a - b)).toEqual(appended.toSorted((a, b) => a - b))
        }
      }))
  }

  if (!can.durable) return

  test("has every entry when it is opened again, and appends after the last one", (place) =>
    Effect.gen(function* () {
      const before = yield* during(place, (journal) =>
        Effect.gen(function* () {
          yield* journal.append(notes(30, "a"))
          yield* journal.append([{
            branch: "b",
            correlationId: "c",
            version: 4,
            body: { _tag: "T", text: "é\ud83d\0" },
          }])
          yield* journal.append(notes(1_200, "d"))
          return { entries: yield* everything(journal), head: yield* journal.head }
        }))
      yield* during(place, (journal) =>
        Effect.gen(function* () {
          expect(yield* journal.head).toEqual(before.head)
          expect(yield* everything(journal)).toEqual(before.entries)
          expect(yield* journal.verify({ expect: before.head })).toMatchObject({ entries: 1_231 })
          expect(yield* journal.append(notes(2, "e"))).toEqual([1_232, 1_233])
        }))
      yield* during(place, (journal) =>
        Effect.gen(function* () {
          expect(textsOf(yield* journal.read({ filter: { correlationId: "e" } }))).toEqual(["1", "2"])
          expect(positionsOf(yield* tailed(journal, 1_233))).toEqual(upTo(1_233))
          yield* journal.verify({ expect: before.head })
        }))
    }))

  test("stays empty when it is opened, closed and opened again without an append", (place) =>
    Effect.gen(function* () {
      yield* during(place, (journal) => journal.head)
      yield* during(place, (journal) =>
        Effect.gen(function* () {
          expect((yield* journal.head).position).toBe(0)
          expect(yield* journal.append(notes(1))).toEqual([1])
        }))
    }))

  test("checks conditions against entries from before it was opened", (place) =>
    Effect.gen(function* () {
      yield* during(place, (journal) => journal.append([note("lease", "1", "Leased")]))
      yield* during(place, (journal) =>
        Effect.gen(function* () {
          const condition = { after: 0, noneOf: { correlationId: "lease", tags: ["Leased"] } }
          expect(yield* reasonOf(journal.append([note("lease")], { condition }))).toEqual({
            _tag: "Conflict",
            position: 1,
          })
        }))
    }))
}
