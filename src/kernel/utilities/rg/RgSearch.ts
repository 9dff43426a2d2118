/** Searches files for `rg`: line by line, or over lines. */
import { yieldNow } from "../../Coroutine.ts"
import { countByte } from "../shared/countByte.ts"
import { type Input, LineBytes } from "../shared/Input.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { bytesToBinary } from "../../binaryString.ts"
import { concatBytes } from "../../../base/bytes.ts"
import { scanPaused } from "../../regex/Regex.ts"
import type { FoundFile } from "./findFiles.ts"
import type { RgPattern } from "./RgPattern.ts"
import type { RgPrinter, SelectedLines } from "./RgPrinter.ts"

const newline = 10

interface Line {
  readonly text: string
  readonly number: number
  readonly offset: number
}

/** The result of searching one file. */
export interface FileResult {
  readonly lines: number
  readonly matches: number
}

export class RgSearch {
  readonly #io: UtilityIo
  readonly #pattern: RgPattern
  readonly #printer: RgPrinter
  readonly #before: number
  readonly #after: number
  readonly #maxCount: number
  /** Whether only the number of lines counts, not their text. */
  readonly #isCounting: boolean
  readonly #findsMatches: boolean
  readonly #stopsAtFirst: boolean

  constructor(io: UtilityIo, pattern: RgPattern, printer: RgPrinter, findsMatches: boolean) {
    this.#io = io
    this.#pattern = pattern
    this.#printer = printer
    const count = (name: string, otherwise: number): number =>
      io.count(name, otherwise, (text) => `invalid value '${text}' for -${name}`)
    const context = count("C", 0)
    this.#before = count("B", context)
    this.#after = count("A", context)
    this.#maxCount = count("m", Infinity)
    this.#stopsAtFirst = io.has("l") || io.has("q") || io.has("files-without-match")
    this.#isCounting = this.#stopsAtFirst || io.has("c") || io.has("count-matches")
    this.#findsMatches = findsMatches && !io.has("v")
  }

  /** Searches a file, and prints the matches unless they are only counted. `undefined` if the file cannot be read. */
  async search({ isExplicit, path }: FoundFile, label: string): Promise<FileResult | "binary" | undefined> {
    const io = this.#io
    const input = io.openInput(path)
    if (input === undefined) return undefined
    try {
      this.#printer.begin(label)
      await input.fill()
      const nul = io.has("a") ? -1 : input.held.indexOf(0)
      const searchesBinary = isExplicit || io.options.all.filter(([name]) => name === "u").length > 2
      if (nul >= 0 && !searchesBinary) return "binary"
      const tellsBinary = nul >= 0 && !this.#isCounting ? nul : undefined
      return io.has("U")
        ? await this.#searchWhole(input, label, tellsBinary)
        : await this.#searchLines(input, label, tellsBinary)
    } finally {
      input.close()
    }
  }

