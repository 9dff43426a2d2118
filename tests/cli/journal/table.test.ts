import { expect, it } from "@effect/vitest"
import { makeTextStyles } from "../../../src/cli/journal/TextStyle.ts"
import { type Column, fitText, Table, textWidth } from "../../../src/cli/journal/table.ts"
import { fakeProcess } from "../support.ts"

const columns: ReadonlyArray<Column> = [
  { title: "ID", side: "left" },
  { title: "BYTES", side: "right" },
  { title: "COMMAND", side: "left" },
]
const row = (...texts: ReadonlyArray<string>) => texts.map((text) => ({ text }))
const same = (text: string): string => text

it("aligns titles with columns as wide as their widest cell", () => {
  const table = new Table(columns, Infinity, same)
  expect(table.lines([row("a", "1 B", "git log"), row("abcd", "12 KiB", "")])).toEqual([
    "ID     BYTES  COMMAND",
    "a        1 B  git log",
    "abcd  12 KiB",
  ])
})

it("writes the titles once, and lets a column grow and never shrink", () => {
  const table = new Table(columns, Infinity, same)
  table.lines([row("abcdefgh", "1 B", "git")])
  expect(table.lines([row("a", "1 B", "ls")])).toEqual(["a           1 B  ls"])
  expect(table.lines([row("abcdefghi", "1 B", "ls")])).toEqual(["abcdefghi    1 B  ls"])
})

it("cuts the last column at the edge of the terminal, and keeps a minimum width", () => {
  const line = row("a", "1 B", "git log --stat --all")
  expect(new Table(columns, 24, same).lines([line])[1]).toBe("a     1 B  git log --st…")
  expect(new Table(columns, 4, same).lines([line])[1]).toBe("a     1 B  git log -…")
})

it("colours cells without moving them", () => {
  const red = (text: string): string => `<${text}>`
  const table = new Table(columns, 20, same)
  expect(table.lines([[{ text: "a" }, { text: "3", paint: red }, { text: "git log --stat", paint: red }]])[1]).toBe(
    "a       <3>  <git log -…>",
  )
})

it.each([
  ["git", 3],
  ["é", 1],
  ["e\u0301", 1],
  ["日本", 4],
  ["😀", 2],
  ["\u200b", 0],
])("knows that '%s' takes %d columns", (text, width) => {
  expect(textWidth(text)).toBe(width)
})

it("cuts no character in two, and fills no more columns than there are", () => {
  expect(fitText("日本語", 6)).toBe("日本語")
  expect(fitText("日本語", 5)).toBe("日本…")
  expect(fitText("日本語", 4)).toBe("日…")
  expect(fitText("😀😀", 3)).toBe("😀…")
  expect(fitText("abc", 1)).toBe("…")
  expect(fitText("abc", 0)).toBe("")
})

it("colours text on a terminal, but not with NO_COLOR or TERM=dumb", () => {
  const terminal = (env: Readonly<Record<string, string>>) =>
    makeTextStyles({ ...fakeProcess([]), isTerminal: () => true, variable: (name) => env[name] }, 1).red("x")
  expect(terminal({})).toBe("\x1b[31mx\x1b[39m")
  expect(terminal({ NO_COLOR: "" })).toBe("\x1b[31mx\x1b[39m")
  expect(terminal({ NO_COLOR: "1" })).toBe("x")
  expect(terminal({ TERM: "dumb" })).toBe("x")
  expect(makeTextStyles(fakeProcess([]), 1).red("x")).toBe("x")
})
