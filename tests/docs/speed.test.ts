import { expect, it } from "vitest"
import { readFigures, speedPage } from "../../scripts/speed.mjs"

it("shows no word of a chart as a tag", () => {
  const figures = [{ row: "spawn", runtime: "deno", tool: "<b>&", value: 1, noise: 0 }]
  const row = { id: "spawn", title: "a < b", unit: "ms", digits: 0, better: "lower", tools: {} } as const
  const { charts } = speedPage({ ...readFigures(), figures, rows: [row] })
  expect(charts.get("spawn.svg")).toContain("&lt;b&gt;&amp;")
  expect(charts.get("spawn.svg")).toContain("a &lt; b")
})
