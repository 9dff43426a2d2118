/** Prints two files in two columns. Source: GNU diffutils' manual, "Side by Side Format". */
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { DiffInput } from "./DiffPrinter.ts"

const tabSize = 8
const minGutter = 3
const maxWidth = 10_000

export const printSideBySide = async (io: UtilityIo, { changes, isIgnored, one, two }: DiffInput): Promise<void> => {
  const width = io.count("W", 130, (text) => `invalid width '${text}'`)
  if (width === 0 || width > maxWidth) io.fail(`invalid width '${width}'`)
  const expands = io.has("t")
  const tab = expands ? 1 : tabSize
  const unaligned = (width >> 1) + (tab + minGutter >> 1) + (width & tab + minGutter & 1)
  const offset = unaligned - unaligned % tab
  const half = Math.max(0, Math.min(offset - minGutter, width - offset))
  const second = half > 0 ? offset : width

  /** Fills up to a column with tabs and blanks. */
  const fill = (from: number, to: number): string => {
    let out = ""
    let at = from
    if (!expands) {
      for (let stop = at + tabSize - at % tabSize; stop <= to; stop += tabSize) {
        out += "\t"
        at = stop
      }
    }
    return out + " ".repeat(Math.max(0, to - at))
  }
  /** The part of a line that fits, and the column where it ends. */
  const halfLine = (line: string, indent: number): readonly [string, number] => {
    let out = ""
    let [at, shown] = [0, 0]
    for (const letter of line) {
      if (letter === "\n") break
      const size = letter === "\t" ? tabSize - at % tabSize : 1
      if (letter === "\t") {
        if (at === shown) {
          const stop = Math.min(half, shown + size)
          if (expands) out += " ".repeat(stop - shown)
          else if (shown + size < half) out += "\t"
          if (expands || shown + size < half) shown = expands ? stop : shown + size
        }
        at += size
        continue
      }
      at += size
      if (at > half) continue
      shown = at
      out += letter
    }
    return [out, indent + shown]
  }
  const put = (left: string | undefined, sign: string, right: string | undefined): void => {
    let [out, column] = left === undefined ? ["", 0] as const : halfLine(left, 0)
    let endsLine = left?.endsWith("\n") ?? false
    let shownSign = sign
    if (sign !== " ") {
      const middle = half + second - 1 >> 1
      out += fill(column, middle)
      if (sign === "|" && endsLine !== right?.endsWith("\n")) shownSign = endsLine ? "/" : "\\"
      out += shownSign
      column = middle + 1
    }
    if (right !== undefined) {
      endsLine ||= right.endsWith("\n")
      if (right !== "\n") out += fill(column, second) + halfLine(right, column)[0]
    }
    io.out.putBinary(endsLine ? `${out}\n` : out)
  }
  const common = async (from: number, to: number, other: number): Promise<void> => {
    if (io.has("suppress-common-lines")) return
    for (let at = from; at < to; at++) {
      if (io.has("left-column")) put(one.lines[at], "(", undefined)
      else put(one.lines[at], " ", two.lines[other + at - from])
      if (io.out.isFull) await io.out.flush()
    }
  }
  let [done, otherDone] = [0, 0]
  for (const change of changes) {
    const { a, aEnd, b, bEnd } = change
    await common(done, a, otherDone)
    const isShown = !isIgnored(change)
    for (let at = 0; at < Math.max(aEnd - a, bEnd - b); at++) {
      const [left, right] = [
        a + at < aEnd ? one.lines[a + at] : undefined,
        b + at < bEnd ? two.lines[b + at] : undefined,
      ]
      const sign = left === undefined ? ">" : right === undefined ? "<" : "|"
      if (isShown) put(left, sign, right)
      else if (!io.has("suppress-common-lines")) put(left, " ", right)
      if (io.out.isFull) await io.out.flush()
    }
    ;[done, otherDone] = [aEnd, bEnd]
  }
  await common(done, one.lines.length, otherDone)
}
