/**
 * Expands the braces of a word into several words, at once or in steps, within limits: `a{b,c}d` becomes two and `{1..3}`
 * three. Source: bash(1) "Brace Expansion".
 */
import type { Span, Word, WordPart } from "./SyntaxTree.ts"
import { splitTildes } from "./parse/splitTildes.ts"

/** A character of plain text, a number of a sequence, or a whole part. */
type Piece = string | WordPart
type Pieces = ReadonlyArray<Piece>

/** A computation that yields from time to time until it returns. */
type Expansion<A> = Generator<void, A, void>

/** Number of words that are made between two yields. */
const wordsPerYield = 1_024

const maxDepth = 200
const maxSteps = 8_000_000
/** Steps of a product between two yields. */
const stepsPerYield = 16_384

/** There are too many words, or counting them takes too long. */
class TooMany extends Error {}

class Braces {
  private readonly limit: number
  private readonly empty: WordPart
  private steps = 0

  constructor(limit: number, span: Span) {
    this.limit = limit
    this.empty = { _tag: "SingleQuoted", value: "", ansi: false, span }
  }

  /** The index of a character outside deeper braces, or -1. A `}` counts only after a `,` or a `..`. */
  private find(text: Pieces, from: number, wanted: "{" | "}" | ","): number {
    let level = 0
    let parts = wanted === "}" ? 0 : 1
    for (let i = from; i < text.length; i++) {
      if (++this.steps > maxSteps) throw new TooMany()
      const c = text[i]
      const next = text[i + 1]
      if (c === wanted && level === 0 && parts > 0) {
        // `{}` and a lone `{` are plain text.
        if (c !== "{" || i > 0 || (next !== "}" && next !== undefined)) return i
        continue
      }
      if (c === "{") level++
      else if (c === "}" && level > 0) level--
      else if (level === 0 && wanted === "}" && (c === "," || (c === "." && next === "." && text[i + 2] !== "}"))) {
        parts++
      }
    }
    return -1
  }

  *expand(text: Pieces, depth: number): Expansion<ReadonlyArray<Pieces>> {
    if (depth > maxDepth) throw new TooMany()
    let words: ReadonlyArray<Pieces> = [[]]
    const append = function* (this: Braces, tails: ReadonlyArray<Pieces>): Expansion<void> {
      const only = tails.length === 1 ? tails[0] : undefined
      if (only?.length === 0) return
      if (words.length * tails.length > this.limit) throw new TooMany()
      if (words.length === 1 && words[0]?.length === 0) {
        words = tails
        return
      }
      const longer: Array<Pieces> = []
      let pause = this.steps + stepsPerYield
      for (const word of words) {
        for (const tail of tails) {
          this.steps += word.length + tail.length
          if (this.steps > maxSteps) throw new TooMany()
          if (this.steps > pause) {
            pause = this.steps + stepsPerYield
            yield
          }
          longer.push([...word, ...tail])
        }
      }
      words = longer
    }.bind(this)
    let from = 0
    while (from < text.length) {
      let open = this.find(text, from, "{")
      let close = -1
      while (open >= 0) {
        close = this.find(text, open + 1, "}")
        if (close >= 0) break
        open = this.find(text, open + 1, "{")
      }
      if (open < 0) break
      yield* append([text.slice(from, open)])
      const inner = text.slice(open + 1, close)
      yield* append(
        inner.includes(",")
          ? yield* this.alternatives(inner, depth)
          : (yield* this.sequence(inner)) ?? [text.slice(open, close + 1)],
      )
      from = close + 1
    }
    yield* append([text.slice(from)])
    return words
  }

  private *alternatives(text: Pieces, depth: number): Expansion<ReadonlyArray<Pieces>> {
    const words: Array<Pieces> = []
    for (let from = 0;;) {
      const comma = this.find(text, from, ",")
      const more = yield* this.expand(text.slice(from, comma < 0 ? undefined : comma), depth + 1)
      for (const word of more) words.push(word)
      if (words.length > this.limit) throw new TooMany()
      if (comma < 0) return words
      from = comma + 1
    }
  }

  /** Expands `1..9` and `a..e`, with a step after another `..`. */
  private *sequence(text: Pieces): Expansion<ReadonlyArray<Pieces> | undefined> {
    if (text.length > 64 || text.some((piece) => typeof piece !== "string")) return undefined
    const found = /^(?:([+-]?\d+)\.\.([+-]?\d+)|([A-Za-z])\.\.([A-Za-z]))(?:\.\.([+-]?\d+))?$/.exec(text.join(""))
    if (found === null) return undefined
    const [, low = "", high = "", first = "", last = "", by = "1"] = found
    const letters = first !== ""
    const from = letters ? first.charCodeAt(0) : Number(low)
    const to = letters ? last.charCodeAt(0) : Number(high)
    const step = Math.abs(Number(by)) || 1
    if (![from, to, step].every(Number.isSafeInteger)) return undefined
    const padded = [low, high].some((text) => /^[+-]?0\d/.test(text)) ? Math.max(low.length, high.length) : 0
    const count = Math.floor(Math.abs(to - from) / step) + 1
    if (count > this.limit) throw new TooMany()
    const words: Array<Pieces> = []
    for (let index = 0; index < count; index++) {
      if (index % wordsPerYield === wordsPerYield - 1) yield
      const value = from + (to < from ? -step : step) * index
      const digits = String(Math.abs(value))
      words.push(
        // In bash the backslash between `Z` and `a` quotes nothing and makes an empty word.
        letters
          ? value === 92 ? [this.empty] : [String.fromCharCode(value)]
          : [value < 0 ? `-${digits.padStart(padded - 1, "0")}` : digits.padStart(padded, "0")],
      )
    }
    return words
  }
}

/** Makes a word of pieces, with adjoining characters as one literal. */
const wordOf = (pieces: Pieces, span: Span): Word => {
  const parts: Array<WordPart> = []
  let value = ""
  const flush = (): void => {
    if (value !== "") parts.push({ _tag: "Literal", value, span })
    value = ""
  }
  for (const piece of pieces) {
    if (typeof piece === "string") value += piece
    else {
      flush()
      parts.push(piece)
    }
  }
  flush()
  return { _tag: "Word", parts: splitTildes(parts, false), braces: false, span }
}

/**
 * Expands the braces of a word into at most `limit` words, 65,536 by default; `undefined` beyond that, and if the work
 * exceeds its limit. A word without parts, as in `{,}`, is not an argument. Literals from braces have the span of the
 * whole word.
 */
export const expandBraces = (word: Word, limit = 65_536): ReadonlyArray<Word> | undefined => {
  const steps = expandBracesInSteps(word, limit)
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}

/** Expands braces as {@link expandBraces} does, but yields after every thousand words so that a host can run other work. */
export function* expandBracesInSteps(word: Word, limit: number): Expansion<ReadonlyArray<Word> | undefined> {
  if (!word.braces) return [word]
  const pieces = word.parts.flatMap((part): Pieces => part._tag === "Literal" ? part.value.split("") : [part])
  try {
    const words = yield* new Braces(limit, word.span).expand(pieces, 0)
    const [only] = words
    if (only?.length === pieces.length) return [word]
    const made: Array<Word> = []
    for (const each of words) if (made.push(wordOf(each, word.span)) % wordsPerYield === 0) yield
    return made
  } catch (failure) {
    if (failure instanceof TooMany) return undefined
    throw failure
  }
}
