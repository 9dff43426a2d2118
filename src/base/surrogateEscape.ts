/**
 * Decodes bytes to text and encodes text to bytes without loss: a byte that is not valid UTF-8 becomes a lone surrogate,
 * U+DC80 to U+DCFF, and the same byte again.
 *
 * Source: PEP 383, "surrogateescape".
 */
import { sequenceLength } from "./utf8.ts"
import { encodeUtf8, encodeUtf8Into } from "./bytes.ts"
import { decodeUtf8 } from "./decodeUtf8.ts"

/** Decodes UTF-8; each byte that is not part of a valid sequence becomes a lone surrogate. */
export const decodeLossless = (bytes: Uint8Array): string => decodeUtf8(bytes) ?? decodeInvalid(bytes)

const decodeInvalid = (bytes: Uint8Array): string => {
  let text = ""
  let start = 0
  let at = 0
  const flush = () => {
    if (at > start) text += decodeUtf8(bytes.subarray(start, at)) ?? ""
  }
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    const length = sequenceLength(byte)
    if (length === 1 || (length > 1 && isWhole(bytes.subarray(at, at + length), length))) {
      at += length
      continue
    }
    flush()
    text += String.fromCharCode(0xdc00 + byte)
    start = ++at
  }
  flush()
  return text
}

const isWhole = (sequence: Uint8Array, length: number): boolean =>
  sequence.length === length && decodeUtf8(sequence) !== undefined

/** Encodes a text as UTF-8; each lone surrogate from U+DC80 to U+DCFF becomes the byte that it stands for. */
export const encodeLossless = (text: string): Uint8Array => {
  if (text.isWellFormed()) return encodeUtf8(text)
  const bytes = new Uint8Array(text.length * 3)
  let at = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code >= 0xdc80 && code <= 0xdcff) bytes[at++] = code - 0xdc00
    else at += encodeUtf8Into(character, bytes.subarray(at)).written
  }
  return bytes.slice(0, at)
}
