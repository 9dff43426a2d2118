/**
 * Counts and slices the characters of a text, and converts bytes that escapes give one at a time to characters.
 *
 * @module
 */
import { decodeLossless, encodeLossless } from "../../base/surrogateEscape.ts"
import type { Coroutine } from "../Coroutine.ts"

/** The character for a byte given by an escape such as `\xff`. */
export const byteCharacter = (byte: number): string => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + (byte & 0xff))

/** Joins characters that were given byte by byte: `\303\251` is one `é`. */
export const joinBytes = (text: string): string =>
  /[\udc80-\udcff]/.test(text) ? decodeLossless(encodeLossless(text)) : text

/** UTF-16 units that are read between two yields. */
const unitsPerYield = 1_048_576

const isPair = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff && at + 1 < text.length
}

/** Counts the characters of a text, as `${#x}` does. */
export function* countCharacters(text: string): Coroutine<number> {
  if (!/[\ud800-\udbff]/.test(text)) return text.length
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if (at % unitsPerYield === unitsPerYield - 1) yield
    if (!isPair(text, at)) count++
  }
  return count
}

/** Returns the characters of a text from one index up to another. */
export function* sliceCharacters(text: string, start: number, end: number): Coroutine<string> {
  if (!/[\ud800-\udbff]/.test(text)) return text.slice(start, end)
  let from = text.length
  let count = 0
  let at = 0
  let next = unitsPerYield
  for (; at < text.length && count < end; count++) {
    if (count === start) from = at
    at += isPair(text, at) ? 2 : 1
    if (at > next) {
      next += unitsPerYield
      yield
    }
  }
  return text.slice(from, at)
}
