import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { notes, type Part } from "./target.ts"

export const stats: Part = (test) => {
  test("reports its size, its store and its location", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      expect(yield* journal.stats).toMatchObject({ entries: 0, first: 0, head: { position: 0 } })
      yield* journal.append(notes(50))
      const figures = yield* journal.stats
      expect(figures).toMatchObject({ entries: 50, first: 1, head: yield* journal.head })
      expect(figures.bytes).toBeGreaterThan(50 * 20)
      expect(figures.store).toMatch(/^[a-z]+$/)
      expect(figures.location).not.toBe("")
      yield* journal.prune({ through: 20 })
      expect(yield* journal.stats).toMatchObject({ entries: 31, first: 21, head: { position: 51 } })
    }))
}
