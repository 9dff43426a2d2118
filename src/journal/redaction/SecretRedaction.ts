/**
 * Replaces secrets in text that comes in pieces, wherever the pieces are cut, also where they are escaped.
 *
 * @module
 */
import {
  contextLength,
  type DecodedStep,
  decodeEscapes,
  escapesIn,
  incompleteEscape,
  incompleteLine,
  lineBreaksIn,
  maxEscapeLength,
} from "./decodeEscapes.ts"
import type { LiteralMatch, MultiPatternMatcher } from "./MultiPatternMatcher.ts"

/** What to look for where a text has escapes, in the text as it reads when they are decoded. */
export interface EscapedSecrets {
  readonly needles: MultiPatternMatcher
  /** Whether one of them has a quote. */
  readonly hasQuotes: boolean
}

/** A part of a text in which an escaped needle may stand, and what it is after each step of decoding. */
interface Region {
  readonly start: number
  readonly end: number
  readonly steps: ReadonlyArray<DecodedStep>
}

/** Where hints stand. */
const hintsOf = (found: ReadonlyArray<LiteralMatch>): ReadonlyArray<number> =>
  found.flatMap(({ isHint, start }) => isHint === true ? [start] : [])

/** The parts of a text, up to an end, in which an escaped needle may stand: most text is in none. */
const regionsIn = (
  text: string,
  limit: number,
  isOver: boolean,
  hints: ReadonlyArray<number>,
  { hasQuotes, needles }: EscapedSecrets,
): ReadonlyArray<Region> => {
  const regions: Array<Region> = []
  const before = needles.longest + contextLength
  const after = needles.longest + maxEscapeLength
  const escapes = escapesIn(text, hasQuotes)
  // Of a needle on several lines a part is found elsewhere, but perhaps not yet at the end.
  const more = [...hints, ...lineBreaksIn(text, Math.max(0, text.length - after))]
  let [start, end] = [0, -1]
  const add = (): void => {
    if (end < 0) return
    const isPart = end >= limit && !isOver
    regions.push({ start, end, steps: decodeEscapes(text.slice(start, Math.min(end, limit)), hasQuotes, isPart) })
  }
  for (const at of more.length === 0 ? escapes : [...escapes, ...more].sort((a, b) => a - b)) {
    if (at - before > end) {
      add()
      start = Math.max(0, at - before)
    }
    end = at + after
  }
  add()
  return regions
}

/**
 * Replaces needles in text that is pushed in pieces. Overlapping ones become one marker, that of the first. Held back is
 * only an end of the text that may be the beginning of a needle, so less than the longest needle, as long as its escapes
 * make it. When the text is over, most of a needle at its end counts as one: the rest was cut off.
 */
export class SecretRedaction {
  readonly #needles: MultiPatternMatcher
  readonly #escaped: EscapedSecrets | undefined
  /** Some text that was stored already, by which escapes are told, and what has come since. */
  #buffer = ""
  #stored = 0
  /** Up to here the buffer is under a marker already, or stored; it is kept to find what overlaps. */
  #covered = 0

  constructor(needles: MultiPatternMatcher, escaped?: EscapedSecrets) {
    this.#needles = needles
    this.#escaped = escaped
  }

