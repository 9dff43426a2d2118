import type { Program } from "../System.ts"
import { utility, type UtilityIo } from "./shared/utility.ts"

/** Characters of a line between looks at the clock. */
const lookEvery = 8_192

/** `fold [-bs] [-w N] [FILE]...`: breaks long lines. Source: fold(1). */
export const fold: Program = utility("fold", "b|bytes s|spaces w|width: c|characters", async (io) => {
  const width = Number(io.value("w") ?? "80")
  if (!(width > 0)) return io.fail(`invalid number of columns: ‘${io.value("w") ?? ""}’`)
  const advance = (column: number, letter: string): number =>
    io.has("b")
      ? column + 1
      : letter === "\b"
      ? Math.max(0, column - 1)
      : letter === "\r"
      ? 0
      : letter === "\t"
      ? column + 8 - column % 8
      : column + 1
  for (const input of io.inputs()) {
    for (let line = await input.line(); line !== undefined; line = await input.line()) {
      let from = 0
      let column = 0
      let blank = -1
      for (let at = 0; at < line.length; at++) {
        if (at % lookEvery === lookEvery - 1) {
          if (io.out.isFull) await io.out.flush()
          const pause = io.system.breathe(Infinity)
          if (pause !== undefined) await pause
        }
        const letter = line[at] ?? ""
        const next = advance(column, letter)
        if (next > width && at > from) {
          const end = io.has("s") && blank >= from ? blank + 1 : at
          io.out.putBinary(`${line.slice(from, end)}\n`)
          from = end
          column = 0
          for (let again = from; again < at; again++) column = advance(column, line[again] ?? "")
          at--
          blank = -1
          continue
        }
        column = next
        if (letter === " " || letter === "\t") blank = at
      }
      io.out.putBinary(line.slice(from))
      if (input.terminated) io.out.putByte(10)
      if (io.out.isFull) await io.out.flush()
    }
  }
})

/** Blanks that a tab may become. */
const widest = 65_536

const stops = (io: UtilityIo): (column: number) => number => {
  const list = (io.value("t") ?? "8").split(/[, ]+/).map(Number)
  if (list.some((stop) => !(stop > 0))) io.fail("tab size contains invalid character(s)")
  if (list.some((stop) => stop > widest)) io.fail(`a tab stop is above ${widest}`)
  const [only = 8] = list
  return list.length === 1
    ? (column) => column + only - column % only
    : (column) => list.find((stop) => stop > column) ?? column + 1
}

/** `expand [-i] [-t LIST] [FILE]...`: tabs to blanks. Source: expand(1). */
export const expand: Program = utility("expand", "i|initial t|tabs:", async (io) => {
  const next = stops(io)
  for (const input of io.inputs()) {
    for (let line = await input.line(); line !== undefined; line = await input.line()) {
      let column = 0
      let initial = true
      for (const letter of line) {
        if (letter === "\t" && (initial || !io.has("i"))) {
          const to = next(column)
          io.out.putBinary(" ".repeat(to - column))
          column = to
        } else {
          io.out.putBinary(letter)
          column = letter === "\b" ? Math.max(0, column - 1) : column + 1
          if (letter !== " ") initial = false
        }
      }
      if (input.terminated) io.out.putByte(10)
      if (io.out.isFull) await io.out.flush()
    }
  }
})

/** `unexpand [-a] [-t LIST] [FILE]...`: blanks to tabs, at the start of lines or everywhere. Source: unexpand(1). */
export const unexpand: Program = utility("unexpand", "a|all t|tabs: first-only", async (io) => {
  const next = stops(io)
  const all = (io.has("a") || io.has("t")) && !io.has("first-only")
  for (const input of io.inputs()) {
    for (let line = await input.line(); line !== undefined; line = await input.line()) {
      let column = 0
      let tabs = 0
      let blanks = 0
      // One blank right before a tab stop becomes a tab only if another blank follows.
      let waits = false
      let done = false
      for (const letter of line) {
        if (!done && (letter === " " || letter === "\t")) {
          const stop = next(column)
          column = letter === "\t" ? stop : column + 1
          if (waits) [tabs, blanks] = [tabs + 1, 0]
          waits = column === stop && tabs + blanks === 0 && letter === " "
          if (column === stop && !waits) [tabs, blanks] = [tabs + 1, 0]
          else blanks++
          continue
        }
        io.out.putBinary("\t".repeat(tabs) + " ".repeat(blanks) + letter)
        tabs = blanks = 0
        waits = false
        column++
        if (!all) done = true
      }
      io.out.putBinary("\t".repeat(tabs) + " ".repeat(blanks))
      if (input.terminated) io.out.putByte(10)
      if (io.out.isFull) await io.out.flush()
    }
  }
})
