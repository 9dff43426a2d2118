/**
 * Bytes and texts. A *binary string* is a JavaScript string in which every character is one byte (0 to 255): it sorts,
 * slices and joins like bytes do in the C locale, and loses nothing of data that is not UTF-8. Texts, such as arguments
 * and paths, lose nothing either: what is no UTF-8 is there as lone surrogates.
 *
 * @module
 */
import { decodeLossless, encodeLossless } from "../base/surrogateEscape.ts"

const plain = new TextDecoder("utf-8", { ignoreBOM: true })

/** Bytes as a binary string. */
export const bytesToBinary = (bytes: Uint8Array, from = 0, to: number = bytes.length): string => {
  if (to - from > 32) {
    // A decoder is many times faster. As many characters as bytes, and none that stands for a wrong byte: all is ASCII.
    const text = plain.decode(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to))
    if (text.length === to - from && !text.includes("\ufffd")) return text
  }
  let out = ""
  // Arguments of a call live on the stack: a few thousand at once are safe everywhere.
  for (let at = from; at < to; at += 4096) {
    const letters: string = Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, Math.min(to, at + 4096)))
    out += letters
  }
  return out
}

/** A binary string as bytes. */
export const binaryToBytes = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

// deno-lint-ignore no-control-regex -- ASCII is all of it, control characters too
const ascii = /^[\x00-\x7f]*$/

/** A text as a binary string of its UTF-8. */
export const textToBinary = (text: string): string => ascii.test(text) ? text : bytesToBinary(encodeLossless(text))

/** The text whose UTF-8 a binary string is. */
export const binaryToText = (text: string): string => ascii.test(text) ? text : decodeLossless(binaryToBytes(text))

/** How two strings stand to each other: below 0, 0, or above 0. */
export const compareStrings = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0
