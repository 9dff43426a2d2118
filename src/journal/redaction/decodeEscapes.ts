/**
 * Finds and decodes the escapes in a text (JSON, shells, C, URLs, HTML, broken lines of digits), layer by layer, maps
 * decoded indexes to the original, and finds an unfinished escape or line at the end.
 */
import {
  ampersand,
  backslash,
  endsInDigits,
  type Escape,
  hexValues,
  isQuote,
  lineEndBefore,
  lineFeed,
  maxBackslashes,
  maxEscapeLength,
  maxIndent,
  percent,
  readBackslashEscape,
  readEntity,
  readLineBreak,
  readMultiByte,
  readPercentEscape,
  readQuotes,
  skipBackslashes,
} from "./escapeSyntax.ts"

/** The number of characters before an index that decide whether an escape is there. */
export const contextLength: number = 2 * maxBackslashes

const hex = "[0-9a-fA-F]"
const slashes = String.raw`\\{1,16}`
const percents = "%(?:25){0,4}"

/** Matches an escape, or escaped bytes of one character, that the end of the text cuts off. */
const unfinishedEscape = new RegExp(
  `^(?:${slashes}(?:x[89a-fA-F]${hex}|[23][0-7]{2})|${percents}[89a-fA-F]${hex}){0,3}` +
    `(?:(?:\\\\{0,16}['"]){1,16}\\\\{0,16}|` +
    `${slashes}(?:u\\{?${hex}{0,6}|U${hex}{0,7}|x${hex}{0,2}|[0-7]{0,3})?|${percents}${hex}?|` +
    `&(?:amp;){0,4}(?:#\\d{0,7}|#[xX]${hex}{0,6}|[A-Za-z]{0,6}\\d{0,2})?)?$`,
)

/** The start of an unfinished escape at the end of a text; the text's length when there is none. */
export const findUnfinishedEscape = (text: string, hasQuotes: boolean): number => {
  const tail = text.slice(-4 * maxEscapeLength)
  const { length } = tail
  // A letter or digit can only end an escape that begins with one of these.
  const begin = Math.max(tail.lastIndexOf("\\"), tail.lastIndexOf("%"), tail.lastIndexOf("&"))
  const endsInQuote = hasQuotes && isQuote(tail.charCodeAt(length - 1))
  if (begin < length - maxEscapeLength && !endsInQuote) return text.length
  for (let start = Math.max(0, length - 3 * maxEscapeLength); start < length; start++) {
    const code = tail.charCodeAt(start)
    if (code !== backslash && code !== percent && code !== ampersand && !(hasQuotes && isQuote(code))) continue
    const found = unfinishedEscape.exec(tail.slice(start))
    if (found !== null && (hasQuotes || !/^['"]/.test(found[0]))) return text.length - length + start
  }
  return text.length
}

/** The end of a line of digits at the end of a text that may continue; the text's length when there is none. */
export const findUnfinishedLine = (text: string): number => {
  let end = text.length
  while (end > text.length - maxIndent && (text.charCodeAt(end - 1) === 32 || text.charCodeAt(end - 1) === 9)) end--
  if (text.charCodeAt(end - 1) === lineFeed) end--
  else if (end < text.length) return text.length
  if (text.charCodeAt(end - 1) === 13) end--
  return end < text.length && endsInDigits(text, end) ? end : text.length
}

/** Whether an escape may begin at an index that `indexOf` found. */
const mayBegin = (text: string, at: number): boolean => {
  const next = text.charCodeAt(at + 1)
  switch (text.charCodeAt(at)) {
    case percent:
      return (hexValues[next] ?? -1) >= 0 && (hexValues[text.charCodeAt(at + 2)] ?? -1) >= 0
    case ampersand:
      return next === 35 || text.slice(at + 3, at + 10).includes(";")
    default:
      return true
  }
}

/**
 * The indexes at which escapes may begin, ascending. Most text has few, so `indexOf` finds them fast. Doubled quotes count
 * only for secrets that contain a quote.
 */
export const findEscapes = (text: string, hasQuotes: boolean): ReadonlyArray<number> => {
  const found: Array<number> = []
  let marks = 0
  const add = (mark: string): void => {
    const before = found.length
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      if (mayBegin(text, at)) found.push(at)
    }
    if (found.length > before) marks++
  }
  add("\\")
  add("%")
  add("&")
  if (hasQuotes) { for (const mark of [`''`, `""`, `'"`, `"'`]) add(mark) }
  return marks > 1 ? found.sort((a, b) => a - b) : found
}

/** The line feeds after lines of digits that may continue in the next line, from an index on. */
export const findLineBreaks = (text: string, from: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = text.indexOf("\n", from); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (endsInDigits(text, lineEndBefore(text, at))) found.push(at)
  }
  return found
}

/** Decoded text with a mapping of its indexes to those of the original text. */
export interface DecodedText {
  readonly text: string
  /** The original index at which the character at an index begins. */
  readonly startOf: (index: number) => number
  /** The original index at which the character before an index ends. */
  readonly endOf: (index: number) => number
}

/** Maps indexes of a decoded text to the original: between escapes they differ by a constant. */
class OffsetMap {
  /** Four numbers for each escape: start and end in the decoded text, start and end in the original. */
  readonly #all: Array<number> = []

  add(at: number, length: number, from: number, to: number): void {
    this.#all.push(at, at + length, from, to)
  }

  startOf(index: number): number {
    const last = this.#last(index)
    if (last < 0) return index
    const [, end = 0, from = 0, to = 0] = this.#all.slice(last, last + 4)
    return index < end ? from : to + index - end
  }

  endOf(index: number): number {
    const last = this.#last(index - 1)
    if (last < 0) return index
    const [, end = 0, , to = 0] = this.#all.slice(last, last + 4)
    return to + Math.max(0, index - end)
  }

  /** Finds the last escape that begins at or before an index. */
  #last(index: number): number {
    let low = -1
    let high = this.#all.length / 4 - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#all[4 * middle] ?? 0) <= index) low = middle
      else high = middle - 1
    }
    return 4 * low
  }
}

