/**
 * Converts between bytes, texts and *binary strings*, in which every character is one byte: they sort, slice and join as bytes
 * do in the C locale, and are faster than byte arrays. In texts, bytes that are not UTF-8 are lone surrogates.
 */
import { decodeLossless, encodeLossless } from "../base/surrogateEscape.ts"

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

export const bytesToBinary = (bytes: Uint8Array, from = 0, to: number = bytes.length): string => {
  if (to - from > 32) {
    // A decoder is many times faster. If there are as many characters as bytes, and no replacement character, all bytes
    // are ASCII.
    const text = decoder.decode(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to))
    if (text.length === to - from && !text.includes("\ufffd")) return text
  }
  let out = ""
  // Arguments are on the stack, which has room for a few thousand on every runtime.
  for (let at = from; at < to; at += 4096) {
    const letters: string = Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, Math.min(to, at + 4096)))
    out += letters
  }
  return out
}

export const binaryToBytes = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

// deno-lint-ignore no-control-regex -- ASCII includes control characters
const ascii = /^[\x00-\x7f]*$/

export const textToBinary = (text: string): string => ascii.test(text) ? text : bytesToBinary(encodeLossless(text))

export const binaryToText = (text: string): string => ascii.test(text) ? text : decodeLossless(binaryToBytes(text))

/** Compares by character codes: -1, 0 or 1. */
export const compareStrings = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0
