/**
 * The page of leaves names every leaf that the package exports and every capability, and says of each cell what ran. That its
 * cells are true is asked by each contract itself, as it runs (`tests/support/contract/record.ts`).
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { makeCapabilities } from "@sluice/shell/leaf"
import { capabilityRow, columns, readPage, runtimes, sameColumn, writePage } from "../../scripts/leavesPage.mjs"
import { root } from "../../scripts/examples.mjs"

const text = readFileSync(join(root, "docs/leaves.md"), "utf8")
const page = readPage(text)
const branches = ["shells", "files"] as const

const sources = [
  "mod.ts",
  ...readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).map((file) => join("src", file)),
]
  .filter((file) => file.endsWith(".ts"))

it("names every leaf that the package exports as a namespace", () => {
  const leaves = new Set(
    sources.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/^export \* as (\w+(?:Shell|FileSystem)) from/gm)].map((
        match,
      ) => match[1] ?? "")
    ),
  )
  const shown = [...columns.shells, ...columns.files, ...sameColumn]
  expect([...leaves].filter((leaf) => !shown.includes(leaf))).toEqual([])
  expect(leaves.size).toBeGreaterThan(15)
})

it.each(branches)("has a value of every capability of every leaf, on each runtime: %s", (branch) => {
  const capabilities = branch === "shells"
    ? Object.keys(makeCapabilities())
    : ["leaf", "containment", "caseSensitive", "findCandidates", "watch"]
  const missing = capabilities.flatMap((name) =>
    columns[branch].flatMap((column) =>
      runtimes.flatMap((runtime) =>
        page.cell(branch, capabilityRow(name), column, runtime) === undefined
          ? [`${name} of ${column} on ${runtime}`]
          : []
      )
    )
  )
  expect(missing).toEqual([])
})

it.each(branches)("says of each promise that it was run, or why not: %s", (branch) => {
  const rows = [...page.tables[branch].keys()].filter((row) => !row.startsWith("`"))
  expect(rows.length).toBeGreaterThan(15)
  for (const row of rows) {
    for (const column of columns[branch]) {
      for (const runtime of runtimes) {
        const cell = page.cell(branch, row, column, runtime)
        const isLeftOut = page.leftOut.get(column)?.has(row) === true || isForOthers(row, column)
        expect([row, column, runtime, cell === "✓" || (cell === "–" && isLeftOut)]).toEqual([
          row,
          column,
          runtime,
          true,
        ])
      }
    }
  }
})

/** Promises about names of Windows. */
function isForOthers(row: string, column: string): boolean {
  return /Windows|only in case/.test(row) && !column.endsWith("on Windows")
}

it("is unchanged when it is read and written", () => {
  expect(writePage(page)).toBe(text)
})