  #printBinary(label: string, nul: number, showsPath: boolean): void {
    const prefix = showsPath ? `${label}: ` : ""
    this.#io.print(`${prefix}binary file matches (found "\\0" byte around offset ${nul})\n`)
  }

  /** Whether paths are printed: also by the message about a binary file. */
  showsPath = false

  async #searchLines(input: Input, label: string, nul: number | undefined): Promise<FileResult> {
    const io = this.#io
    const { regex } = this.#pattern
    const inverts = io.has("v")
    let [number, offset, lines, matches, afterLeft] = [0, 0, 0, 0, 0]
    let held: Array<Line> = []
    const maxCount = this.#stopsAtFirst ? Math.min(1, this.#maxCount) : this.#maxCount
    while (lines < maxCount || afterLeft > 0) {
      const more = input.fill()
      if (!(typeof more === "boolean" ? more : await more)) break
      while (input.start < input.limit && (lines < maxCount || afterLeft > 0)) {
        if (regex.canScan && !inverts && this.#before === 0 && afterLeft === 0) {
          const next = await this.#scan(input)
          number += countByte(input.bytes, newline, input.start, next)
          offset += next - input.start
          input.start = next
          if (next >= input.limit) break
        }
        const found = input.line()
        const text = typeof found === "string" ? found : await found ?? ""
        const line = { number: ++number, offset, text: input.terminated ? `${text}\n` : text }
        offset += line.text.length
        const tested = lines < maxCount && regex.test(io.system, text)
        if ((typeof tested === "boolean" ? tested : await tested) !== inverts && lines < maxCount) {
          lines++
          if (nul !== undefined) {
            this.#printBinary(label, nul, this.showsPath)
            return { lines, matches: 1 }
          }
          const all = this.#findsMatches ? await this.#pattern.findMatches(text) : []
          matches += Math.max(1, all.length)
          if (this.#isCounting) continue
          for (const each of held) this.#printer.context(each.text, each.number, each.offset)
          held = []
          this.#printer.selected({ ...line, matches: all })
          afterLeft = this.#after
        } else if (afterLeft > 0) {
          afterLeft--
          if (!this.#isCounting) this.#printer.context(line.text, line.number, line.offset)
        } else if (this.#before > 0) {
          held.push(line)
          if (held.length >= 2 * this.#before) held = held.slice(-this.#before)
        }
        if (held.length > this.#before) held.shift()
        if (io.out.isFull) await io.out.flush()
        await io.system.yield()
      }
    }
    this.#printer.end(offset)
    return { lines, matches }
  }

  /** The start of the next line in the buffer that matches, or its end. */
  async #scan(input: Input): Promise<number> {
    const { regex } = this.#pattern
    const { bytes, limit, start } = input
    const isLast = bytes[limit - 1] !== newline
    let at = regex.scan(bytes, start, limit, isLast)
    while (at === scanPaused) {
      const turn = yieldNow(this.#io.system)
      if (turn !== undefined) await turn
      at = regex.scan(bytes, regex.scanAt, limit, isLast)
    }
    return at < 0 ? limit : start + bytes.subarray(start, at).lastIndexOf(newline) + 1
  }

  /** Searches a whole file in memory, which counts as one line against the sandbox's limit. */
  async #searchWhole(input: Input, label: string, nul: number | undefined): Promise<FileResult> {
    const io = this.#io
    const size = new LineBytes(io, label)
    const parts = [input.held.slice()]
    let length = input.held.length
    for await (const chunk of io.chunks(input)) {
      length += chunk.length
      size.set(length)
      parts.push(chunk.slice())
    }
    const text = bytesToBinary(concatBytes(parts))
    const found = await this.#pattern.findMatches(text)
    const blocks = io.has("v") ? invertBlocks(text, blocksOf(text, found)) : blocksOf(text, found)
    const wanted = blocks.slice(0, this.#maxCount)
    const matches = wanted.reduce((sum, block) => sum + Math.max(1, block.matches.length), 0)
    if (wanted.length > 0 && nul !== undefined) this.#printBinary(label, nul, this.showsPath)
    else if (!this.#isCounting) await this.#printBlocks(text, wanted)
    size.set(0)
    this.#printer.end(text.length)
    return { lines: io.has("v") ? wanted.length : matches, matches }
  }

  async #printBlocks(text: string, blocks: ReadonlyArray<SelectedLines>): Promise<void> {
    const io = this.#io
    const starts = this.#before + this.#after > 0 ? lineStarts(text) : []
    let printed = 1
    const context = (from: number, to: number): void => {
      for (let number = Math.max(printed, from); number < to && number <= starts.length; number++) {
        const start = starts[number - 1] ?? 0
        this.#printer.context(text.slice(start, starts[number] ?? text.length), number, start)
      }
      printed = Math.max(printed, to)
    }
    for (const [index, block] of blocks.entries()) {
      context(block.number - this.#before, block.number)
      this.#printer.selected(block)
      printed = block.number + block.text.split(/(?<=\n)/).length
      context(printed, Math.min(printed + this.#after, blocks[index + 1]?.number ?? Infinity))
      if (io.out.isFull) await io.out.flush()
      await io.system.yield()
    }
  }
}

const lineStarts = (text: string): ReadonlyArray<number> => {
  const starts: Array<number> = []
  for (let at = 0; at < text.length;) {
    starts.push(at)
    const end = text.indexOf("\n", at)
    at = end < 0 ? text.length : end + 1
  }
  return starts
}

/** The lines of matches; lines of matches that share a line form one group. */
const blocksOf = (text: string, matches: SelectedLines["matches"]): ReadonlyArray<SelectedLines> => {
  const blocks: Array<SelectedLines & { end: number; matches: Array<SelectedLines["matches"][number]> }> = []
  let number = 1
  let counted = 0
  for (const match of matches) {
    if (match.start === text.length && match.start > 0 && text.endsWith("\n")) continue
    const start = text.lastIndexOf("\n", match.start - 1) + 1
    const last = text.indexOf("\n", Math.max(match.start, match.end - 1))
    const end = last < 0 ? text.length : last + 1
    const before = blocks.at(-1)
    if (before !== undefined && start < before.end) {
      const joined = Math.max(end, before.end)
      const own = [...before.matches, { ...match, start: match.start - before.offset, end: match.end - before.offset }]
      blocks[blocks.length - 1] = { ...before, end: joined, matches: own, text: text.slice(before.offset, joined) }
      continue
    }
    for (let at = text.indexOf("\n", counted); at >= 0 && at < start; at = text.indexOf("\n", at + 1)) number++
    counted = start
    const own = [{ ...match, start: match.start - start, end: match.end - start }]
    blocks.push({ end, matches: own, number, offset: start, text: text.slice(start, end) })
  }
  return blocks
}

/** The lines outside of blocks, each on its own. */
const invertBlocks = (text: string, blocks: ReadonlyArray<SelectedLines>): ReadonlyArray<SelectedLines> => {
  const starts = lineStarts(text)
  const taken = new Set(blocks.flatMap(({ number, text: own }) => own.split(/(?<=\n)/).map((_, at) => number + at)))
  return starts.flatMap((offset, at) =>
    taken.has(at + 1)
      ? []
      : [{ matches: [], number: at + 1, offset, text: text.slice(offset, starts[at + 1] ?? text.length) }]
  )
}
