import { expect, it } from "vitest"
import { nextRow } from "../../bench/rounds.ts"

const row = (id: string, rounds: number, lastMs: number, more: { maxRounds?: number; urgent?: boolean } = {}) => ({
  id,
  rounds,
  lastMs,
  maxRounds: 5,
  ...more,
})

it("takes the row with the fewest rounds, the first of several", () => {
  expect(nextRow([row("a", 2, 10), row("b", 1, 10), row("c", 1, 10)], 100)?.id).toBe("b")
})

it("leaves out rows that do not fit into the time, or have all their rounds", () => {
  const rows = [row("long", 1, 200), row("whole", 1, 10, { maxRounds: 1 }), row("fits", 4, 100)]
  expect(nextRow(rows, 100)?.id).toBe("fits")
  expect(nextRow(rows, 99)).toBeUndefined()
})

it("takes an urgent row first, if there is time for it", () => {
  const rows = [row("a", 1, 10), row("slow", 3, 50, { urgent: true })]
  expect(nextRow(rows, 50)?.id).toBe("slow")
  expect(nextRow(rows, 49)?.id).toBe("a")
})

it("ends in time, whatever rounds take", () => {
  let left = 1_000
  const rows = [row("a", 1, 30), row("b", 1, 170), row("c", 1, 400, { maxRounds: 3 })].map((each) => ({ ...each }))
  for (let next = nextRow(rows, left); next !== undefined; next = nextRow(rows, left)) {
    left -= next.lastMs
    next.rounds++
  }
  expect(left).toBeGreaterThanOrEqual(0)
  expect(rows.map(({ rounds }) => rounds)).toEqual([4, 4, 2])
})
