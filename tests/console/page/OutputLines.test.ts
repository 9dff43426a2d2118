import { expect, it } from "@effect/vitest"
import { lineText, OutputLines } from "../../../src/console/page/OutputLines.ts"
import { OutputSearch } from "../../../src/console/page/OutputSearch.ts"

const linesOf = (...pieces: ReadonlyArray<string>): OutputLines => {
  const lines = new OutputLines()
  pieces.forEach((piece, at) => lines.push("stdout", piece, at))
  return lines
}

const spansOf = (text: string): ReadonlyArray<readonly [classes: string, text: string]> =>
  linesOf(text).line(1)?.spans.map(({ classes, text }) => [classes, text] as const) ?? []

it("numbers lines from 1, across pieces, with the time at which each began", () => {
  const lines = linesOf("a", "b\nc\n", "\n", "d")
  expect([1, 2, 3, 4].map((number) => lines.line(number)?.time)).toEqual([0, 1, 2, 3])
  expect([lines.text(), lines.text(2, 2), lines.text(0, 9)]).toEqual(["ab\nc\n\nd", "c", "ab\nc\n\nd"])
  expect([lines.first, lines.ended, lines.end]).toEqual([1, 4, 5])
})

it("begins a line again at a carriage return, but for one before a newline", () => {
  expect(linesOf("10%\r50%", "\r100%\r", "\nnext\r\n").text()).toBe("100%\nnext")
})

it("passes on only text, colours and attributes", () => {
  const hostile =
    "\x1b]0;title\x07\x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\\x1b[2J\x1b[31mred\x1b[Am\x07\x9b1mbold\x1b[?1;31mx"
  expect(spansOf(hostile)).toEqual([["", "link"], ["color-1", "redm"], ["color-1 bold", "boldx"]])
})

it("replaces every colour by a readable one", () => {
  const classes = (parameters: string): string | undefined => spansOf(`\x1b[${parameters}mx`)[0]?.[0]
  const expected: Readonly<Record<string, string>> = {
    "31": "color-1",
    "91": "color-1",
    "1;4:3;32": "color-2 bold underlined",
    "1;0": "",
    "": "",
    "7": "back-0",
    "7;33": "back-3",
    "33;44": "back-4",
    "38;5;9": "color-1",
    "38;5;208": "color-3",
    "38;5;240": "color-0",
    "38;5;255": "color-7",
    "38:5:12": "color-4",
    "38;2;120;200;255;3": "color-6 italic",
    "48:2::200:10:10": "back-1",
    "38;2;1;2;3": "color-0",
    "8": "",
    "30;39": "",
    "4;24;9;29;2;22": "",
    "38;5": "color-0",
  }
  for (const [parameters, names] of Object.entries(expected)) {
    expect([parameters, classes(parameters)]).toEqual([parameters, names])
  }
})

it("keeps the sequences of stdout and stderr apart", () => {
  const lines = new OutputLines()
  lines.push("stdout", "a\x1b[3", 0)
  lines.push("stderr", "oops", 0)
  lines.push("stdout", "2mb", 0)
  expect(lines.line(1)?.spans.map(({ classes, text }) => `${classes}:${text}`)).toEqual([
    ":a",
    "color-1:oops",
    "color-2:b",
  ])
})

it("is bounded in lines, characters, and the length and styles of one line", () => {
  const many = linesOf("x\n".repeat(250_000))
  expect([many.end, many.end - many.first]).toEqual([250_001, 100_000])
  const long = linesOf("y".repeat(20_000), "z")
  expect(long.line(1)).toMatchObject({ omitted: 11_809 })
  expect(lineText(long.line(1) ?? { time: 0, spans: [], omitted: 0 })).toMatch(/^y{8192} … 11809 more characters$/)
  const styled = linesOf("\x1b[31ma\x1b[32mb".repeat(2_000))
  expect(styled.line(1)?.spans.length).toBe(500)
  const wide = linesOf(...Array.from({ length: 40 }, () => `${"w".repeat(8_000)}\n`.repeat(100)))
  expect((wide.end - wide.first) * 8_000).toBeLessThan(17 * 1_048_576 + 8_000_000)
})

it("finds a text without case, a bounded part at a time, and forgets what was dropped", () => {
  const lines = linesOf("Error: one\n".repeat(3), "no\n".repeat(20_000), "an ERROR and an error\n")
  const search = new OutputSearch("error")
  let scans = 1
  while (search.scan(lines, lines.ended)) scans++
  expect(scans).toBeGreaterThan(2)
  expect(search.matches.map(({ line, start }) => [line, start])).toEqual([[1, 0], [2, 0], [3, 0], [20_004, 3], [
    20_004,
    16,
  ]])
  lines.push("stdout", "x\n".repeat(100_000), 0)
  search.scan(lines, lines.ended)
  expect(search.matches.map(({ line }) => line)).toEqual([20_004, 20_004])
})

it("searches for a typed text literally, and keeps a bounded number of matches", () => {
  expect([...new OutputSearch("(a+)+$").in("x (a+)+$ y")]).toEqual([[2, 8]])
  expect([...new OutputSearch("é").in("É\u0130é")]).toEqual([[0, 1], [2, 3]])
  const lines = linesOf(`${"a".repeat(500)}\n`.repeat(200))
  const search = new OutputSearch("a")
  while (search.scan(lines, lines.ended));
  expect([search.isFull, search.matches.length >= 10_000 && search.matches.length < 10_100]).toEqual([true, true])
})
