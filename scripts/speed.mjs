/**
 * Makes `docs/speed.md` and its charts from `bench/figures.json`.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** @typedef {{ row: string, runtime: string, tool: string, value: number, ratio?: number, noise: number }} Figure */
/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} title
 * @property {string} unit
 * @property {number} digits
 * @property {"lower" | "higher"} better
 * @property {Readonly<Record<string, string>>} tools titles by id, in the order of the table
 */
/**
 * @typedef {object} Figures
 * @property {string} date
 * @property {number} minutes
 * @property {number} load
 * @property {ReadonlyArray<string>} machine
 * @property {ReadonlyArray<Figure>} figures
 * @property {ReadonlyArray<Row>} rows
 */

const root = fileURLToPath(new URL("..", import.meta.url))

/** @returns {Figures} */
export const readFigures = () => JSON.parse(readFileSync(join(root, "bench", "figures.json"), "utf8"))

/** @type {Readonly<Record<string, string>>} */
const runtimes = { deno: "Deno", bun: "Bun", node: "Node", all: "" }

/** Rows with a chart, in the order of the page. */
const drawn = [
  ...["spawn", "spawnCold", "concurrent", "bytes", "lines", "text", "waiting", "import", "cli", "bundle"],
  ...["post", "postLatency", "remoteLines", "journaledSpawn", "journaledLines"],
]

const escape = (/** @type {string} */ text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("`", "")

const kindOf = (/** @type {string} */ tool) =>
  tool.startsWith("sluice") ? "own" : tool === "raw" || tool.startsWith("raw:") || tool === "empty" ? "floor" : "peer"

const [labelWidth, barWidth, valueWidth, lineHeight] = [250, 300, 110, 20]

const style =
  "text{font:13px system-ui,sans-serif;fill:#333}.head{font-weight:600}.own{fill:#2f6fde}.floor{fill:#8a8f98}" +
  ".peer{fill:#c3c8d0}@media(prefers-color-scheme:dark){text{fill:#ddd}.peer{fill:#555b66}.own{fill:#5b93f5}}"

/**
 * A chart of one row: a group of bars for each runtime, a bar for each tool.
 *
 * @param {Row} row
 * @param {ReadonlyArray<Figure>} all
 */
const chartOf = (row, all) => {
  const figures = all.filter((figure) => figure.row === row.id && figure.tool !== "empty")
  /** @type {Array<string>} */
  const parts = []
  let y = 0
  for (const [runtime, name] of Object.entries(runtimes)) {
    const group = figures.filter((figure) => figure.runtime === runtime)
    if (group.length === 0) continue
    const longest = Math.max(...group.map(({ value }) => value))
    if (name !== "") {
      parts.push(`<text class="head" x="0" y="${y + 15}">${name}</text>`)
      y += lineHeight
    }
    for (const { ratio, tool, value } of group) {
      const width = Math.max(1, Math.round(barWidth * Math.max(0, value) / longest))
      const text = `${value.toFixed(row.digits)} ${row.unit}${ratio === undefined ? "" : ` · ${ratio.toFixed(2)} ×`}`
      parts.push(
        `<text x="10" y="${y + 14}">${escape(row.tools[tool] ?? tool)}</text>` +
          `<rect class="${kindOf(tool)}" x="${labelWidth}" y="${y + 4}" width="${width}" height="12" rx="2"/>` +
          `<text x="${labelWidth + width + 6}" y="${y + 14}">${text}</text>`,
      )
      y += lineHeight
    }
    y += 8
  }
  const width = labelWidth + barWidth + valueWidth
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img">
<title>${escape(row.title)}: ${row.unit}, ${row.better} is better</title><style>${style}</style>
${parts.join("\n")}
</svg>
`
}

/**
 * The page, and its charts by file name.
 *
 * @param {Figures} figures
 */
export const speedPage = ({ date, figures, load, machine, minutes, rows }) => {
  const shown = drawn.flatMap((id) =>
    rows.filter((row) => row.id === id && figures.some((figure) => figure.row === id))
  )
  const page = [
    "# Speed",
    "",
    "Measured by `npm run bench`, which measures your machine too. All figures, with those of memory, deadlines and journals,",
    "are in [bench/RESULTS.md](https://github.com/sluice/shell/blob/main/bench/RESULTS.md).",
    "[Performance](performance.md) says how to spend less.",
    "",
    `- ${date}, ${Math.round(minutes)} minutes, load ${load.toFixed(2)} before`,
    ...machine.map((line) => `- ${line}`),
    "",
    "Each figure is the median of interleaved rounds, each in a process of its own. × is the ratio to the floor: the same",
    "by the bare runtime, written by hand, in the same run (for imports: to `effect` with Stream and Schema). Figures move from",
    "machine to machine more than ratios; below 25 % is noise. In a chart, Sluice is blue, the floor dark grey.",
    "",
    "## Figures",
    "",
    ...shown.flatMap(({ better, id, title, unit }) => [
      `**${title}** (${unit}, ${better} is better)`,
      "",
      `![${title.replaceAll("`", "")}](./speed/${id}.svg)`,
      "",
    ]),
  ]
  return {
    page: `${page.join("\n").trimEnd()}\n`,
    charts: new Map(shown.map((row) => [`${row.id}.svg`, chartOf(row, figures)])),
  }
}
