/**
 * Replaces known secrets, plain or escaped, with markers in text that arrives in pieces; holds back an end that may be
 * the start of a secret, and replaces a secret that the end of the text cuts off.
 */
import {
  contextLength,
  type DecodedStep,
  decodeEscapes,
  findEscapes,
  findLineBreaks,
  findUnfinishedEscape,
  findUnfinishedLine,
} from "./decodeEscapes.ts"
import { maxEscapeLength } from "./escapeSyntax.ts"
import type { LiteralMatch, MultiPatternMatcher } from "./MultiPatternMatcher.ts"

/** Secrets to search for in decoded text. */
export interface EscapedSecrets {
  readonly matcher: MultiPatternMatcher
  /** Whether one of them contains a quote. */
  readonly hasQuotes: boolean
}

/** A part of a text that may contain an escaped secret, and its text after each layer of decoding. */
interface Region {
  readonly start: number
  readonly end: number
  readonly steps: ReadonlyArray<DecodedStep>
}

const startsOfHints = (matches: ReadonlyArray<LiteralMatch>): ReadonlyArray<number> =>
  matches.flatMap(({ isHint, start }) => isHint === true ? [start] : [])

/** The parts of a text, up to `limit`, that may contain an escaped secret: most text is in none. */
const findRegions = (
  text: string,
  limit: number,
  isComplete: boolean,
  hints: ReadonlyArray<number>,
  { hasQuotes, matcher }: EscapedSecrets,
): ReadonlyArray<Region> => {
  const regions: Array<Region> = []
  const before = matcher.maxLength + contextLength
  const after = matcher.maxLength + maxEscapeLength
  const escapes = findEscapes(text, hasQuotes)
  // A secret on several lines is found by its hints, unless it continues after the end of the text.
  const more = [...hints, ...findLineBreaks(text, Math.max(0, text.length - after))]
  let [start, end] = [0, -1]
  const addRegion = (): void => {
    if (end < 0) return
    const isPart = end >= limit && !isComplete
    regions.push({ start, end, steps: decodeEscapes(text.slice(start, Math.min(end, limit)), hasQuotes, isPart) })
  }
  for (const at of more.length === 0 ? escapes : [...escapes, ...more].sort((a, b) => a - b)) {
    if (at - before > end) {
      addRegion()
      start = Math.max(0, at - before)
    }
    end = at + after
  }
  addRegion()
  return regions
}

/**
 * Replaces secrets in text that is pushed in pieces. Overlapping secrets become one marker, that of the first. Only an end
 * of the text that may be the start of a secret is held back: less than the longest secret in its escaped form. At the end
 * of the text, half of a secret or more counts as a secret that was cut off.
 */
export class SecretRedaction {
  readonly #matcher: MultiPatternMatcher
  readonly #escaped: EscapedSecrets | undefined
  /** The last released characters, which decide whether an escape follows, and the characters that are held back. */
  #buffer = ""
  /** The length of the released part of the buffer. */
  #released = 0
  /** Up to here the buffer is released or replaced by a marker; it is kept to find overlapping secrets. */
  #covered = 0

  constructor(matcher: MultiPatternMatcher, escaped?: EscapedSecrets) {
    this.#matcher = matcher
    this.#escaped = escaped
  }

