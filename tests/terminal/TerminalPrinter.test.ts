import { expect, it } from "@effect/vitest"
import { Terminal } from "@xterm/headless"
import { type TerminalContent, TerminalPrinter } from "../../src/terminal/TerminalPrinter.ts"

const ESC = "\x1b"

const print = (content: TerminalContent, ...pieces: ReadonlyArray<string>): string => {
  const printer = new TerminalPrinter(content)
  return pieces.map((piece) => printer.push(piece)).join("")
}

const contents = ["text", "screen", "typed"] as const

/** Queries, the clipboard and the like, also such as a filter by patterns takes apart into another one. */
const harmful = [
  ..."c 0c >c =c 5n 6n ?6n ?15n ?2026$p 4$p >q >0q 14t 18t 21t x 1*y ?u ?1;1;0S 5i ?5i 4;1;1;1;1T 2h 99999b >1u"
    .split(" ").map((each) => `${ESC}[${each}`),
  ..."4;1;? 10;? 11;? 52;c;? 52;c;aGk= 0;title 8;;http://x/".split(" ").flatMap((each) => [
    `${ESC}]${each}\x07`,
    `${ESC}]${each}${ESC}\\`,
    `\x9d${each}\x9c`,
  ]),
  `${ESC}P$qm${ESC}\\`,
  `${ESC}P+q544e${ESC}\\`,
  `${ESC}_Gi=1;AAAA${ESC}\\`,
  `${ESC}^x${ESC}\\${ESC}Xx${ESC}\\`,
  `${ESC}Z`,
  "\x9a",
  "\x05",
  "\x9b6n",
  `${ESC}[6\x00n`,
  `${ESC}[\x076n`,
  `${ESC}[6\x7fn`,
  `${ESC}]52;c;RVZJTA==\x1b`,
]

it.each(contents)("drops everything that a terminal answers or stores, however it is cut (%s)", (content) => {
  const all = harmful.map((each, index) => `<${index}>${each}`).join("") + `${ESC}[0m>`
  const expected = harmful.map((_, index) => `<${index}>`).join("") + `${ESC}[0m>`
  const bells = (text: string) => text.replaceAll("\x07", "")
  for (const length of [1, 2, 3, 7, all.length]) {
    const pieces = Array.from(
      { length: Math.ceil(all.length / length) },
      (_, at) => all.slice(at * length, (at + 1) * length),
    )
    expect(bells(print(content, ...pieces))).toBe(expected)
  }
})

it("makes no sequence of the parts of others", () => {
  const made = [
    `${ESC}${ESC}[6n]52;c;RVZJTA==\x07`,
    `${ESC}[${ESC}[6n6n`,
    `${ESC}\x05[6n`,
    `${ESC}[\x9b6n6n`,
    `${ESC}]0;${ESC}]52;c;x\x07`,
    `${ESC}[6${ESC}Zn`,
    `\x9b\x9d52;c;x\x076n`,
    `${ESC}[6\x18n${ESC}\x1a[6n`,
  ]
  expect(made.map((each) => print("screen", each))).toEqual(
    ["]52;c;RVZJTA==", "6n", "", "6n", "", "n", "6n", "n[6n"],
  )
})

it("prints text with its colours, or a screen, or one that is typed into", () => {
  const output =
    `a\tb\r\n中${ESC}[1;38:2::9:9:9mred${ESC}[m${ESC}[2J\x9b3;5H${ESC}[?25;4242l${ESC}[?2004h${ESC}(0${ESC}=\x07`
  const colours = `a\tb\r\n中${ESC}[1;38:2::9:9:9mred${ESC}[m`
  expect(print("text", output)).toBe(colours)
  expect(print("screen", output)).toBe(`${colours}${ESC}[2J${ESC}[3;5H${ESC}[?25l${ESC}(0`)
  expect(print("typed", output)).toBe(`${colours}${ESC}[2J${ESC}[3;5H${ESC}[?25l${ESC}[?2004h${ESC}(0${ESC}=\x07`)
})

it("returns the unprinted start of a sequence that continues elsewhere", () => {
  for (const begun of [`${ESC}[3`, `${ESC}`, `${ESC}(`, "", `${ESC}]`]) {
    const printer = new TerminalPrinter("typed")
    expect(printer.push(`a${begun}`)).toBe("a")
    expect([printer.end(), printer.end(), printer.push("b")]).toEqual([begun, "", "b"])
  }
  const endless = new TerminalPrinter("typed")
  endless.push(`${ESC}P${"q".repeat(1_000_000)}`)
  expect(endless.end()).toBe(`${ESC}P`)
})

/** Output of characters that matter to terminals. */
const noise = (seed: number): string => {
  let state = seed
  const next = (below: number): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below
  const parts = [..."\x1b[]P\\0;16?>=$ncqthm\x05\x07\x18\x7f\x9b\x9d\x9c中x \n", "\x1b[", "\x1b]", "52;c;", "6n", "$q"]
  return Array.from({ length: 400 }, () => parts[next(parts.length)] ?? "").join("")
}

it("prints no sequence in noise that a real terminal would answer", async () => {
  const answersTo = async (texts: ReadonlyArray<string>): Promise<number> => {
    const terminal = new Terminal({ cols: 80, rows: 24, allowProposedApi: true })
    let answers = 0
    const count = (): void => {
      answers++
    }
    terminal.onData(count)
    terminal.onTitleChange(count)
    for (const text of texts) await new Promise<void>((resolve) => terminal.write(text, resolve))
    terminal.dispose()
    return answers
  }
  const texts = Array.from({ length: 300 }, (_, seed) => noise(seed + 1))
  expect(await answersTo(texts)).toBeGreaterThan(100)
  for (const content of contents) expect(await answersTo(texts.map((text) => print(content, text)))).toBe(0)
})
