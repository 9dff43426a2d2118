import { describe, expect, it } from "@effect/vitest"
import { sqlite3 } from "../../../../src/kernel/tools/sqlite3/sqlite3.ts"
import { StatementScanner } from "../../../../src/kernel/tools/sqlite3/StatementScanner.ts"
import { Sandbox } from "../../../../src/sandbox/mod.ts"

const run = async (script: string): Promise<string> => {
  await using sandbox = await Sandbox.open({ programs: { sqlite3 } })
  const { stderr, stdout } = await sandbox.run(script, { check: false, timeout: "60 seconds" })
  return stdout + stderr
}

describe("sqlite3", () => {
  it("ends a statement without an end also where the clock of the sandbox stands still", async () => {
    const sql = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    await using sandbox = await Sandbox.open({ programs: { sqlite3 }, seed: "a" })
    // Where it blocks, it is interrupted first, or the script is by its time.
    const ended = await sandbox.run(`sqlite3 :memory: '${sql}'`, { check: false, timeout: "3 seconds" })
      .then(({ stderr }) => stderr, (cause: unknown) => String(cause))
    expect(ended).toMatch(/it was interrupted|TIMEOUT/)
  }, 30_000)

  it("reads 100,000 lines of a statement that does not end, and of one that is empty", async () => {
    expect(await run("yes 'select 1' | head -n 100000 | sqlite3 :memory: 2>&1 | head -n 1")).toContain("syntax error")
    expect(await run("(yes ';' | head -n 300000 | tr -d '\\n'; echo 'select 1;') | sqlite3 :memory:")).toBe("1\n")
  })

  it("refuses patterns and widths that are too long", async () => {
    const pattern = `select 'a' like replace(hex(zeroblob(600)), '00', 'ab')`
    expect(await run(`sqlite3 :memory: "${pattern}"`)).toContain("LIKE or GLOB pattern too complex")
    expect(await run("sqlite3 :memory: '.width 5 -1000000000' '.mode column' 'select 1, 2'"))
      .toContain("a width is at most 10000")
  })
})

const completes = (...lines: ReadonlyArray<string>): ReadonlyArray<boolean> => {
  const scanner = new StatementScanner()
  return lines.map((line) => scanner.add(`${line}\n`))
}

it("a statement ends with the line of its semicolon", () => {
  expect(completes("select 1;")).toEqual([true])
  expect(completes("select", "1", ";")).toEqual([false, false, true])
  expect(completes("select ';", ";'", ";")).toEqual([false, false, true])
  expect(completes("select 'it''s;", "';")).toEqual([false, true])
  expect(completes("select [;", "];")).toEqual([false, true])
  expect(completes("select 1 /* ;", "; */", ";")).toEqual([false, false, true])
  expect(completes("select 1; -- it's")).toEqual([true])
  expect(completes("select 1 -- ;", ";")).toEqual([false, true])
  expect(completes("create temp", "trigger t after insert on a begin", "select 1;", "end;"))
    .toEqual([false, false, false, true])
})
