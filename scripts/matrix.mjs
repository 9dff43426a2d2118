/**
 * Writes `docs/leaves.md`: runs the contract of every leaf on every runtime, and shows what ran and passed.
 *
 * `node scripts/matrix.mjs` takes some minutes and writes the page anew. `node scripts/matrix.mjs deno ssh` runs the contracts
 * whose file names contain `ssh` on Deno, and changes those cells alone; with the word `capabilities` it runs no promise, and
 * only asks what leaves declare. The contracts of Windows run on Deno's turn, under Wine.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { capabilityRow, columnOf, LeavesPage, pagePath, readPage, runtimes, writePage } from "./leavesPage.mjs"
import { findRuntime } from "./runtimes.mjs"

/** @typedef {import("./leavesPage.mjs").Runtime} Runtime */
/** @typedef {import("./leavesPage.mjs").PageRecord} PageRecord */
/** @typedef {import("./leavesPage.mjs").LeafRecord} LeafRecord */
/** @typedef {{ contract?: PageRecord, leaf?: LeafRecord, elsewhere?: ReadonlyArray<PageRecord | LeafRecord>, runtime?: Runtime }} Meta */
/** @typedef {{ fullName: string, status: string, meta: Meta }} Test */

const root = fileURLToPath(new URL("..", import.meta.url))
const words = process.argv.slice(2)
const isRuntime = (/** @type {string} */ word) => runtimes.some((name) => name === word)
const wantedRuntimes = words.some(isRuntime) ? runtimes.filter((name) => words.includes(name)) : runtimes
const isAboutCapabilities = words.includes("capabilities")
const filters = words.filter((word) => !isRuntime(word) && word !== "capabilities")

const flags = { deno: ["run", "-A"], bun: ["--bun"], node: [] }

/** @type {Array<string>} */
const failures = []

/** @param {Runtime} name */
const runSuite = (name) => {
  const program = findRuntime(name, root)
  if (program === undefined) throw new Error(`${name} is not here: npm ci brings it`)
  const report = join(root, ".cache", "matrix", `${name}-${process.pid}.json`)
  mkdirSync(dirname(report), { recursive: true })
  rmSync(report, { force: true })
  // Windows has a suite of its own beside the contracts.
  const reporters = [
    `--testNamePattern=${
      isAboutCapabilities ? "declares what docs|passes (contract|files)\\.ts" : "^(?!.*passes main\\.ts)"
    }`,
    "--reporter=dot",
    "--reporter=json",
    `--outputFile=${report}`,
  ]
  // Two workers: leaves of real servers are slow when many run at once, and their tests wait in real time.
  spawnSync(program, [
    ...flags[name],
    "node_modules/vitest/vitest.mjs",
    "run",
    "--maxWorkers=2",
    ...reporters,
    ...filters,
  ], {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      SLUICE_SUITE: "matrix",
      SLUICE_WINE_RUNTIMES: "all",
      ...(isAboutCapabilities ? { SLUICE_CONTRACT: "capabilities" } : {}),
    },
  })
  if (!existsSync(report)) {
    throw new Error(`${name}: the test runner ended without a report, or no contract has such a name`)
  }
  /** @type {{ testResults: ReadonlyArray<{ name: string, status: string, message: string, assertionResults: ReadonlyArray<Test> }> }} */
  const { testResults } = JSON.parse(readFileSync(report, "utf8"))
  const failed = testResults.flatMap(({ assertionResults, message, name, status }) => [
    ...(status === "failed" && assertionResults.length === 0 ? [`${name}: ${message}`] : []),
    ...assertionResults.flatMap(({ fullName, status }) => status === "failed" ? [fullName] : []),
  ])
  failures.push(...failed.map((title) => `${name}: ${title}`))
  return testResults.flatMap(({ assertionResults }) => assertionResults)
}

const isWhole = !isAboutCapabilities && filters.length === 0 && wantedRuntimes.length === runtimes.length
/** @param {Runtime} runtime @param {PageRecord | LeafRecord} record */
const add = (runtime, record) => {
  const column = columnOf(record.leaf)
  if ("part" in record) return page.set(record.branch, record.part, column, { [runtime]: "✓" })
  for (const [row, value] of Object.entries(record.declared)) {
    page.set(record.branch, capabilityRow(row), column, { [runtime]: value })
  }
  const known = seen.has(column) ? page.leftOut.get(column) ?? [] : []
  seen.add(column)
  page.leftOut.set(column, new Map([...known, ...Object.entries(record.leftOut)]))
}

/** Leaves whose reasons are of this run. */
const seen = new Set()

/** @param {Meta} meta */
const recordsOf = ({ contract, elsewhere = [], leaf }) =>
  [contract, leaf, ...elsewhere].filter((record) => record !== undefined)

const isLocal = (/** @type {{ leaf: string }} */ { leaf }) => /^Local(?:Shell|FileSystem)$/.test(columnOf(leaf))

const suites = wantedRuntimes.map((name) => ({ name, tests: runSuite(name) }))
// As it stands now: another run may have written it meanwhile.
const page = !isWhole && existsSync(pagePath) ? readPage(readFileSync(pagePath, "utf8")) : new LeavesPage()

for (const { name, tests } of suites) {
  const keyOf = (/** @type {PageRecord} */ { branch, leaf, part }) => `${branch} ${columnOf(leaf)} ${part}`
  const broken = tests.flatMap(({ meta: { contract }, status }) =>
    status === "failed" && contract !== undefined ? [keyOf(contract)] : []
  )
  const records = tests.filter(({ status }) => status === "passed").flatMap(({ meta }) =>
    recordsOf(meta).map((record) => ({ record, runtime: meta.runtime ?? name }))
  ).filter(({ record }) => !("part" in record && broken.includes(keyOf(record))))
  // Its rows are the order of the page.
  const sorted = records.toSorted((a, b) => Number(isLocal(b.record)) - Number(isLocal(a.record)))
  for (const { record, runtime } of sorted) add(runtime, record)
}
writeFileSync(pagePath, writePage(page))
console.log("docs/leaves.md is written")
if (failures.length > 0) {
  console.error(`These failed, and are not on the page:\n${failures.join("\n")}`)
  process.exitCode = 1
}
