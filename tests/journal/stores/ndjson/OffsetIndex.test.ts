import { expect, it } from "@effect/vitest"
import { OffsetIndex } from "../../../../src/journal/stores/ndjson/OffsetIndex.ts"
import { forSeeds } from "../../../support/random.ts"

/** Where entries stand in a file whose lines are all alike. */
const offsetOf = (position: number): number => 100 + position * 1_000

it("finds the neighbours of a position, whatever the order of the additions", () => {
  forSeeds(50, ({ int }) => {
    const index = new OffsetIndex()
    for (let count = 0; count < 300; count++) {
      const position = int(1, 100_000)
      index.add(position, offsetOf(position))
    }
    for (let count = 0; count < 100; count++) {
      const position = int(1, 100_000)
      const { high, low } = index.neighbours(position)
      if (low !== undefined) expect(low.offset).toBe(offsetOf(low.position))
      if (high !== undefined) expect(high.offset).toBe(offsetOf(high.position))
      expect(low?.position ?? 0).toBeLessThanOrEqual(position)
      expect(high?.position ?? Infinity).toBeGreaterThan(position)
      const exactly = index.offsetOf(position)
      expect(exactly).toBe(low?.position === position ? offsetOf(position) : undefined)
    }
  })
})

it("stays small for any number of additions", () => {
  const index = new OffsetIndex()
  for (let position = 1; position <= 2_000_000; position += 50) index.add(position, offsetOf(position))
  expect(index.size).toBeGreaterThan(1_000)
  expect(index.size).toBeLessThanOrEqual(4_096)
  const { high, low } = index.neighbours(1_000_000)
  expect((high?.position ?? Infinity) - (low?.position ?? 0)).toBeLessThan(2_000)
})

it("keeps the offsets where recent scans ended, and drops the oldest", () => {
  const index = new OffsetIndex()
  for (let position = 1; position <= 100; position++) index.addReadEnd(position, offsetOf(position))
  expect(index.offsetOf(100)).toBe(offsetOf(100))
  expect(index.offsetOf(37)).toBe(offsetOf(37))
  expect(index.offsetOf(36)).toBeUndefined()
})
