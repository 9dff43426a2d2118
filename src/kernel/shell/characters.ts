/** Counts, slices and searches the characters of a text, a long one in pieces. */
import { detach } from "../detach.ts"
import { decodeLossless, encodeLossless } from "../../base/surrogateEscape.ts"
import type { Coroutine } from "../Coroutine.ts"

/** The character for a byte given by an escape such as `\xff`. */
export const byteCharacter = (byte: number): string => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + (byte & 0xff))

/** The characters of a text in the locale `C`: each byte is one. */
export const bytesAsCharacters = (text: string): string =>
  /[^\0-\x7f]/.test(text) ? Array.from(encodeLossless(text), byteCharacter).join("") : text

/** Joins characters that were given byte by byte: `\303\251` is one `é`. */
export const joinBytes = (text: string): string =>
  /[\udc80-\udcff]/.test(text) ? decodeLossless(encodeLossless(text)) : text

/** UTF-16 units that are read between two yields. */
const unitsPerYield = 1_048_576

/** The first half of a pair. */
const surrogate = /[\ud800-\udbff]/

/** Cuts a text into pieces of about `units` UTF-16 units, between characters. */
export function* piecesOf(text: string, units: number = unitsPerYield): Generator<string> {
  for (let from = 0, end = 0; from < text.length; from = end) {
    end = from + units
    // A surrogate pair stays together.
    if (surrogate.test(text[end - 1] ?? "")) end++
    yield end < text.length || from > 0 ? text.slice(from, end) : text
  }
}

export function* hasCharacter(text: string, pattern: RegExp): Coroutine<boolean> {
  for (const piece of piecesOf(text)) {
    if (pattern.test(piece)) return true
    if (piece.length < text.length) yield
  }
  return false
}

export function* mapPieces(
  text: string,
  change: (piece: string) => string,
  units: number = unitsPerYield,
): Coroutine<string> {
  let changed = ""
  for (const piece of piecesOf(text, units)) {
    changed += change(piece)
    if (piece.length < text.length) yield
  }
  return changed
}

const isPair = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff && at + 1 < text.length
}

/** Counts the characters of a text, as `${#x}` does. */
export function* countCharacters(text: string): Coroutine<number> {
  if (!(yield* hasCharacter(text, surrogate))) return text.length
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if (at % unitsPerYield === unitsPerYield - 1) yield
    if (!isPair(text, at)) count++
  }
  return count
}

/** Returns the characters of a text from one index up to another. */
export function* sliceCharacters(text: string, start: number, end: number): Coroutine<string> {
  if (!(yield* hasCharacter(text, surrogate))) return detach(text.slice(start, end), text.length)
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
  return detach(text.slice(from, at), text.length)
}
