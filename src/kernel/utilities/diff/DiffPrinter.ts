/** Prints the changes between two files in one of diff's formats. */
import { textToBinary } from "../../binaryString.ts"
import type { Regex } from "../../regex/Regex.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { DiffFile } from "./DiffFile.ts"
import type { Change } from "../../diff/compareTexts.ts"
import { groupHunks, type Hunk } from "../../diff/groupHunks.ts"
import { hunkRange, noNewline, signedLines } from "../../diff/unifiedHunk.ts"

export interface DiffInput {
  readonly one: DiffFile
  readonly two: DiffFile
  readonly changes: ReadonlyArray<Change>
  /** Whether a change does not count, because all its lines are ignored. */
  readonly isIgnored: (change: Change) => boolean
}

const colors = { title: "\x1b[1m", range: "\x1b[36m", "-": "\x1b[31m", "+": "\x1b[32m" } as const

/** Lines of the first file that name what follows them, for `-p` and `-F`. */
export class FunctionNames {
  readonly #lines: ReadonlyArray<string>
  readonly #pattern: Regex
  readonly #io: UtilityIo
  #searchedTo = 0
  #name = ""

  constructor(io: UtilityIo, lines: ReadonlyArray<string>, pattern: Regex) {
    this.#io = io
    this.#lines = lines
    this.#pattern = pattern
  }

  /** The last line before an index that matches; indexes ascend. */
  async before(index: number): Promise<string> {
    for (let at = index - 1; at >= this.#searchedTo; at--) {
      const line = (this.#lines[at] ?? "").replace(/\n$/, "")
      if (!await this.#pattern.test(this.#io.system, line)) continue
      this.#name = line.trimStart().slice(0, 40).trimEnd()
      break
    }
    this.#searchedTo = Math.max(this.#searchedTo, index)
    return this.#name === "" ? "" : ` ${this.#name}`
  }
}

export class DiffPrinter {
  readonly #io: UtilityIo
  readonly #colored: boolean
  readonly #context: number

  constructor(io: UtilityIo, context: number) {
    this.#io = io
    this.#colored = io.value("color") === "always"
    this.#context = context
  }

  #put(text: string, color?: keyof typeof colors): void {
    const { out } = this.#io
    if (color === undefined || !this.#colored) return out.putBinary(text)
    const bare = text.endsWith("\n") ? text.slice(0, -1) : text
    out.putBinary(`${colors[color]}${bare}\x1b[0m${text.slice(bare.length)}`)
  }

  #putLines(sign: string, lines: ReadonlyArray<string>, color?: keyof typeof colors): void {
    const shorten = this.#io.has("suppress-blank-empty")
    for (const line of lines) {
      const text = this.#io.has("T") ? `${sign.trimEnd()}\t${line}` : sign + line
      const shown = shorten && line === "\n" ? `${sign.trimEnd()}\n` : text
      this.#put(shown.endsWith("\n") ? shown : `${shown}\n`, color)
      if (!line.endsWith("\n")) this.#put(noNewline)
    }
  }

  #putTitles(marks: readonly [string, string], { one, two }: DiffInput): void {
    const labels = this.#io.values("label")
    this.#put(textToBinary(`${marks[0]} ${labels[0] ?? one.title}\n`), "title")
    this.#put(textToBinary(`${marks[1]} ${labels[1] ?? two.title}\n`), "title")
  }

  #hunksOf({ changes, isIgnored, one, two }: DiffInput): ReadonlyArray<Hunk> {
    return groupHunks(changes, this.#context, [one.lines.length, two.lines.length], isIgnored)
  }

  normal({ changes, isIgnored, one, two }: DiffInput): void {
    const range = (from: number, to: number): string => to - from <= 1 ? `${to}` : `${from + 1},${to}`
    for (const change of changes) {
      if (isIgnored(change)) continue
      const { a, aEnd, b, bEnd } = change
      const letter = a === aEnd ? "a" : b === bEnd ? "d" : "c"
      this.#put(`${range(a, aEnd)}${letter}${range(b, bEnd)}\n`, "range")
      this.#putLines("< ", one.lines.slice(a, aEnd), "-")
      if (letter === "c") this.#put("---\n")
      this.#putLines("> ", two.lines.slice(b, bEnd), "+")
    }
  }

  async unified(input: DiffInput, names: FunctionNames | undefined): Promise<void> {
    this.#putTitles(["---", "+++"], input)
    for (const hunk of this.#hunksOf(input)) {
      this.#put(hunkRange(hunk), "range")
      this.#put(`${await names?.before(hunk.from) ?? ""}\n`)
      for (const [sign, lines] of signedLines(hunk, input.one.lines, input.two.lines)) {
        this.#putLines(sign, lines, sign === " " ? undefined : sign)
      }
      await this.#io.flushAndYield()
    }
  }

  async context(input: DiffInput, names: FunctionNames | undefined): Promise<void> {
    const { one, two } = input
    const range = (from: number, to: number): string => to - from <= 1 ? `${to}` : `${from + 1},${to}`
    this.#putTitles(["***", "---"], input)
    for (const { changes, from, otherFrom, otherTo, to } of this.#hunksOf(input)) {
      this.#put(`***************${await names?.before(from) ?? ""}\n`)
      this.#put(`*** ${range(from, to)} ****\n`, "range")
      let done = from
      if (changes.some(({ a, aEnd }) => aEnd > a)) {
        for (const { a, aEnd, b, bEnd } of changes) {
          this.#putLines("  ", one.lines.slice(done, a))
          this.#putLines(bEnd > b ? "! " : "- ", one.lines.slice(a, aEnd), "-")
          done = aEnd
        }
        this.#putLines("  ", one.lines.slice(done, to))
      }
      this.#put(`--- ${range(otherFrom, otherTo)} ----\n`, "range")
      done = otherFrom
      if (changes.some(({ b, bEnd }) => bEnd > b)) {
        for (const { a, aEnd, b, bEnd } of changes) {
          this.#putLines("  ", two.lines.slice(done, b))
          this.#putLines(aEnd > a ? "! " : "+ ", two.lines.slice(b, bEnd), "+")
          done = bEnd
        }
        this.#putLines("  ", two.lines.slice(done, otherTo))
      }
      await this.#io.flushAndYield()
    }
  }

  /** A script for ed(1), from the end of the file to its start. */
  ed({ changes, isIgnored, two }: DiffInput): void {
    const range = (from: number, to: number): string => to - from <= 1 ? `${to}` : `${from + 1},${to}`
    for (const change of [...changes].reverse()) {
      if (isIgnored(change)) continue
      const { a, aEnd, b, bEnd } = change
      this.#put(`${range(a, aEnd)}${a === aEnd ? "a" : b === bEnd ? "d" : "c"}\n`)
      if (b === bEnd) continue
      let isOpen = true
      for (const line of two.lines.slice(b, bEnd)) {
        if (!isOpen) this.#put("a\n")
        // A line with only a dot would end the text.
        isOpen = line !== ".\n"
        this.#put(isOpen ? (line.endsWith("\n") ? line : `${line}\n`) : "..\n.\ns/.//\n")
      }
      if (isOpen) this.#put(".\n")
    }
  }

  rcs({ changes, isIgnored, two }: DiffInput): void {
    for (const change of changes) {
      if (isIgnored(change)) continue
      const { a, aEnd, b, bEnd } = change
      if (aEnd > a) this.#put(`d${a + 1} ${aEnd - a}\n`)
      if (bEnd === b) continue
      this.#put(`a${aEnd} ${bEnd - b}\n`)
      for (const line of two.lines.slice(b, bEnd)) this.#put(line)
    }
  }
}
