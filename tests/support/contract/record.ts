/**
 * Records which promises a leaf keeps and which capabilities it declares, for `docs/leaves.md`, and compares them with that
 * page. The runner's JSON report has the records as meta data of the tests.
 */
import { existsSync, readFileSync } from "node:fs"
import process from "node:process"
import { fileURLToPath } from "node:url"
import {
  capabilityRow,
  columnOf,
  type LeafRecord,
  pagePath,
  type PageRecord,
  readPage,
  type Runtime,
} from "../../../scripts/leavesPage.mjs"

declare module "vitest" {
  interface TaskMeta {
    /** The promise that a test proves. */
    contract?: PageRecord
    /** What a leaf declares, and what of the contract is left out. */
    leaf?: LeafRecord
    /** Records of another process: of a runtime under Wine. */
    elsewhere?: ReadonlyArray<PageRecord | LeafRecord>
    /** The runtime of those. */
    runtime?: Runtime
  }
}

/** The runtime of this process, as the page names it. */
export const runtimeName: Runtime = "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node"

const [major = 0] = (process.versions.node ?? "").split(".").map(Number)

/** Whether this run writes the page. */
export const isPageRun: boolean = process.env["SLUICE_SUITE"] === "matrix"

/**
 * Whether this machine is like the one that the page was written on, where the leaf declares the same: Linux, and no older
 * runtime. A run that writes the page does not compare with it.
 */
const comparesWithPage = process.platform === "linux" && !isPageRun &&
  (runtimeName !== "node" || major >= 24)

/** Differences of a record from the page; none where the machine is another. */
export const differencesFromPage = (
  records: ReadonlyArray<PageRecord | LeafRecord>,
  runtime: Runtime = runtimeName,
): ReadonlyArray<string> => {
  const file = fileURLToPath(pagePath)
  if (!comparesWithPage || !existsSync(file)) return []
  const page = readPage(readFileSync(file, "utf8"))
  const remedy = "run `node scripts/matrix.mjs`, which writes docs/leaves.md"
  return records.flatMap((record) => {
    const column = columnOf(record.leaf)
    const expected: ReadonlyArray<readonly [row: string, value: string]> = "declared" in record
      ? Object.entries(record.declared).map(([name, value]) => [capabilityRow(name), value])
      : [[record.part, "✓"]]
    return expected.flatMap(([row, value]) => {
      const shown = page.cell(record.branch, row, column, runtime)
      return shown === value
        ? []
        : [`docs/leaves.md: ${row} of ${column} on ${runtime} is ${shown ?? "nothing"}, not ${value}: ${remedy}`]
    })
  })
}
