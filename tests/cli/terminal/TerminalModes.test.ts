import { expect, it } from "@effect/vitest"
import { TerminalModes } from "../../../src/cli/terminal/TerminalModes.ts"

const resetAfter = (...pieces: ReadonlyArray<string>): string => {
  const modes = new TerminalModes()
  for (const piece of pieces) modes.push(piece)
  return modes.reset()
}

it("resets the modes that were left set, and nothing else", () => {
  expect(resetAfter("text\r\n\x1b[31mred\x1b[0m\x1b[2J\x1b[>4;2m")).toBe("")
  expect(resetAfter("\x1b[31m\x1b(0\x1b[2;5r\x1b[4h")).toBe("\x1b[m\x1b(B\x1b7\x1b[r\x1b8\x1b[4l")
  expect(resetAfter("\x1b[?1049h\x1b[?25l\x1b[?1000;1006h\x1b=")).toBe(
    "\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1006l\x1b>",
  )
  expect(resetAfter("\x1b[?1049h\x1b[?25l vim \x1b[?25h\x1b[?1049l")).toBe("")
  expect(resetAfter("\x1b[?7l", "\x1b[?12;4242h")).toBe("\x1b[?7h")
  expect(resetAfter("\x1b[?2004h\x1b=", "\x1bc")).toBe("")
})

it("recognizes split sequences, and forgets modes that it has reset", () => {
  const modes = new TerminalModes()
  for (const character of "a\x1b[?1049;2004hb\x1b[?25l") modes.push(character)
  expect(modes.isAlternate).toBe(true)
  expect(modes.reset()).toBe("\x1b[?1049l\x1b[?2004l\x1b[?25h")
  expect(modes.isAlternate).toBe(false)
  expect(modes.reset()).toBe("")
})