/** The next index at which an escape may begin. */
const nextCandidate = (text: string, from: number, hasQuotes: boolean): number => {
  const { length } = text
  for (let at = from; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code > 39 && code !== backslash) continue
    if (
      code === backslash || code === percent || code === ampersand || code === lineFeed || (hasQuotes && isQuote(code))
    ) return at
  }
  return length
}

/** Decodes one layer of escapes; `undefined` when there is none. */
const decodeOnce = (text: string, hasQuotes: boolean): DecodedText | undefined => {
  const { length } = text
  let offsets: OffsetMap | undefined
  // Joined at the end: reading a text that was concatenated from many small parts is slow.
  const parts: Array<string> = []
  let out = 0
  let done = 0
  for (let at = nextCandidate(text, 0, hasQuotes); at < length; at = nextCandidate(text, at + 1, hasQuotes)) {
    const code = text.charCodeAt(at)
    let start = at
    let found: Escape | undefined
    if (code === backslash) {
      const after = skipBackslashes(text, at)
      start = Math.max(at, after - maxBackslashes)
      const isQuoted = hasQuotes && isQuote(text.charCodeAt(after))
      found = isQuoted ? readQuotes(text, start) : readBackslashEscape(text, after)
      // The backslashes end the text.
      if (found === undefined) break
    } else if (code === percent) found = readPercentEscape(text, at)
    else if (code === ampersand) found = readEntity(text, at)
    else if (code === lineFeed) {
      found = readLineBreak(text, at)
      start = lineEndBefore(text, at)
    } else if (hasQuotes && isQuote(code)) found = readQuotes(text, at)
    if (found === undefined) continue
    const { end, text: character } = found.byte !== undefined && found.byte > 127
      ? readMultiByte(text, found) ?? found
      : found
    parts.push(text.slice(done, start), character)
    out += start - done
    offsets ??= new OffsetMap()
    offsets.add(out, character.length, start, end)
    out += character.length
    done = end
    at = end - 1
  }
  if (offsets === undefined) return undefined
  const map = offsets
  const whole = parts.join("") + text.slice(done)
  return {
    text: hasQuotes ? whole.replaceAll('"', "'") : whole,
    startOf: (index) => map.startOf(index),
    endOf: (index) => map.endOf(index),
  }
}

/** Maximum number of layers: JSON in JSON in a URL has three. */
const maxDepth = 4

/** The text after a number of layers were decoded. */
export interface DecodedStep extends DecodedText {
  /** The end of the text, when an unfinished escape followed it and was cut off; otherwise `undefined`. */
  readonly unfinishedAt: number | undefined
}

/** Cuts off what is unfinished at the end of a part of a text. */
const cutUnfinished = (step: DecodedText, hasQuotes: boolean, isPart: boolean): DecodedStep => {
  const { length } = step.text
  const end = isPart ? Math.min(findUnfinishedEscape(step.text, hasQuotes), findUnfinishedLine(step.text)) : length
  return end === length ? { ...step, unfinishedAt: undefined } : {
    ...step,
    text: step.text.slice(0, end),
    unfinishedAt: findUnfinishedEscape(step.text, hasQuotes) === end ? end : undefined,
  }
}

/**
 * Decodes layer after layer until nothing changes; returns the text after each layer. With `hasQuotes`, each quote is
 * returned as `'`. With `isPart`, each layer leaves out an unfinished escape at its end.
 */
export const decodeEscapes = (text: string, hasQuotes: boolean, isPart: boolean): ReadonlyArray<DecodedStep> => {
  const steps: Array<DecodedStep> = []
  let last: DecodedText | undefined = decodeOnce(text, hasQuotes)
  while (last !== undefined && steps.length < maxDepth) {
    const before: DecodedStep = cutUnfinished(last, hasQuotes, isPart)
    steps.push(before)
    const next = decodeOnce(before.text, hasQuotes)
    last = next && {
      text: next.text,
      startOf: (index) => before.startOf(next.startOf(index)),
      endOf: (index) => before.endOf(next.endOf(index)),
    }
  }
  return steps
}

/** Decodes all layers of a complete text. */
export const decodeText = (text: string, hasQuotes: boolean): string => {
  const decoded = decodeEscapes(text, hasQuotes, false).at(-1)?.text ?? text
  return hasQuotes ? decoded.replaceAll('"', "'") : decoded
}
