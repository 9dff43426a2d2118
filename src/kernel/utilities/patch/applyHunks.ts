/**
 * Applies hunks to the lines of a file, near the line that they name and with fuzzy context. Source: GNU patch's
 * manual.
 */
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { HunkLine, PatchHunk } from "./parsePatch.ts"

export const reverseHunk = (hunk: PatchHunk): PatchHunk => {
  const swap = { " ": " ", "+": "-", "-": "+" } as const
  const lines: Array<HunkLine> = []
  let added: Array<HunkLine> = []
  for (const { sign, text } of hunk.lines) {
    const line = { sign: swap[sign], text }
    // Removed lines come first.
    if (line.sign === "+") added.push(line)
    else {
      if (line.sign === " ") {
        for (const line of added) lines.push(line)
        added = []
      }
      lines.push(line)
    }
  }
  return { ...hunk, lines: [...lines, ...added], newStart: hunk.oldStart, oldStart: hunk.newStart }
}

/** The place at which a hunk was applied. */
export interface Placement {
  /** Index of its first line. */
  readonly at: number
  readonly fuzz: number
}

export class HunkApplier {
  readonly #io: UtilityIo
  readonly #lines: ReadonlyArray<string>
  readonly #ignoresBlanks: boolean
  readonly #out: Array<string> = []
  /** Lines whose blanks were reduced: each is compared at many places. */
  readonly #known = new Map<string, string>()
  /** Lines that were taken over so far. */
  #done = 0
  /** Offset of the last hunk from its place. */
  #offset = 0

  constructor(io: UtilityIo, lines: ReadonlyArray<string>) {
    this.#io = io
    this.#lines = lines
    this.#ignoresBlanks = io.has("l")
  }

  /** Finds the place for a hunk that is nearest to the expected line. */
  async locate(hunk: PatchHunk, fuzz: number): Promise<Placement | undefined> {
    const old = hunk.lines.filter(({ sign }) => sign !== "+")
    const prefix = hunk.lines.findIndex(({ sign }) => sign !== " ")
    const suffix = hunk.lines.length - 1 - hunk.lines.findLastIndex(({ sign }) => sign !== " ")
    const context = Math.max(prefix, suffix)
    const prefixFuzz = fuzz + prefix - context
    const suffixFuzz = fuzz + suffix - context
    const total = this.#lines.length
    const guess = (old.length === 0 ? hunk.oldStart : hunk.oldStart - 1) + this.#offset
    if (old.length === 0) return { at: Math.min(Math.max(guess, this.#done), total), fuzz }
    const matches = (at: number, skipStart: number, skipEnd: number): boolean => {
      if (at < this.#done || at + old.length > total) return false
      for (let index = skipStart; index < old.length - skipEnd; index++) {
        if (!this.#isSame(this.#lines[at + index] ?? "", old[index]?.text ?? "")) return false
      }
      return true
    }
    // A hunk with less context before its changes is at the start of the file, one with less after them at its end.
    if (prefixFuzz < 0 && hunk.oldStart <= 1) {
      if (suffixFuzz < 0 && old.length !== total) return undefined
      return matches(0, 0, Math.max(0, suffixFuzz)) ? { at: 0, fuzz } : undefined
    }
    const [start, end] = [Math.max(0, prefixFuzz), Math.max(0, suffixFuzz)]
    if (suffixFuzz < 0) return matches(total - old.length, start, 0) ? { at: total - old.length, fuzz } : undefined
    const furthest = Math.max(guess - this.#done, total - old.length - guess, 0)
    for (let distance = 0; distance <= furthest; distance++) {
      if (matches(guess + distance, start, end)) return { at: guess + distance, fuzz }
      if (distance > 0 && matches(guess - distance, start, end)) return { at: guess - distance, fuzz }
      if (distance % 256 === 255) await this.#io.flushAndYield()
    }
    return undefined
  }

  #isSame(one: string, two: string): boolean {
    if (one === two) return true
    return this.#ignoresBlanks && this.#withoutBlanks(one) === this.#withoutBlanks(two)
  }

  #withoutBlanks(text: string): string {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const made = text.trim().replace(/\s+/g, " ")
    this.#known.set(text, made)
    return made
  }

  /** Applies a hunk. Returns its line, counted from 1 in the result, and its distance from the expected line. */
  apply(hunk: PatchHunk, { at }: Placement): { readonly line: number; readonly offset: number } {
    const hasOld = hunk.lines.some(({ sign }) => sign !== "+")
    this.#take(at)
    const line = this.#out.length + 1
    for (const { sign, text } of hunk.lines) {
      if (sign === "+") this.#out.push(text)
      else {
        const own = this.#lines[this.#done++] ?? text
        // The file's own line: with fuzz it may differ from that of the patch.
        if (sign === " ") this.#out.push(own)
      }
    }
    const offset = at - (hasOld ? hunk.oldStart - 1 : hunk.oldStart) - this.#offset
    this.#offset += offset
    return { line, offset: this.#offset }
  }

  /** Lines added so far, less those removed. */
  get growth(): number {
    return this.#out.length - this.#done
  }

  #take(to: number): void {
    for (; this.#done < to; this.#done++) this.#out.push(this.#lines[this.#done] ?? "")
  }

  /** The lines of the result. */
  finish(): ReadonlyArray<string> {
    this.#take(this.#lines.length)
    // A line that was the last may have got one after it.
    return this.#out.map((line, at) => at < this.#out.length - 1 && !line.endsWith("\n") ? `${line}\n` : line)
  }
}
