/** What a run says at its end, of what the test runner wrote down. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { ranNowhere, readReport } from "../../scripts/reports.mjs"

let folder = ""

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-reports-"))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const report = async (name: string, tests: Readonly<Record<string, string>>) => {
  const file = join(folder, name)
  const assertionResults = Object.entries(tests).map(([fullName, status]) => ({ fullName, status }))
  await writeFile(file, JSON.stringify({ testResults: [{ name: "/root/tests/a.test.ts", assertionResults }] }))
  const read = readReport(file, "/root")
  if (read === undefined) throw new Error("no report")
  return read
}

it("counts what passed, failed and was skipped, and names what failed", async () => {
  expect(await report("one", { a: "passed", b: "failed", c: "skipped", d: "todo", e: "passed" })).toEqual({
    passed: 2,
    failed: 1,
    skipped: 2,
    failures: [join("tests", "a.test.ts") + ": b"],
    skips: [join("tests", "a.test.ts") + ": c", join("tests", "a.test.ts") + ": d"],
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
  expect(readReport(file, "/root")?.failures).toEqual([
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
  expect(readReport(file, "/root")).toMatchObject({
    passed: 0,
    failed: 1,
    failures: [join("tests", "b.test.ts") + ": No test suite found"],
  })
})

it("is nothing where there is no report", () => {
  expect(readReport(join(folder, "none"), folder)).toBe(undefined)
})

it("names a test that every run skipped, and none that one run took", async () => {
  const runs = [
    await report("deno", { everywhere: "skipped", once: "skipped", "bun: left out": "skipped" }),
    await report("bun", { everywhere: "pending", once: "passed" }),
    await report("node", { everywhere: "skipped", once: "skipped", "bun: left out": "skipped" }),
  ]
  expect(ranNowhere(runs)).toEqual([join("tests", "a.test.ts") + ": everywhere"])
})
