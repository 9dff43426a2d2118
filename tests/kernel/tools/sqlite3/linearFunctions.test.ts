import { expect, it } from "vitest"
import { sqlite3 } from "../../../../src/kernel/tools/sqlite3/sqlite3.ts"
import { Sandbox } from "../../../../src/sandbox/mod.ts"

const query = async (sql: string, timeout: "60 seconds" | "5 seconds" = "60 seconds"): Promise<string> => {
  await using sandbox = await Sandbox.open({ programs: { sqlite3 } })
  const { stderr, stdout } = await sandbox.run('sqlite3 :memory: "$1"', { args: [sql], check: false, timeout })
  return stdout + stderr
}

// What Debian's sqlite3 prints.
it.each([
  ["instr('häßlich', 'ß'), instr(x'0102', x'02'), instr('a', ''), instr('', 'a'), instr(12345, 34)", "3|2|1|0|3"],
  ["instr('aXa', x'58'), instr('aabaabaaab', 'aaab'), instr('ääb', 'b'), instr('abc', 'cd')", "2|7|3|0"],
  ["quote(instr(null, 'a')), quote(instr('a', null))", "NULL|NULL"],
  ["replace('abcabc', 'bc', 'Z'), replace('abc', '', 'x'), replace(5, 5, 66)", "aZaZ|abc|66"],
  ["replace('aaa', 'aa', 'b'), replace('aabaabaaab', 'aaab', '!'), replace('ab', 'b', 'cccc')", "ba|aabaab!|acccc"],
  ["quote(replace('a', null, 'b')), quote(replace('a', 'a', '')), quote(replace(null, 'a', ''))", "NULL|''|NULL"],
  ["quote(trim('xxäaäx', 'xä')), quote(ltrim('  a ', ' ')), quote(rtrim('abcc', 'c'))", "'a'|'a '|'ab'"],
  ["quote(trim('abc', '')), quote(trim(null, 'a')), quote(trim('aaa', 'a')), trim('  b ')", "'abc'|NULL|''|b"],
])("SELECT %s", async (expressions, expected) => {
  expect(await query(`SELECT ${expressions}`)).toBe(`${expected}\n`)
})

it("takes time by the sum of the lengths, not by their product", async () => {
  const text = "hex(zeroblob(10000000))"
  const sql = `SELECT instr(${text}, hex(zeroblob(200000)) || '1'), ` +
    `length(replace(${text}, hex(zeroblob(200000)) || '1', '')), length(trim(${text}, hex(randomblob(100000))))`
  expect(await query(sql)).toBe("0|20000000|0\n")
}, 60_000)

it("refuses results and patterns that are too long", async () => {
  expect(await query("SELECT length(replace(hex(zeroblob(10000000)), '0', 'abcdefg'))")).toContain("too big")
  expect(await query("SELECT instr('a', hex(zeroblob(3000000)))")).toContain("too big")
})
