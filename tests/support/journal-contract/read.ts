import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Draft, Filter } from "@sluice/shell/journal"
import { random } from "../random.ts"
import { notes, type Part, positionsOf, reasonOf, upTo } from "./target.ts"

const ids = ["one", "two", "three"]
const branches = ["compute", "notes"]
const tags = ["Asked", "Answered", "Failed"]

const mixed = (count: number): ReadonlyArray<Draft> => {
  const { pick } = random(7)
  return Array.from({ length: count }, (_, index) => ({
    branch: pick(branches),
    correlationId: pick(ids),
    body: { _tag: pick(tags), index },
  }))
}

const orNone = <A>(items: ReadonlyArray<A>): ReadonlyArray<A | undefined> => [undefined, ...items]

const filters: ReadonlyArray<Filter> = orNone([...ids, "nobody"]).flatMap((correlationId) =>
  orNone([...branches, "nowhere"]).flatMap((branch) =>
    orNone([[], ["Asked"], ["Answered", "Failed"], ["Nothing"], tags]).map((some) => ({
      ...(correlationId === undefined ? undefined : { correlationId }),
      ...(branch === undefined ? undefined : { branch }),
      ...(some === undefined ? undefined : { tags: some }),
    }))
  )
)

const means = (filter: Filter, { body, branch, correlationId }: Draft): boolean =>
  (filter.correlationId ?? correlationId) === correlationId && (filter.branch ?? branch) === branch &&
  (filter.tags ?? [body._tag]).includes(body._tag)

const size = 60

export const read: Part = (test) => {
  test("reads the entries that match, in both directions, for every filter", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      const drafts = mixed(size)
      yield* journal.append(drafts)
      for (const filter of filters) {
        const wanted = upTo(size).filter((position) => means(filter, drafts[position - 1] ?? notes(1)[0]!))
        expect(positionsOf(yield* journal.read({ filter }))).toEqual(wanted)
        expect(positionsOf(yield* journal.readBackward({ filter }))).toEqual(wanted.toReversed())
      }
    }))

  test("reads from a position, up to a limit", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      const drafts = mixed(size)
      yield* journal.append(drafts)
      for (const filter of [undefined, { correlationId: "two" }, { branch: "notes", tags: ["Asked", "Failed"] }]) {
        const wanted = upTo(size).filter((position) => means(filter ?? {}, drafts[position - 1] ?? notes(1)[0]!))
        for (const edge of [0, 1, 2, 17, 18, size - 1, size, size + 1, 1_000_000]) {
          for (const maxEntries of [0, 1, 3, size, 1_000_000]) {
            expect(positionsOf(yield* journal.read({ filter, after: edge, maxEntries }))).toEqual(
              wanted.filter((position) => position > edge).slice(0, maxEntries),
            )
            expect(positionsOf(yield* journal.readBackward({ filter, before: edge, maxEntries }))).toEqual(
              wanted.toReversed().filter((position) => position < edge).slice(0, maxEntries),
            )
          }
        }
      }
    }))

  test("reads a thousand entries without a limit", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(1_005))
      expect(positionsOf(yield* journal.read())).toEqual(upTo(1_000))
      expect(positionsOf(yield* journal.readBackward())).toEqual(upTo(1_005, 6).toReversed())
      expect(positionsOf(yield* journal.read({ maxEntries: Infinity }))).toEqual(upTo(1_005))
      expect(positionsOf(yield* journal.readBackward({ maxEntries: Infinity }))).toEqual(upTo(1_005).toReversed())
    }))

  test("refuses a position or a limit that is not a whole number from 0", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(3))
      for (const wrong of [-1, 1.5, NaN, -Infinity]) {
        expect(yield* reasonOf(journal.read({ after: wrong }))).toEqual({ _tag: "Invalid", field: "after" })
        expect(yield* reasonOf(journal.read({ maxEntries: wrong }))).toEqual({ _tag: "Invalid", field: "maxEntries" })
        expect(yield* reasonOf(journal.readBackward({ before: wrong }))).toEqual({ _tag: "Invalid", field: "before" })
        expect(yield* reasonOf(journal.readBackward({ maxEntries: wrong }))).toEqual({
          _tag: "Invalid",
          field: "maxEntries",
        })
      }
    }))
}
