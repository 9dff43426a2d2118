/** Tests which escape sequences the terminal of the console executes, without a page. */
import { expect, it } from "@effect/vitest"
import { Terminal } from "@xterm/xterm"
import { onTestFinished } from "vitest"
import { TerminalPrinter } from "../../../src/terminal/TerminalPrinter.ts"
import { blockInputModes } from "../../../src/console/page/blockInputModes.ts"

const ESC = "\x1b"
const ST = `${ESC}\\`

interface Shown {
  readonly terminal: Terminal
  readonly printer: TerminalPrinter | undefined
  /** What the terminal would have answered, as if it were typed. */
  readonly answers: ReadonlyArray<string>
  readonly titles: ReadonlyArray<string>
}

const make = (isGuarded: boolean): Shown => {
  const terminal = new Terminal({ cols: 80, rows: 24, convertEol: true, scrollback: 100 })
  onTestFinished(() => terminal.dispose())
  const answers: Array<string> = []
  const titles: Array<string> = []
  terminal.onData((data) => answers.push(data))
  terminal.onBinary((data) => answers.push(data))
  terminal.onTitleChange((title) => titles.push(title))
  if (isGuarded) blockInputModes(terminal.parser)
  return { terminal, printer: isGuarded ? new TerminalPrinter("typed") : undefined, answers, titles }
}

const write = ({ printer, terminal }: Shown, text: string): Promise<void> =>
  new Promise((resolve) => terminal.write(printer?.push(text) ?? text, resolve))

const lineOf = ({ terminal }: Shown, at = 0): string =>
  terminal.buffer.active.getLine(at)?.translateToString(true) ?? ""

const questions: ReadonlyArray<readonly [name: string, text: string]> = [
  ["primary device attributes", `${ESC}[c`],
  ["secondary device attributes", `${ESC}[>c`],
  ["tertiary device attributes", `${ESC}[=c`],
  ["device status", `${ESC}[5n`],
  ["cursor position", `${ESC}[6n`],
  ["extended cursor position", `${ESC}[?6n`],
  ["an ANSI mode", `${ESC}[20$p`],
  ["a private mode", `${ESC}[?1$p`],
  ["a setting", `${ESC}P$q"p${ST}`],
  ["a capability", `${ESC}P+q544e${ST}`],
  ["the version", `${ESC}[>q`],
  ["the window's size", `${ESC}[18t`],
  ["the window's title", `${ESC}[21t`],
  ["a colour of the palette", `${ESC}]4;1;?${ST}`],
  ["the foreground", `${ESC}]10;?${ST}`],
  ["the background", `${ESC}]11;?${ST}`],
  ["the clipboard", `${ESC}]52;c;?${ST}`],
  ["the terminal's parameters", `${ESC}[x`],
]

it("answers nothing that output may ask a terminal", async () => {
  const shown = make(true)
  for (const [name, text] of questions) {
    await write(shown, text)
    expect(shown.answers, name).toEqual([])
  }
  await write(shown, "and goes on")
  expect(lineOf(shown)).toBe("and goes on")
  // Without the guard the same terminal does answer.
  const bare = make(false)
  await write(bare, questions.map(([, text]) => text).join(""))
  expect(bare.answers.length).toBeGreaterThan(4)
})

it("has no title that output could set, and no colours of its own that output could change", async () => {
  const changes = [0, 1, 2].map((id) => `${ESC}]${id};owned${ST}`).join("") +
    `${ESC}]11;#ff0000${ST}${ESC}]4;1;blue${ST}`
  const shown = make(true)
  await write(shown, `${changes}text`)
  expect([shown.titles, lineOf(shown)]).toEqual([[], "text"])
  const bare = make(false)
  await write(bare, changes)
  expect(bare.titles).toContain("owned")
})

it("is not held up by a number of ten digits", async () => {
  const shown = make(true)
  for (const final of ["@", "L", "M", "P", "S", "T", "X", "b", "I", "Z", " @", " A", "'}", "'~"]) {
    await write(shown, `x${ESC}[2147483647${final}`)
  }
  await write(shown, `${ESC}[H${ESC}[2Jafter`)
  expect(lineOf(shown)).toBe("after")
})

it("does small repetitions as every terminal does", async () => {
  const shown = make(true)
  await write(shown, `a${ESC}[3b`)
  expect(lineOf(shown)).toBe("aaaa")
  await write(shown, `${ESC}[H${ESC}[2@`)
  expect(lineOf(shown)).toBe("  aaaa")
})

it("leaves the mouse to the user, and every other mode to the program", async () => {
  const shown = make(true)
  await write(shown, `${ESC}[?1000h${ESC}[?1003;1006h${ESC}[?2004h${ESC}[?1004h`)
  expect(shown.terminal.modes).toMatchObject({
    mouseTrackingMode: "none",
    bracketedPasteMode: false,
    sendFocusMode: false,
  })
  await write(shown, `${ESC}[?1049h`)
  expect(shown.terminal.buffer.active.type).toBe("alternate")
})
