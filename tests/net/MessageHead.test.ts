import { expect, it } from "@effect/vitest"
import { parseHead } from "../../src/net/MessageHead.ts"

const start = "HTTP/1.1 200 OK"

it.each(
  [
    ["Name: value", ["Name", "value"]],
    ["Name:value", ["Name", "value"]],
    ["Name:\t a: b \t", ["Name", "a: b"]],
    ["Name:", ["Name", ""]],
    ["Name:  \t ", ["Name", ""]],
    ["Name: \xff", ["Name", "\xff"]],
    ["Name", undefined],
    [": value", undefined],
    ["Name : value", undefined],
    [" Name: value", undefined],
    ["Name: a\nb", undefined],
    ["Name: a\rb", undefined],
    ["Name: a\0", undefined],
    ["Näme: a", undefined],
  ] as const,
)("parses the field %j", (line, field) => {
  expect(parseHead(`${start}\r\n${line}`)).toEqual(
    field === undefined ? "a header line is malformed" : { start, fields: [field] },
  )
})

it("parses long runs of spaces, for which a pattern that backtracks takes hours", () => {
  const spaces = " ".repeat(1_000_000)
  expect(parseHead(`${start}\r\nX: a${spaces}b${spaces}`)).toEqual({ start, fields: [["X", `a${spaces}b`]] })
  expect(parseHead(`${start}\r\nX:${spaces}\x01`)).toBe("a header line is malformed")
  expect(parseHead(`${start}\r\nX:${spaces}`)).toEqual({ start, fields: [["X", ""]] })
})
