/** Finds the matching lines of one file in its bytes, piece by piece, with bounded memory. */
import { concatBytes, emptyBytes } from "../base/bytes.ts"
import type { LineMatcher } from "./FileSearchMatcher.ts"

/**
 * A line that matches. `column` is the start of its first match, from 1 in UTF-16 units. Of a line that is too long,
 * only the beginning was searched and is returned.
 */
export interface FileMatch {
  /** Distinguishes it from the end of a search. */
  readonly _tag: "FileMatch"
  /** The path of the file from the root. */
  readonly path: string
  /** The number of the line, from 1. */
  readonly line: number
  /** Column of its first match, from 1. */
  readonly column: number
  /** The line without its end. */
  readonly text: string
  /** Lines before it, as many as were asked for. */
  readonly before: ReadonlyArray<string>
  /** Lines after it, as many as were asked for. */
  readonly after: ReadonlyArray<string>
  /** Whether the line is longer than `text`. */
  readonly isCut: boolean
}

export interface ScanSettings {
  readonly context: number
  /** Maximum UTF-16 units of one line that are searched and shown. */
  readonly maxLineLength: number
}

/** A NUL among these first bytes makes a file binary, as for git. */
export const headBytes = 8_000

interface OpenMatch extends FileMatch {
  readonly after: Array<string>
}

const startsWith = (bytes: Uint8Array, ...mark: ReadonlyArray<number>): boolean =>
  mark.every((byte, at) => bytes[at] === byte)

const encodingOf = (head: Uint8Array): string | undefined =>
  startsWith(head, 0xff, 0xfe)
    ? "utf-16le"
    : startsWith(head, 0xfe, 0xff)
    ? "utf-16be"
    : head.includes(0)
    ? undefined
    : "utf-8"

export const isBinaryHead = (head: Uint8Array): boolean => encodingOf(head) === undefined

const countLines = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++
  return count
}

export class FileSearchScanner {
  readonly #path: string
  readonly #matcher: LineMatcher
  readonly #settings: ScanSettings
  #head: Uint8Array = emptyBytes
  #decoder: TextDecoder | undefined
  #rest = ""
  /**
   * Whether the beginning of `#rest` exceeded the maximum length of a line, so that the rest of the line is skipped.
   */
  #isRestCut = false
  #line = 0
  #before: Array<string> = []
  #open: Array<OpenMatch> = []
  isBinary = false

  constructor(path: string, matcher: LineMatcher, settings: ScanSettings) {
    this.#path = path
    this.#matcher = matcher
    this.#settings = settings
  }

  push(bytes: Uint8Array): ReadonlyArray<FileMatch> {
    if (this.isBinary) return []
    if (this.#decoder !== undefined) return this.#take(this.#decoder.decode(bytes, { stream: true }))
    this.#head = this.#head.length === 0 ? bytes : concatBytes([this.#head, bytes])
    return this.#head.length < headBytes ? [] : this.#begin()
  }

  end(): ReadonlyArray<FileMatch> {
    const begun = this.#decoder === undefined && !this.isBinary ? this.#begin() : []
    if (this.#decoder === undefined) return []
    const found = [...begun, ...this.#take(this.#decoder.decode())]
    if (this.#rest !== "" || this.#isRestCut) found.push(...this.#takeLines(`${this.#rest}\n`))
    found.push(...this.#open)
    this.#open = []
    return found
  }

  #begin(): ReadonlyArray<FileMatch> {
    const encoding = encodingOf(this.#head.subarray(0, headBytes))
    this.isBinary = encoding === undefined
    if (encoding === undefined) return []
    this.#decoder = new TextDecoder(encoding)
    const text = this.#decoder.decode(this.#head, { stream: true })
    this.#head = emptyBytes
    return this.#take(text)
  }

  #take(text: string): ReadonlyArray<FileMatch> {
    const { maxLineLength } = this.#settings
    let found: ReadonlyArray<FileMatch> = []
    let rest = text
    if (this.#isRestCut) {
      const end = text.indexOf("\n")
      if (end < 0) return []
      found = this.#takeLines(this.#rest + text.slice(end, end + 1))
      rest = text.slice(end + 1)
      this.#rest = ""
      this.#isRestCut = false
    }
    const last = rest.lastIndexOf("\n")
    if (last >= 0) {
      const lines = this.#takeLines(this.#rest + rest.slice(0, last + 1))
      found = found.length === 0 ? lines : [...found, ...lines]
      this.#rest = ""
    }
    this.#rest += rest.slice(last + 1)
    // One unit above the limit, to detect that the line is cut.
    if (this.#rest.length > maxLineLength + 1) {
      this.#rest = this.#rest.slice(0, maxLineLength + 1)
      this.#isRestCut = true
    }
    return found
  }

  /** Takes whole lines, the last one with its newline. */
  #takeLines(block: string): ReadonlyArray<FileMatch> {
    const { context } = this.#settings
    const text = block.includes("\r") ? block.replaceAll("\r\n", "\n") : block
    if (this.#open.length === 0 && !this.#matcher.mayMatch(text)) {
      this.#line += countLines(text)
      if (context > 0) this.#keep(lastLines(text, context))
      return []
    }
    const found: Array<FileMatch> = []
    for (let at = 0; at < text.length;) {
      const end = text.indexOf("\n", at)
      found.push(...this.#takeLine(text.slice(at, end)))
      at = end + 1
    }
    return found
  }

  #takeLine(whole: string): ReadonlyArray<FileMatch> {
    const { context, maxLineLength } = this.#settings
    this.#line++
    const isCut = whole.length > maxLineLength
    const text = isCut ? whole.slice(0, maxLineLength) : whole
    for (const match of this.#open) match.after.push(text)
    const complete = this.#open.filter(({ after }) => after.length >= context)
    if (complete.length > 0) this.#open = this.#open.slice(complete.length)
    const index = this.#matcher.indexIn(text)
    if (index >= 0) {
      const { before, path, line } = { before: [...this.#before], path: this.#path, line: this.#line }
      this.#open.push({ _tag: "FileMatch", path, line, column: index + 1, text, before, after: [], isCut })
    }
    if (context > 0) {
      this.#keep([text])
      return complete
    }
    const matches = this.#open
    this.#open = []
    return matches
  }

  #keep(lines: ReadonlyArray<string>): void {
    const { context, maxLineLength } = this.#settings
    this.#before = [...this.#before, ...lines.map((line) => line.slice(0, maxLineLength))].slice(-context)
  }
}

const lastLines = (text: string, count: number): ReadonlyArray<string> => {
  let from = text.length - 1
  for (let lines = 0; lines < count && from >= 0; lines++) from = from === 0 ? -1 : text.lastIndexOf("\n", from - 1)
  return text.slice(from + 1, -1).split("\n")
}
