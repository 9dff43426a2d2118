import { expect, it } from "vitest"
import { quote, quoteIfNeeded } from "../../src/base/quote.ts"

it("quotes a text on one line, with invisible characters escaped", () => {
  expect(quote("rm")).toBe('"rm"')
  expect(quote('a "b"\\c\nd\u001b[2J')).toBe('"a \\"b\\"\\\\c\\nd\\u001b[2J"')
  expect(quote("a\u009b\u202eb\ud800")).toBe('"a\\u009b\\u202eb\\ud800"')
  expect(quote("")).toBe('""')
})

it("leaves out the end of a long text", () => {
  expect(quote("x".repeat(200))).toBe(`"${"x".repeat(200)}"`)
  expect(quote("x".repeat(100_000))).toBe(`"${"x".repeat(197)}..."`)
  expect(quoteIfNeeded("x".repeat(100_000))).toBe(`"${"x".repeat(197)}..."`)
})

it("quotes names and paths only where they need it", () => {
  expect(["rm", "/usr/bin/g++", "C:\\a\\b.exe", "a\\nb", "A=B", "a b", "é", ""].map(quoteIfNeeded)).toEqual([
    "rm",
    "/usr/bin/g++",
    "C:\\a\\b.exe",
    '"a\\\\nb"',
    '"A=B"',
    '"a b"',
    '"é"',
    '""',
  ])
})
