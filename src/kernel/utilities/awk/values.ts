/**
 * Defines the values of awk and their conversions: numbers, texts, and parts of the input that look like a number and
 * are both.
 */
import { formatFloating } from "../../shell/builtins/formatNumber.ts"

/** A part of the input that looks like a number: it compares as a number, and prints as it is. */
export class NumericText {
  readonly text: string
  readonly value: number

  constructor(text: string, value: number) {
    this.text = text
    this.value = value
  }
}

/** `undefined` is the value of a variable that was not set: 0 and the empty text. */
export type Scalar = number | string | NumericText | undefined
/** An array of awk. */
export type Table = Map<string, Cell>
export type Cell = Scalar | Table

// No part of these can match the same digits as the part before: they are linear.
const numberPrefix = /^[ \t\n\v\f\r]*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/
const wholeNumber = /^[ \t\n\v\f\r]*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?[ \t\n\v\f\r]*$/
const notFinite = /^[ \t\n\v\f\r]*([-+])(inf|nan)[ \t\n\v\f\r]*$/i

/** Maximum characters of a number: more digits change nothing. */
const maxNumberLength = 4_096

const parseNotFinite = (text: string): number | undefined => {
  const [, sign, word] = notFinite.exec(text) ?? []
  if (word === undefined) return undefined
  return word.toLowerCase() === "nan" ? NaN : sign === "-" ? -Infinity : Infinity
}

/** The number at the start of a text; 0 if there is none. */
export const parsePrefix = (text: string): number => {
  if (text.length < 16) {
    let value = 0
    let at = 0
    for (; at < text.length; at++) {
      const digit = text.charCodeAt(at) - 48
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
    }
    if (at === text.length) return value
  }
  if (text.length > maxNumberLength) return parsePrefix(text.slice(0, maxNumberLength))
  const match = numberPrefix.exec(text)
  return match === null ? parseNotFinite(text) ?? 0 : Number(match[0])
}

/** A part of the input as a value: it looks like a number or is a text. */
export const inputValue = (text: string): Scalar => {
  const first = text.charCodeAt(0)
  // Most texts begin with a letter.
  if (first > 57 || text === "" || text.length > maxNumberLength) return text
  if (wholeNumber.test(text)) return new NumericText(text, Number(text))
  const value = parseNotFinite(text)
  return value === undefined ? text : new NumericText(text, value)
}

export const toNumber = (value: Scalar): number => {
  if (typeof value === "number") return value
  if (typeof value === "string") return parsePrefix(value)
  return value === undefined ? 0 : value.value
}

const sixDigits = { flags: "", width: 0, precision: 6 }

/** Infinities and NaN have a sign, as gawk writes them. */
const formatNotFinite = (value: number): string => Number.isNaN(value) ? "+nan" : value > 0 ? "+inf" : "-inf"

/** A number as text: integers in full, others by a format such as `%.6g`. */
export const numberText = (value: number, format: string, apply: (format: string, value: number) => string): string => {
  if (Number.isInteger(value)) return Math.abs(value) < 1e21 ? String(value) : String(BigInt(value))
  if (!Number.isFinite(value)) return formatNotFinite(value)
  return format === "%.6g" ? formatFloating(value, "g", sixDigits) : apply(format, value)
}

export const isTrue = (value: Scalar): boolean => {
  if (typeof value === "number") return value !== 0
  if (typeof value === "string") return value !== ""
  return value !== undefined && value.value !== 0
}

/**
 * Compares as numbers if both are numbers, otherwise as texts; returns a negative number, 0, a positive number, or NaN.
 */
export const compare = (a: Scalar, b: Scalar, textOf: (value: Scalar) => string): number => {
  if (typeof a === "number" && typeof b === "number") return a - b
  if (typeof a === "string" || typeof b === "string") {
    const [left, right] = [textOf(a), textOf(b)]
    return left < right ? -1 : left > right ? 1 : 0
  }
  const [left, right] = [toNumber(a), toNumber(b)]
  return left === right ? 0 : left - right
}

const continuation = /[\x80-\xbf]/g
// deno-lint-ignore no-control-regex -- ASCII includes control characters
const ascii = /^[\x00-\x7f]*$/

/** Characters of a binary string: with UTF-8 bytes that continue a character do not count. */
export const countCharacters = (text: string, utf8: boolean): number =>
  utf8 && !ascii.test(text) ? text.length - (text.match(continuation)?.length ?? 0) : text.length

/** The offset of a character in a binary string, counted from 0; the length of the text where it has fewer. */
export const characterOffset = (text: string, index: number, utf8: boolean, from = 0): number => {
  if (!utf8 || ascii.test(text)) return Math.min(text.length, from + index)
  let at = from
  for (let left = index; left > 0 && at < text.length; left--) {
    at++
    while (at < text.length && (text.charCodeAt(at) & 0xc0) === 0x80) at++
  }
  return at
}

/** The characters of a binary string. */
export const charactersOf = (text: string, utf8: boolean): Array<string> =>
  utf8 && !ascii.test(text) ? text.match(/[^\x80-\xbf][\x80-\xbf]*|[\x80-\xbf]/g) ?? [] : text.split("")
