/** The page of speed and its charts are those of the committed figures. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../../scripts/examples.mjs"
import { readFigures, speedPage } from "../../scripts/speed.mjs"

const { charts, page } = speedPage(readFigures())
const folder = join(root, "docs", "speed")

it("has the figures of bench/figures.json: npm run speed", () => {
  expect(readFileSync(join(root, "docs", "speed.md"), "utf8")).toBe(page)
})

it("has the charts of these figures, and no others: npm run speed", () => {
  expect(readdirSync(folder).sort()).toEqual([...charts.keys()].sort())
  for (const [name, text] of charts) expect(readFileSync(join(folder, name), "utf8")).toBe(text)
})

it("shows no word of a chart as a tag", () => {
  const figures = [{ row: "spawn", runtime: "deno", tool: "<b>&", value: 1, noise: 0 }]
  const row = { id: "spawn", title: "a < b", unit: "ms", digits: 0, better: "lower", tools: {} } as const
  const { charts } = speedPage({ ...readFigures(), figures, rows: [row] })
  expect(charts.get("spawn.svg")).toContain("&lt;b&gt;&amp;")
  expect(charts.get("spawn.svg")).toContain("a &lt; b")
})
