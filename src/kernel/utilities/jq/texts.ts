/** Texts in pieces and by code points: JavaScript counts UTF-16 units. */
import type { Coroutine } from "../../Coroutine.ts"
import { checkText, countText } from "./limits.ts"

/** Number of characters of a long text that are processed at once. */
const pieceLength = 16_384

/** The pieces of a text, none of which ends within a surrogate pair. */
export function* piecesOf(text: string): Generator<string, void, void> {
  for (let at = 0; at < text.length;) {
    let end = at + pieceLength
    if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) end--
    yield text.slice(at, end)
    at = end
  }
}

/** Changes a text piece by piece; `start` is the length of the text before the piece. */
export function* mapText(text: string, change: (piece: string) => string, start = 0): Coroutine<string> {
  if (text.length <= pieceLength) return change(text)
  let out = ""
  for (const part of piecesOf(text)) {
    out += change(part)
    checkText(start + out.length)
    yield
  }
  return out
}

/** Compares texts by code points. */
export const compareText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  countText(length)
  if (a === b) return 0
  // Engines compare pieces far faster than a loop does characters.
  let from = 0
  while (from + pieceLength < length && a.slice(from, from + pieceLength) === b.slice(from, from + pieceLength)) {
    from += pieceLength
  }
  for (let at = from; at < length; at++) {
    let left = a.charCodeAt(at)
    let right = b.charCodeAt(at)
    if (left === right) continue
    // Surrogates stand for characters above all others.
    if (left >= 0xd800 && right >= 0xd800) {
      left += left >= 0xe000 ? -0x800 : 0x2000
      right += right >= 0xe000 ? -0x800 : 0x2000
    }
    return left - right
  }
  return a.length - b.length
}

/** Characters of a text: surrogate pairs count once. */
export const countCodePoints = (text: string): number => {
  if (hasNoPairs(text)) return text.length
  let count = text.length
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count--
  return count
}

// deno-lint-ignore no-control-regex -- ASCII includes control characters
const bmp = /^[\x00-\ud7ff]*$/

/** Whether an index of characters is one of code units, too. */
export const hasNoPairs = (text: string): boolean => bmp.test(text)

/** The code unit at which a character begins. */
export const unitOffset = (text: string, characters: number): number => {
  let at = 0
  for (let count = 0; count < characters && at < text.length; count++) {
    at += (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1
  }
  return at
}
