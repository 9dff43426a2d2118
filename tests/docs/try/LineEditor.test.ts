/** Keys and what the terminal then shows: the screen is read from xterm itself, without a browser. */
import headless from "@xterm/headless"
import { expect, it } from "vitest"
import { LineEditor } from "../../../docs/site/try/LineEditor.ts"

const open = ({ cols = 20, words = [] as ReadonlyArray<string> } = {}) => {
  const terminal = new headless.Terminal({ cols, rows: 10, allowProposedApi: true })
  const submitted: Array<string> = []
  const editor = new LineEditor({
    write: (text) => terminal.write(text),
    columns: () => cols,
    submit: (line) => {
      submitted.push(line)
      editor.remember(line)
      editor.open("$ ")
    },
    cancel: () => editor.open("$ "),
    complete: (before) => {
      const word = /\S*$/.exec(before)?.[0] ?? ""
      return { words: words.filter((each) => each.startsWith(word)), length: word.length }
    },
  })
  editor.open("$ ")
  const screen = async () => {
    await new Promise<void>((resolve) => terminal.write("", resolve))
    const { active } = terminal.buffer
    const lines = Array.from({ length: 10 }, (_, row) => active.getLine(row)?.translateToString(true) ?? "")
    return { text: lines.join("\n").trimEnd(), row: active.cursorY, column: active.cursorX }
  }
  const type = (data: string): void => {
    for (let rest = data; rest !== "";) rest = editor.type(rest)
  }
  return { screen, submitted, type }
}

it("submits lines, also several that are pasted", async () => {
  const { screen, submitted, type } = open()
  type("echo a\recho b\r")
  expect(submitted).toEqual(["echo a", "echo b"])
  expect(await screen()).toEqual({ text: "$ echo a\n$ echo b\n$", row: 2, column: 2 })
})

it("moves, inserts and removes", async () => {
  const { screen, submitted, type } = open()
  type("ab cd\x1b[D\x1b[DX\x01Y\x1b[C\x1b[3~\x05Z")
  expect(await screen()).toMatchObject({ text: "$ Ya XcdZ", column: 9 })
  type("\x17\x7f\x15ok\x1b[D\x0b!\r")
  expect(submitted).toEqual(["o!"])
})

it("moves by words", async () => {
  const { screen, type } = open({ cols: 40 })
  type("one two three\x1b[1;5D\x1bb_\x1bf|")
  expect(await screen()).toMatchObject({ text: "$ one _two| three" })
})

it("wraps a line, and draws each change where it is", async () => {
  const { screen, type } = open({ cols: 10 })
  type("12345678")
  expect(await screen()).toEqual({ text: "$ 12345678", row: 1, column: 0 })
  type("90")
  expect(await screen()).toEqual({ text: "$ 12345678\n90", row: 1, column: 2 })
  type("\x01x")
  expect(await screen()).toEqual({ text: "$ x1234567\n890", row: 0, column: 3 })
  type("\x05\x7f\x7f\x7f\x7f")
  expect(await screen()).toEqual({ text: "$ x123456", row: 0, column: 9 })
})

it("counts characters of several units and of two columns", async () => {
  const { screen, type } = open({ cols: 10 })
  type("日本\x1b[D語")
  expect(await screen()).toEqual({ text: "$ 日語本", row: 0, column: 6 })
  type("\x05\x7f\x7f\x7fe\u0301f\x1b[D\x7f")
  expect(await screen()).toMatchObject({ text: "$ f", column: 2 })
})

it("recalls lines, and the one that was being typed", async () => {
  const { screen, type } = open()
  type("first\rsecond\rdraft\x1b[A\x1bOA")
  expect((await screen()).text).toBe("$ first\n$ second\n$ first")
  type("\x1b[B\x1b[B")
  expect((await screen()).text).toBe("$ first\n$ second\n$ draft")
  type("\x1b[B\x1b[A\x1b[A\x1b[A\x1b[A")
  expect((await screen()).text).toBe("$ first\n$ second\n$ first")
})

it("completes a word, or shows the words", async () => {
  const { screen, type } = open({ cols: 40, words: ["grep ", "gunzip ", "gzip "] })
  type("gr\t")
  expect(await screen()).toMatchObject({ text: "$ grep", column: 7 })
  type("\x15g\t")
  expect((await screen()).text).toBe("$ g\ngrep  gunzip  gzip\n$ g")
  type("u\t")
  expect((await screen()).text).toBe("$ g\ngrep  gunzip  gzip\n$ gunzip")
})

it("drops the line at Ctrl-C, and clears the screen at Ctrl-L", async () => {
  const { screen, submitted, type } = open()
  type("oops\x03ok")
  expect((await screen()).text).toBe("$ oops^C\n$ ok")
  type("\x0c")
  expect(await screen()).toEqual({ text: "$ ok", row: 0, column: 4 })
  expect(submitted).toEqual([])
})

it("takes no more than fits, and no keys that it does not know", async () => {
  const { screen, submitted, type } = open()
  type("a\x1b[99~\x1b[5;5Rb\x00\x1b\x1b")
  expect((await screen()).text).toBe("$ ab")
  type(`\x15${"x".repeat(70_000)}\x15y\r`)
  expect(submitted).toEqual(["y"])
})
