import { expect, it } from "vitest"
import { changesOf } from "../../bench/compare.ts"
import type { Figure } from "../../bench/Figure.ts"

const rows = [
  { id: "spawn", better: "lower", by: "tools" },
  { id: "bytes", better: "higher", by: "tools" },
  { id: "memory", better: "lower", by: "tools", tolerance: 50 },
  { id: "bundle", better: "lower", by: "bundles" },
] as const

const figure = (row: string, value: number, more: Partial<Figure> = {}): Figure => ({
  row,
  runtime: "deno",
  tool: "sluice",
  value,
  rounds: 3,
  noise: 0,
  ...more,
})

const compare = (before: Figure, after: Figure, ratiosOnly = false) => changesOf(rows, [before], [after], ratiosOnly)

it("compares ratios where both runs have them: another machine is no change", () => {
  expect(compare(figure("spawn", 1, { ratio: 1.2 }), figure("spawn", 9, { ratio: 1.2 }))).toEqual([])
  expect(compare(figure("spawn", 1, { ratio: 1 }), figure("spawn", 1, { ratio: 1.5 }))).toMatchObject([
    { isRatio: true, before: 1, after: 1.5, worseBy: 50, isWorse: true },
  ])
})

it("knows which direction is better", () => {
  expect(compare(figure("bytes", 100), figure("bytes", 200))).toMatchObject([{ isWorse: false }])
  expect(compare(figure("bytes", 200), figure("bytes", 100))).toMatchObject([{ isWorse: true, worseBy: 50 }])
})

it("says nothing below 15 %, nor below the noise of both runs together", () => {
  expect(compare(figure("spawn", 100), figure("spawn", 114))).toEqual([])
  expect(compare(figure("spawn", 100), figure("spawn", 116))).toHaveLength(1)
  expect(compare(figure("spawn", 100, { noise: 30 }), figure("spawn", 149, { noise: 40 }))).toEqual([])
  expect(compare(figure("spawn", 100, { noise: 30 }), figure("spawn", 151, { noise: 40 }))).toHaveLength(1)
})

it("allows what a row tolerates in its unit", () => {
  expect(compare(figure("memory", 10), figure("memory", 60))).toEqual([])
  expect(compare(figure("memory", 10), figure("memory", 61))).toHaveLength(1)
})

it("with ratios alone leaves out other figures, but for sizes of bundles, which have no noise", () => {
  expect(compare(figure("bytes", 200), figure("bytes", 100), true)).toEqual([])
  expect(compare(figure("bundle", 100), figure("bundle", 103), true)).toHaveLength(1)
})

it("leaves out other tools, and rows that one run lacks", () => {
  expect(compare(figure("spawn", 1, { tool: "zx" }), figure("spawn", 9, { tool: "zx" }))).toEqual([])
  expect(changesOf(rows, [], [figure("spawn", 9)], false)).toEqual([])
})