  /** Takes a piece; returns the text that can be released now. */
  push(text: string): string {
    this.#buffer += text
    const buffer = this.#buffer
    const partial = this.#matcher.findPartial(buffer)
    const plain = this.#matcher.findAll(buffer, this.#released)
    if (this.#escaped === undefined) return this.#release(partial, plain, [])
    const escapeAt = findUnfinishedEscape(buffer, this.#escaped.hasQuotes)
    const lineAt = findUnfinishedLine(buffer)
    const limit = Math.min(escapeAt, lineAt)
    const regions = findRegions(buffer, limit, false, startsOfHints(plain), this.#escaped)
    const uncertain = Math.min(partial, this.#findEscapedPartial(this.#escaped, regions.at(-1), escapeAt, lineAt))
    // Nested escapes can make one character arbitrarily long. No program writes a secret like that.
    const maxHeldBack = (this.#escaped.matcher.maxLength + contextLength) * maxEscapeLength
    return this.#release(Math.max(uncertain, this.#released, buffer.length - maxHeldBack), plain, regions)
  }

  /** Ends the text; returns the rest. */
  end(): string {
    const buffer = this.#buffer
    const matches = this.#matcher.findAll(buffer, this.#released)
    const regions = this.#escaped === undefined
      ? []
      : findRegions(buffer, buffer.length, true, startsOfHints(matches), this.#escaped)
    const plain = this.#matcher.findTruncated(buffer)
    const escaped = this.#findEscapedTruncated(regions.at(-1))
    const truncated = plain === undefined || (escaped !== undefined && escaped.start < plain.start) ? escaped : plain
    const start = Math.max(truncated?.start ?? buffer.length, this.#released)
    const released = this.#release(start, matches, regions)
    const isCovered = this.#covered > this.#released
    this.#buffer = ""
    this.#released = 0
    this.#covered = 0
    return truncated === undefined || isCovered ? released : released + truncated.marker
  }

  /** Releases the buffer up to `end`, with the secrets that start before it replaced. */
  #release(end: number, plain: ReadonlyArray<LiteralMatch>, regions: ReadonlyArray<Region>): string {
    const buffer = this.#buffer
    let covered = this.#covered
    let released = ""
    const escaped = regions.flatMap((region) => this.#findEscaped(region))
    // Of two that start at one index, the plain one comes first: the sort is stable.
    const matches = escaped.length === 0 ? plain : [...plain, ...escaped].sort((a, b) => a.start - b.start)
    for (const match of matches) {
      if (match.start >= end) break
      if (match.isHint === true) continue
      if (match.start >= covered) released += buffer.slice(covered, match.start) + match.marker
      covered = Math.max(covered, match.end)
    }
    released += buffer.slice(covered, end)
    const keptFrom = this.#escaped === undefined ? end : Math.max(0, end - contextLength)
    this.#buffer = buffer.slice(keptFrom)
    this.#released = end - keptFrom
    this.#covered = Math.max(covered, end) - keptFrom
    return released
  }

  #findEscaped({ start, steps }: Region): Array<LiteralMatch> {
    const matcher = this.#escaped?.matcher
    const all: Array<LiteralMatch> = []
    if (matcher === undefined) return all
    for (const { endOf, startOf, text } of steps) {
      for (const found of matcher.findAll(text, 0)) {
        const match = { start: start + startOf(found.start), end: start + endOf(found.end), marker: found.marker }
        const isEscaped = match.end - match.start > found.end - found.start
        if (isEscaped && match.start >= this.#released) all.push(match)
      }
    }
    return all
  }

  /** As {@link MultiPatternMatcher.findPartial}, for escaped secrets. */
  #findEscapedPartial(
    { hasQuotes, matcher }: EscapedSecrets,
    last: Region | undefined,
    escapeAt: number,
    lineAt: number,
  ): number {
    const buffer = this.#buffer
    const end = Math.min(escapeAt, lineAt)
    const region = last === undefined || last.end < buffer.length ? undefined : last
    if (end === buffer.length && region === undefined) return end
    // The end of a line of digits starts no secret.
    let partial = lineAt < escapeAt ? buffer.length : escapeAt
    const certain = buffer.slice(0, end)
    const plain = matcher.findPartial(hasQuotes ? certain.replaceAll('"', "'") : certain)
    if (plain < end) partial = Math.min(partial, plain)
    for (const { startOf, text, unfinishedAt } of region?.steps ?? []) {
      const decoded = matcher.findPartial(text)
      const first = decoded < text.length ? decoded : unfinishedAt
      if (first !== undefined) partial = Math.min(partial, (region?.start ?? 0) + startOf(first))
    }
    return partial
  }

  /** As {@link MultiPatternMatcher.findTruncated}, for escaped secrets. */
  #findEscapedTruncated(last: Region | undefined): LiteralMatch | undefined {
    const buffer = this.#buffer
    const { hasQuotes, matcher } = this.#escaped ?? { hasQuotes: false }
    if (matcher === undefined || last === undefined || last.end < buffer.length) return undefined
    let first: LiteralMatch | undefined
    for (const { endOf, startOf, text } of last.steps) {
      const found = matcher.findTruncated(text.slice(0, findUnfinishedEscape(text, hasQuotes)))
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
