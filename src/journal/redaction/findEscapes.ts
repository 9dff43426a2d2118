/**
 * Finds the indexes of a text where escapes may begin, and an unfinished escape or line of digits at its end.
 *
 * @module
 */
import {
  ampersand,
  backslash,
  endsInDigits,
  hexValues,
  isQuote,
  lineEndBefore,
  lineFeed,
  maxBackslashes,
  maxEscapeLength,
  maxIndent,
  percent,
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
