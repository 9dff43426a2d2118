/** Implements the `fold`, `expand` and `unexpand` utilities. */
import type { Later, Program } from "../../System.ts"
import type { Input } from "../shared/Input.ts"
import { isUtf8Locale } from "../../isUtf8Locale.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

/** Number of characters of a line between two reads of the clock. */
const charactersPerYield = 8_192

/** Called at each character of a line: writes full output, and lets other processes run now and then. */
const pauseAt = (io: UtilityIo, at: number): Later<void> =>
  io.out.isFull || at % charactersPerYield === charactersPerYield - 1 ? io.flushAndYield() : undefined

/** `fold [-bcs] [-w N] [FILE]...`: breaks long lines. Source: fold(1). */
export const fold: Program = defineUtility("fold", "b|bytes s|spaces w|width: c|characters", async (io) => {
  const { out } = io
  const width = Number(io.value("w") ?? "80")
  if (!(width > 0)) return io.fail(`invalid number of columns: ‘${io.value("w") ?? ""}’`)
  const utf8 = isUtf8Locale(io.system.env)
  const advance = (column: number, letter: string): number =>
    io.has("b") ? column + 1 : io.has("c")
      // A byte that continues a character of UTF-8 takes no room.
      ? column + (utf8 && (letter.charCodeAt(0) & 0xc0) === 0x80 ? 0 : 1)
      : letter === "\b"
      ? Math.max(0, column - 1)
      : letter === "\r"
      ? 0
      : letter === "\t"
      ? column + 8 - column % 8
      : column + 1
  await io.forEachLine(io.inputs(), async (line, input) => {
    let from = 0
    let column = 0
    let blank = -1
    for (let at = 0; at < line.length; at++) {
      const turn = pauseAt(io, at)
      if (turn !== undefined) await turn
      const letter = line[at] ?? ""
      const next = advance(column, letter)
      if (next > width && at > from) {
        const end = io.has("s") && blank >= from ? blank + 1 : at
        out.putBinary(`${line.slice(from, end)}\n`)
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
    out.putBinary(line.slice(from))
    endLine(io, input)
  })
})

const endLine = (io: UtilityIo, input: Input): void => {
  if (input.terminated) io.out.putByte(10)
}

/** Maximum distance of tab stops: the number of blanks that a tab may become. */
const maxTabWidth = 65_536

/** The function from a column to the next tab stop by `-t`. */
const tabStops = (io: UtilityIo): (column: number) => number => {
  const list = (io.value("t") ?? "8").split(/[, ]+/).map(Number)
  if (list.some((stop) => !(stop > 0))) io.fail("tab size contains invalid character(s)")
  if (list.some((stop) => stop > maxTabWidth)) io.fail(`a tab stop is above ${maxTabWidth}`)
  const [only = 8] = list
  return list.length === 1
    ? (column) => column + only - column % only
    : (column) => list.find((stop) => stop > column) ?? column + 1
}

/** `expand [-i] [-t LIST] [FILE]...`: converts tabs to blanks. Source: expand(1). */
export const expand: Program = defineUtility("expand", "i|initial t|tabs:", async (io) => {
  const nextStop = tabStops(io)
  await io.forEachLine(io.inputs(), async (line, input) => {
    let column = 0
    let initial = true
    for (let at = 0; at < line.length; at++) {
      const turn = pauseAt(io, at)
      if (turn !== undefined) await turn
      const letter = line[at] ?? ""
      if (letter === "\t" && (initial || !io.has("i"))) {
        const to = nextStop(column)
        io.out.putBinary(" ".repeat(to - column))
        column = to
      } else {
        io.out.putBinary(letter)
        column = letter === "\b" ? Math.max(0, column - 1) : column + 1
        if (letter !== " ") initial = false
      }
    }
    endLine(io, input)
  })
})

/**
 * `unexpand [-a] [-t LIST] [FILE]...`: converts blanks to tabs, at the start of lines or everywhere. Source: unexpand(1).
 */
export const unexpand: Program = defineUtility("unexpand", "a|all t|tabs: first-only", async (io) => {
  const nextStop = tabStops(io)
  const all = (io.has("a") || io.has("t")) && !io.has("first-only")
  await io.forEachLine(io.inputs(), async (line, input) => {
    let column = 0
    let tabs = 0
    let blanks = 0
    // A single blank before a tab stop becomes a tab only if another blank follows.
    let isPending = false
    let done = false
    for (let at = 0; at < line.length; at++) {
      const turn = pauseAt(io, at)
      if (turn !== undefined) await turn
      const letter = line[at] ?? ""
      if (!done && (letter === " " || letter === "\t")) {
        const stop = nextStop(column)
        column = letter === "\t" ? stop : column + 1
        if (isPending) [tabs, blanks] = [tabs + 1, 0]
        isPending = column === stop && tabs + blanks === 0 && letter === " "
        if (column === stop && !isPending) [tabs, blanks] = [tabs + 1, 0]
        else blanks++
        continue
      }
      io.out.putBinary("\t".repeat(tabs) + " ".repeat(blanks) + letter)
      tabs = blanks = 0
      isPending = false
      column++
      if (!all) done = true
    }
    io.out.putBinary("\t".repeat(tabs) + " ".repeat(blanks))
    endLine(io, input)
  })
})
