/** Finds a text in the lines of an output, a bounded part at a time, so that the page stays responsive. */
import { lineText, type OutputLines } from "./OutputLines.ts"

/** Maximum number of matches, and of matches in one line. */
const maxMatches = 10_000
const maxLineMatches = 100

const scannedLines = 5_000
const scannedCharacters = 262_144

/** A match: its line, and its place in the text of the line. */
export interface Match {
  readonly line: number
  readonly start: number
  readonly end: number
}

/** A search for one text; upper and lower case are the same. */
export class OutputSearch {
  readonly #pattern: RegExp
  readonly #found: Array<Match> = []
  #next = 1

  constructor(text: string) {
    this.#pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu")
  }

  get matches(): ReadonlyArray<Match> {
    return this.#found
  }

  /** Whether there may be more matches than are kept. */
  get isFull(): boolean {
    return this.#found.length >= maxMatches
  }

  *in(text: string): Generator<readonly [start: number, end: number]> {
    let found = 0
    for (const match of text.matchAll(this.#pattern)) {
      if (++found > maxLineMatches) return
      yield [match.index, match.index + match[0].length]
    }
  }

  /** Searches the next lines up to `end`; returns whether there are more to search. Matches in dropped lines are dropped. */
  scan(lines: OutputLines, end: number): boolean {
    const firstKept = this.#found.findIndex(({ line }) => line >= lines.first)
    this.#found.splice(0, firstKept < 0 ? this.#found.length : firstKept)
    this.#next = Math.max(this.#next, lines.first)
    let characters = 0
    const last = Math.min(end, this.#next + scannedLines)
    for (; this.#next < last && characters < scannedCharacters && !this.isFull; this.#next++) {
      const line = lines.line(this.#next)
      const text = line === undefined ? "" : lineText(line)
      characters += text.length
      for (const [start, end] of this.in(text)) this.#found.push({ line: this.#next, start, end })
    }
    return this.#next < end && !this.isFull
  }
}