  push(text: string): string {
    this.#buffer += text
    const buffer = this.#buffer
    const plain = this.#needles.pending(buffer)
    const all = this.#findPlain()
    if (this.#escaped === undefined) return this.#store(plain, all, [])
    const part = incompleteEscape(buffer, this.#escaped.hasQuotes)
    const line = incompleteLine(buffer)
    const regions = regionsIn(buffer, Math.min(part, line), false, hintsOf(all), this.#escaped)
    // From there on it is not certain yet what is there.
    const pending = Math.min(plain, this.#pending(this.#escaped, regions.at(-1), part, line))
    // Escapes within escapes may make any length one character. No program writes a secret so.
    const most = (this.#escaped.needles.longest + contextLength) * maxEscapeLength
    return this.#store(Math.max(pending, this.#stored, buffer.length - most), all, regions)
  }

  end(): string {
    const buffer = this.#buffer
    const all = this.#findPlain()
    const regions = this.#escaped === undefined
      ? []
      : regionsIn(buffer, buffer.length, true, hintsOf(all), this.#escaped)
    const plain = this.#needles.cutOff(buffer)
    const escaped = this.#cutOff(regions.at(-1))
    const cutOff = plain === undefined || (escaped !== undefined && escaped.start < plain.start) ? escaped : plain
    const start = Math.max(cutOff?.start ?? buffer.length, this.#stored)
    const out = this.#store(start, all, regions)
    const isCovered = this.#covered > this.#stored
    this.#buffer = ""
    this.#stored = 0
    this.#covered = 0
    return cutOff === undefined || isCovered ? out : out + cutOff.marker
  }

  #findPlain(): ReadonlyArray<LiteralMatch> {
    const all: Array<LiteralMatch> = []
    let found = this.#needles.find(this.#buffer, this.#stored)
    while (found !== undefined) {
      all.push(found)
      found = this.#needles.find(this.#buffer, found.start + 1)
    }
    return all
  }

  /** What may be stored of the buffer up to `pending`, needles that start there replaced. */
  #store(pending: number, plain: ReadonlyArray<LiteralMatch>, regions: ReadonlyArray<Region>): string {
    const buffer = this.#buffer
    let covered = this.#covered
    let out = ""
    const escaped = regions.flatMap((region) => this.#findEscaped(region))
    // Of two that begin at one place the one that stands there as it is comes first.
    const all = escaped.length === 0 ? plain : [...plain, ...escaped].sort((a, b) => a.start - b.start)
    for (const { end, isHint, marker, start } of all) {
      if (start >= pending) break
      if (isHint === true) continue
      if (start >= covered) out += buffer.slice(covered, start) + marker
      covered = Math.max(covered, end)
    }
    out += buffer.slice(covered, pending)
    const kept = this.#escaped === undefined ? pending : Math.max(0, pending - contextLength)
    this.#buffer = buffer.slice(kept)
    this.#stored = pending - kept
    this.#covered = Math.max(covered, pending) - kept
    return out
  }

  /** Needles that are escaped. */
  #findEscaped({ start, steps }: Region): Array<LiteralMatch> {
    const needles = this.#escaped?.needles
    const all: Array<LiteralMatch> = []
    if (needles === undefined) return all
    for (const { endOf, startOf, text } of steps) {
      for (let found = needles.find(text, 0); found !== undefined; found = needles.find(text, found.start + 1)) {
        const place = { start: start + startOf(found.start), end: start + endOf(found.end), marker: found.marker }
        const isEscaped = place.end - place.start > found.end - found.start
        if (isEscaped && place.start >= this.#stored) all.push(place)
      }
    }
    return all
  }

  /** As `Needles.pending`, for needles that are escaped; an escape may begin at `part`, and a line end at `line`. */
  #pending({ hasQuotes, needles }: EscapedSecrets, last: Region | undefined, part: number, line: number): number {
    const buffer = this.#buffer
    const end = Math.min(part, line)
    const region = last === undefined || last.end < buffer.length ? undefined : last
    if (end === buffer.length && region === undefined) return end
    // The end of a line of digits begins no needle.
    let pending = line < part ? buffer.length : part
    const whole = buffer.slice(0, end)
    const beginning = needles.pending(hasQuotes ? whole.replaceAll('"', "'") : whole)
    if (beginning < end) pending = Math.min(pending, beginning)
    for (const { rest, startOf, text } of region?.steps ?? []) {
      const inner = needles.pending(text)
      const first = inner < text.length ? inner : rest
      if (first !== undefined) pending = Math.min(pending, (region?.start ?? 0) + startOf(first))
    }
    return pending
  }

  /** As `Needles.cutOff`, for needles that are escaped. */
  #cutOff(last: Region | undefined): LiteralMatch | undefined {
    const buffer = this.#buffer
    const { hasQuotes, needles } = this.#escaped ?? { hasQuotes: false }
    if (needles === undefined || last === undefined || last.end < buffer.length) return undefined
    let first: LiteralMatch | undefined
    for (const { endOf, startOf, text } of last.steps) {
      const found = needles.cutOff(text.slice(0, incompleteEscape(text, hasQuotes)))
      if (found === undefined) continue
      const start = last.start + startOf(found.start)
      const isEscaped = last.start + endOf(found.end) - start > found.end - found.start
      if (isEscaped && (first === undefined || start < first.start)) {
        first = { start, end: buffer.length, marker: found.marker }
      }
    }
    return first
  }
}
