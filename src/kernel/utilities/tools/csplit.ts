/** Implements the `csplit` utility. */
import { Regex } from "../../regex/Regex.ts"
import type { Program } from "../../System.ts"
import { Output } from "../shared/Output.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

const maxPieces = 100_000
const maxDigits = 20

/** The end of a piece: at a line number, or at a match with an offset; `%…%` skips the piece. */
interface Boundary {
  readonly text: string
  readonly line?: number
  readonly pattern?: Regex
  readonly offset: number
  readonly isSkipped: boolean
  readonly times: number
}

/**
 * `csplit [-ksz] [-f PREFIX] [-b SUFFIX] [-n DIGITS] [--suppress-matched] FILE PATTERN...`: splits a file at lines.
 * Source: csplit(1).
 */
export const csplit: Program = defineUtility(
  "csplit",
  "b|suffix-format: f|prefix: k|keep-files n|digits: s|quiet|silent z|elide-empty-files suppress-matched",
  async (io) => {
    const [path = "", ...words] = io.operands
    if (words.length === 0) io.failUsage(path === "" ? "missing operand" : `missing operand after ‘${path}’`)
    const boundaries = parseBoundaries(io, words)
    const input = io.openInput(path)
    if (input === undefined) return 1
    const lines = await io.readLines(input)
    input.close()
    const splitter = new Splitter(io, lines)
    try {
      for (const boundary of boundaries) await splitter.split(boundary)
      await splitter.rest()
    } catch (cause) {
      splitter.removeUnless(io.has("k"))
      throw cause
    }
    return 0
  },
  { minOperands: 1 },
)

const parseBoundaries = (io: UtilityIo, words: ReadonlyArray<string>): ReadonlyArray<Boundary> => {
  const boundaries: Array<Boundary> = []
  let lastLine = 0
  for (const word of words) {
    const repeat = /^\{([0-9]+|\*)\}$/.exec(word)
    const before = boundaries.at(-1)
    if (repeat !== null && before !== undefined) {
      boundaries[boundaries.length - 1] = { ...before, times: repeat[1] === "*" ? Infinity : Number(repeat[1]) + 1 }
      continue
    }
    const match = /^([/%])(.*)\1([-+]?[0-9]+)?$/s.exec(word)
    if (match !== null) {
      const [, sign, pattern = "", offset = "0"] = match
      boundaries.push({
        isSkipped: sign === "%",
        offset: Number(offset),
        pattern: new Regex([pattern]),
        text: word,
        times: 1,
      })
      continue
    }
    if (!/^[0-9]+$/.test(word)) return io.fail(`‘${word}’: invalid pattern`)
    const line = Number(word)
    if (line === 0) io.fail(`${word}: line number must be greater than zero`)
    if (line < lastLine) io.fail(`line number ‘${word}’ is smaller than preceding line number, ${lastLine}`)
    lastLine = line
    boundaries.push({ isSkipped: false, line, offset: 0, text: word, times: 1 })
  }
  return boundaries
}

class Splitter {
  readonly #io: UtilityIo
  readonly #lines: ReadonlyArray<string>
  readonly #made: Array<string> = []
  #at = 0

  constructor(io: UtilityIo, lines: ReadonlyArray<string>) {
    this.#io = io
    this.#lines = lines
  }

  async split(boundary: Boundary): Promise<void> {
    for (let time = 0; time < boundary.times; time++) {
      const end = await this.#find(boundary, time)
      if (end === undefined) {
        if (boundary.times === Infinity) return
        await this.rest()
        const on = time > 0 ? ` on repetition ${time}` : ""
        const reason = boundary.line === undefined ? "match not found" : "line number out of range"
        this.#at = this.#lines.length
        this.#io.fail(`‘${boundary.text}’: ${reason}${on}`)
      }
      if (!boundary.isSkipped) await this.#write(end)
      this.#at = Math.max(this.#at, end)
      if (this.#io.has("suppress-matched")) this.#at++
    }
  }

  /** The index of the first line of the next piece. */
  async #find({ line, offset, pattern, text }: Boundary, time: number): Promise<number | undefined> {
    if (pattern === undefined) {
      const end = (line ?? 0) * (time + 1) - 1
      return end > this.#lines.length || (end === this.#lines.length && time >= 0) ? undefined : end
    }
    // A match at the start of a piece is the one that began the piece.
    for (let at = this.#at + (this.#made.length > 0 || time > 0 ? 1 : 0); at < this.#lines.length; at++) {
      await this.#io.system.yield()
      const content = (this.#lines[at] ?? "").replace(/\n$/, "")
      if (!await pattern.test(this.#io.system, content)) continue
      const end = at + offset
      if (end < 0 || end > this.#lines.length || end < this.#at) this.#io.fail(`‘${text}’: line number out of range`)
      return end
    }
    return undefined
  }

  async rest(): Promise<void> {
    await this.#write(this.#lines.length)
    this.#at = this.#lines.length
  }

  async #write(end: number): Promise<void> {
    const io = this.#io
    if (io.has("z") && end <= this.#at) return
    if (this.#made.length >= maxPieces) io.fail(`more than ${maxPieces} files would be made`)
    const path = this.#name(this.#made.length)
    const fd = io.openOutput(path)
    if (fd < 0) io.exit(1)
    this.#made.push(path)
    const output = new Output(io.system, fd)
    let bytes = 0
    for (let at = this.#at; at < end; at++) {
      const line = this.#lines[at] ?? ""
      bytes += line.length
      output.putBinary(line)
      if (output.isFull) await output.flush()
    }
    await output.flush()
    io.system.close(fd)
    if (!io.has("s")) io.print(`${bytes}\n`)
    await io.flushAndYield()
  }

  #name(index: number): string {
    const io = this.#io
    const digits = io.count("n", 2, (text) => `${text}: invalid number`)
    if (digits > maxDigits) io.fail(`${digits}: invalid number`)
    const format = io.value("b") ?? `%0${digits}d`
    const match = /^((?:[^%]|%%)*)%(0?)([0-9]{0,2})([diuxXo])((?:[^%]|%%)*)$/.exec(format)
    if (match === null) return io.fail(`invalid suffix format '${format}'`)
    const [, before = "", zero, width = "0", kind, after = ""] = match
    const text = index.toString(kind === "o" ? 8 : kind?.toLowerCase() === "x" ? 16 : 10)
    const number = (kind === "X" ? text.toUpperCase() : text).padStart(Number(width), zero === "0" ? "0" : " ")
    return (io.value("f") ?? "xx") + before.replaceAll("%%", "%") + number + after.replaceAll("%%", "%")
  }

  removeUnless(keeps: boolean): void {
    if (!keeps) { for (const path of this.#made) this.#io.system.unlink(path) }
  }
}
