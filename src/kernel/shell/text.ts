/**
 * Bytes and text, without loss. A byte that is no UTF-8 becomes a lone surrogate, U+DC80 to U+DCFF, and becomes the same
 * byte again when it is written: shells carry bytes, JavaScript carries text.
 *
 * Source: PEP 383, "surrogateescape".
 *
 * @module
 */

import type { Coroutine } from "../Coroutine.ts"

const encoder = new TextEncoder()
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Text of bytes. */
export const decode = (bytes: Uint8Array): string => {
  try {
    return strict.decode(bytes)
  } catch {
    return decodeBroken(bytes)
  }
}

/** How many bytes a sequence has that starts with this one; 0 when none does. */
const sequenceLength = (byte: number): number =>
  byte < 0x80
    ? 1
    : byte >= 0xc2 && byte < 0xe0
    ? 2
    : byte >= 0xe0 && byte < 0xf0
    ? 3
    : byte >= 0xf0 && byte < 0xf5
    ? 4
    : 0

/** Valid stretches are decoded whole; each byte of the rest stands for itself. */
const decodeBroken = (bytes: Uint8Array): string => {
  let text = ""
  let start = 0
  let at = 0
  const flush = () => {
    if (at > start) text += strict.decode(bytes.subarray(start, at))
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

const isWhole = (sequence: Uint8Array, length: number): boolean => {
  if (sequence.length < length) return false
  try {
    strict.decode(sequence)
    return true
  } catch {
    return false
  }
}

/** Bytes of text. */
export const encode = (text: string): Uint8Array => {
  if (!/[\udc80-\udcff]/.test(text)) return encoder.encode(text)
  const bytes = new Uint8Array(text.length * 3)
  let at = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code >= 0xdc80 && code <= 0xdcff) bytes[at++] = code - 0xdc00
    else at += encoder.encodeInto(character, bytes.subarray(at)).written
  }
  return bytes.slice(0, at)
}

/** The character of one byte that an escape such as `\xff` asks for. */
export const byteCharacter = (byte: number): string => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + (byte & 0xff))

/** Puts together characters that were given byte by byte: `\303\251` is one `é`. */
export const joined = (text: string): string => /[\udc80-\udcff]/.test(text) ? decode(encode(text)) : text

/** Units that are looked at between two pauses. */
const unitsPerPause = 1_048_576

const isPair = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff && at + 1 < text.length
}

/** How many characters a text has: what `${#x}` counts. Cheap when none needs two units. */
export function* countCharacters(text: string): Coroutine<number> {
  if (!/[\ud800-\udbff]/.test(text)) return text.length
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if (at % unitsPerPause === unitsPerPause - 1) yield
    if (!isPair(text, at)) count++
  }
  return count
}

/** The characters of a text between two numbers. */
export function* sliceCharacters(text: string, start: number, end: number): Coroutine<string> {
  if (!/[\ud800-\udbff]/.test(text)) return text.slice(start, end)
  let from = text.length
  let count = 0
  let at = 0
  let next = unitsPerPause
  for (; at < text.length && count < end; count++) {
    if (count === start) from = at
    at += isPair(text, at) ? 2 : 1
    if (at > next) {
      next += unitsPerPause
      yield
    }
  }
  return text.slice(from, at)
}
