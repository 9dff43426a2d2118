/** Tests the summary at the end of a run, which is made of the test runner's reports. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { failedFiles, flakyProblems, ranNowhere, readResults, summarize } from "../../scripts/reports.mjs"
import known from "../flaky.json" with { type: "json" }

let folder = ""

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-reports-"))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const resultsOf = (file: string) => {
  const results = readResults(file, "/root")
  if (results === undefined) throw new Error("no report")
  return results
}

const report = async (name: string, tests: Readonly<Record<string, string>>, tested = "a") => {
  const file = join(folder, name)
  const assertionResults = Object.entries(tests).map(([fullName, status]) => ({ fullName, status }))
  await writeFile(file, JSON.stringify({ testResults: [{ name: `/root/tests/${tested}.test.ts`, assertionResults }] }))
  return summarize(resultsOf(file))
}

it("counts passed, failed and skipped tests, and names the failed ones", async () => {
  expect(await report("one", { a: "passed", b: "failed", c: "skipped", d: "todo", e: "passed" })).toEqual({
    passed: 2,
    failed: 1,
    skipped: 2,
    failures: [join("tests", "a.test.ts") + ": b"],
    skips: [join("tests", "a.test.ts") + ": c", join("tests", "a.test.ts") + ": d"],
    files: [join("tests", "a.test.ts")],
    slowest: [],
  })
})

it("says why a test failed, without the stack", async () => {
  const file = join(folder, "why")
  const failed = {
    fullName: "counts",
    status: "failed",
    failureMessages: ["Error: 1 is not 2\nafter 3 tries\n    at count (/root/a.ts:1:1)\n"],
  }
  await writeFile(
    file,
    JSON.stringify({ testResults: [{ name: "/root/tests/a.test.ts", assertionResults: [failed] }] }),
  )
  expect(summarize(resultsOf(file)).failures).toEqual([
    join("tests", "a.test.ts") + ": counts\nError: 1 is not 2\nafter 3 tries",
  ])
})

it("names a file that failed as a whole", async () => {
  const file = join(folder, "broken")
  const broken = {
    name: "/root/tests/b.test.ts",
    status: "failed",
    message: "No test suite found\nat",
    assertionResults: [],
  }
  await writeFile(file, JSON.stringify({ testResults: [broken] }))
  expect(summarize(resultsOf(file))).toMatchObject({
    passed: 0,
    failed: 1,
    failures: [join("tests", "b.test.ts") + ": No test suite found"],
  })
  expect(failedFiles(resultsOf(file))).toEqual([
    { file: join("tests", "b.test.ts"), error: join("tests", "b.test.ts") + ": No test suite found" },
  ])
})

it("is nothing where there is no report", () => {
  expect(readResults(join(folder, "none"), folder)).toBe(undefined)
})

it("names a test that every run skipped, and none that one run took", async () => {
  const runs = [
    await report("deno", { everywhere: "skipped", once: "skipped", "bun: left out": "skipped" }),
    await report("bun", { everywhere: "pending", once: "passed" }),
    await report("node", { everywhere: "skipped", once: "skipped", "bun: left out": "skipped" }),
  ]
  expect(ranNowhere(runs)).toEqual([join("tests", "a.test.ts") + ": everywhere"])
})

it("names a test that was skipped by the one run that has its file", async () => {
  const runs = [await report("deno", { skip: "skipped", run: "passed" }, "b"), await report("node", { a: "passed" })]
  expect(ranNowhere(runs)).toEqual([join("tests", "b.test.ts") + ": skip"])
})

it("passes with three flaky files, and fails with four", () => {
  const flaky = ["a", "b", "c", "d"].map((file) => ({ step: "deno", file, error: "" }))
  expect(flakyProblems(flaky.slice(0, 3), {})).toEqual([])
  expect(flakyProblems(flaky, {})).toEqual(["4 flaky files: a run may have 3"])
})

it("fails when a file was flaky in two suites of a run, or in an earlier run", () => {
  const flaky = [{ step: "deno", file: "a", error: "" }, { step: "bun", file: "a", error: "" }]
  expect(flakyProblems(flaky, {})).toEqual(["a was flaky twice: deno, bun"])
  expect(flakyProblems(flaky.slice(1), { a: "late output" })).toEqual([
    "a was flaky before, says tests/flaky.json: late output",
  ])
  expect(flakyProblems([], { a: "late output" })).toEqual([])
})

it("tests/flaky.json names existing files", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url))
  expect(Object.keys(known).filter((file) => !existsSync(join(root, file)))).toEqual([])
})
