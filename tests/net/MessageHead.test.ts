import { expect, it } from "vitest"
import { parseHead } from "../../src/net/MessageHead.ts"

const blanks = " ".repeat(200_000)

it.each([
  ["strips blanks around a value", "A: \t b \t", [["A", "b"]]],
  ["keeps blanks within a value", "A:b \t c", [["A", "b \t c"]]],
  ["keeps a value of ISO 8859-1, and its colons", "A:b:\xff", [["A", "b:\xff"]]],
  ["takes an empty value", "A: \t ", [["A", ""]]],
  ["takes many blanks", `A:${blanks}b${blanks}c${blanks}`, [["A", `b${blanks}c`]]],
])("%s", (_, line, fields) => {
  expect(parseHead(`HTTP/1.1 200 OK\r\n${line}`)).toEqual({ start: "HTTP/1.1 200 OK", fields })
})

// Each blank before a control character could be the value's or one of those around it: time by the third power.
it.each([
  ["many blanks and a control character", `A:${blanks}\x01`],
  ["a NUL", "A: b\0"],
  ["a lone CR", "A: b\rc"],
  ["a lone LF", "A: b\nC: d"],
  ["no colon", "A"],
  ["no name", ": b"],
  ["a blank before the colon", "A : b"],
  ["a continued line", " A: b"],
  ["a character above ISO 8859-1", "A: \u0100"],
])("refuses a line with %s", (_, line) => {
  expect(parseHead(`HTTP/1.1 200 OK\r\n${line}`)).toBe("a header line is malformed")
})

it.each(["", "HTTP/1.1 200\x01"])("refuses the start line %j", (start) => {
  expect(parseHead(`${start}\r\nA: b`)).toBe("the start line has a control character")
})
