/**
 * Encodes text as bytes in the encodings that a command's stdin may name.
 *
 * @module
 */
import { encodeUtf8 } from "../../../base/bytes.ts"
import type { Encoding } from "effect/process/ChildProcess"

const unitsOf = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length }, (_, index) => text.charCodeAt(index) & 0xff)

const utf16 = (text: string): Uint8Array => {
  const bytes = new DataView(new ArrayBuffer(text.length * 2))
  for (let i = 0; i < text.length; i++) bytes.setUint16(i * 2, text.charCodeAt(i), true)
  return new Uint8Array(bytes.buffer)
}

const base64 = (text: string): Uint8Array => {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/").replace(/[^A-Za-z0-9+/]/g, "")
  // A single character after the last whole group holds no byte.
  return unitsOf(atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain))
}

const hex = (text: string): Uint8Array => {
  const digits = /^(?:[0-9a-f]{2})*/i.exec(text)?.[0] ?? ""
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** Encodes like Node's `Buffer.from(text, encoding)`: invalid base64 is skipped, hex ends at the first invalid digit. */
export const encodeText = (text: string, encoding: Encoding): Uint8Array => {
  switch (encoding) {
    case "utf8":
    case "utf-8":
      return encodeUtf8(text)
    case "ascii":
    case "latin1":
    case "binary":
      return unitsOf(text)
    case "utf16le":
    case "utf-16le":
    case "ucs2":
    case "ucs-2":
      return utf16(text)
    case "base64":
    case "base64url":
      return base64(text)
    case "hex":
      return hex(text)
  }
}
