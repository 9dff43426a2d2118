/**
 * Brace expansion: `a{b,c}d` is two words, `{1..3}` three. It comes before all other expansions, and knows nothing of
 * what they will give.
 *
 * Source: bash(1) "Brace Expansion".
 *
 * @module
 */
import type { Span, Word, WordPart } from "./SyntaxTree.ts"
import { splitTildes } from "./parse/splitTildes.ts"

/** One character of plain text, or a whole part; in what a sequence gives, all of a number. */
type Piece = string | WordPart
type Pieces = ReadonlyArray<Piece>

/** A computation that pauses on its way to what it answers. */
type Steps<A> = Generator<void, A, void>

/** Words that are made between two pauses. */
const wordsPerPause = 1_024

const maxDepth = 200
const maxSteps = 4_000_000

/** Too many words, or too much work to find out. */
class TooMany extends Error {}

class Braces {
  private readonly limit: number
  private readonly empty: WordPart
  private steps = 0

  constructor(limit: number, span: Span) {
    this.limit = limit
    this.empty = { _tag: "SingleQuoted", value: "", ansi: false, span }
  }

  /** Where the character stands, outside deeper braces; -1 when it does not. A `}` only counts after a `,` or a `..`. */
  private find(text: Pieces, from: number, wanted: "{" | "}" | ","): number {
    let level = 0
    let parts = wanted === "}" ? 0 : 1
    for (let i = from; i < text.length; i++) {
      if (++this.steps > maxSteps) throw new TooMany()
      const c = text[i]
      const next = text[i + 1]
      if (c === wanted && level === 0 && parts > 0) {
        // `{}` and a `{` that stands alone are plain text.
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

  *expand(text: Pieces, depth: number): Steps<ReadonlyArray<Pieces>> {
    if (depth > maxDepth) throw new TooMany()
    let words: ReadonlyArray<Pieces> = [[]]
    const append = function* (this: Braces, tails: ReadonlyArray<Pieces>): Steps<void> {
      const only = tails.length === 1 ? tails[0] : undefined
      if (only?.length === 0) return
      if (words.length * tails.length > this.limit) throw new TooMany()
      if (words.length === 1 && words[0]?.length === 0) {
        words = tails
        return
      }
      const longer: Array<Pieces> = []
      for (const word of words) {
        this.steps += word.length * tails.length
        if (this.steps > maxSteps) throw new TooMany()
        for (const tail of tails) {
          longer.push([...word, ...tail])
          if (longer.length % wordsPerPause === 0) yield
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

  private *alternatives(text: Pieces, depth: number): Steps<ReadonlyArray<Pieces>> {
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

  /** `1..9`, `a..e`, with a step after another `..`. */
  private *sequence(text: Pieces): Steps<ReadonlyArray<Pieces> | undefined> {
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
      if (index % wordsPerPause === wordsPerPause - 1) yield
      const value = from + (to < from ? -step : step) * index
      const digits = String(Math.abs(value))
      words.push(
        // A backslash between `Z` and `a` quotes nothing: that makes an empty word.
        letters
          ? value === 92 ? [this.empty] : [String.fromCharCode(value)]
          : [value < 0 ? `-${digits.padStart(padded - 1, "0")}` : digits.padStart(padded, "0")],
      )
    }
    return words
  }
}

/** Makes parts of the pieces again, adjoining characters one literal. */
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
 * The words that a word becomes by brace expansion: itself alone when it has no braces. A word without parts stands for
 * no argument at all, as `{,}` gives. Literals that came from braces have the span of the whole word.
 *
 * @param limit of words. Default: 65,536
 * @returns `undefined` when there are more, or when finding out takes too long
 */
export const expandBraces = (word: Word, limit = 65_536): ReadonlyArray<Word> | undefined => {
  const steps = expandBracesInSteps(word, limit)
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}

/** The same in pieces: it pauses after every few thousand words, so that a host can let others run. */
export function* expandBracesInSteps(word: Word, limit: number): Steps<ReadonlyArray<Word> | undefined> {
  if (!word.braces) return [word]
  const pieces = word.parts.flatMap((part): Pieces => part._tag === "Literal" ? part.value.split("") : [part])
  try {
    const words = yield* new Braces(limit, word.span).expand(pieces, 0)
    const [only] = words
    if (only?.length === pieces.length) return [word]
    const made: Array<Word> = []
    for (const each of words) if (made.push(wordOf(each, word.span)) % wordsPerPause === 0) yield
    return made
  } catch (failure) {
    if (failure instanceof TooMany) return undefined
    throw failure
  }
}
