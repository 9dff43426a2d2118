/**
 * Lists the texts by which a secret is found (itself, its longer lines, its HTML form, base64, base32 and hexadecimal
 * digits, and parts of these digits), and formats the marker that replaces it.
 *
 * Escaped forms are found by `decodeEscapes` instead.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import { encodeUtf8 } from "../../base/bytes.ts"

/** The text that replaces a secret. */
export const formatMarker = (label: string | undefined): string =>
  label === undefined ? "<redacted>" : `<redacted:${label}>`

/** Minimum length of a line of a secret of several lines, such as a private key, that is searched for alone. */
const minLineLength = 16

/** Minimum number of digits of a secret within a longer encoded text. */
const minDigits = 8

/** The encoding of HTML forms, where `+` stands for a space. A lone surrogate cannot be encoded. */
const inForms = (value: string): ReadonlyArray<string> =>
  value.isWellFormed() ? [new URLSearchParams([["", value]]).toString().slice(1)] : []

/**
 * The digits that the secret alone determines when other bytes precede it: at each offset within a group of bytes. So a
 * secret is found within a longer text, such as `user:secret` in an HTTP header.
 */
const digitsAtOffsets = (
  bytes: Uint8Array,
  groupBytes: number,
  bitsPerDigit: number,
  encode: (bytes: Uint8Array) => string,
): ReadonlyArray<string> =>
  Array.from({ length: groupBytes }, (_, offset) => {
    const padded = new Uint8Array(offset + bytes.length)
    padded.set(bytes, offset)
    return encode(padded).slice(Math.ceil(offset * 8 / bitsPerDigit), Math.floor(padded.length * 8 / bitsPerDigit))
  })

const inBase64 = (bytes: Uint8Array): ReadonlyArray<string> => {
  const whole = Base64.encode(bytes)
  const shifted = digitsAtOffsets(bytes, 3, 6, Base64.encode).filter((digits) => digits.length >= minDigits)
  const forms = [whole, whole.replace(/=+$/, ""), ...shifted]
  return [...forms, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))]
}

const inHex = (bytes: Uint8Array): ReadonlyArray<string> => {
  const lower = Hex.encode(bytes)
  return [lower, lower.toUpperCase()]
}

const base32Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** Base32 of RFC 4648, without padding. */
const encodeBase32 = (bytes: Uint8Array): string => {
  let [text, bits, count] = ["", 0, 0]
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff
    for (count += 8; count >= 5; count -= 5) text += base32Digits.charAt((bits >> (count - 5)) & 31)
  }
  return count === 0 ? text : text + base32Digits.charAt((bits << (5 - count)) & 31)
}

const inBase32 = (bytes: Uint8Array): ReadonlyArray<string> => {
  const whole = encodeBase32(bytes)
  const padded = whole.padEnd(Math.ceil(whole.length / 8) * 8, "=")
  const forms = [padded, whole, ...digitsAtOffsets(bytes, 5, 5, encodeBase32)]
    .filter((form) => form.length >= minDigits)
  return [...forms, ...forms.map((form) => form.toLowerCase())]
}

/** The forms in digits, which programs may break into lines. */
const inDigits = (value: string): ReadonlyArray<string> => {
  const bytes = encodeUtf8(value)
  return [...inBase64(bytes), ...inHex(bytes), ...inBase32(bytes)]
}

/** Maximum length of a part by which a secret that is broken into lines is found. */
const maxPartLength = 8

/**
 * Parts of an encoded secret: wherever line breaks divide it, not too close to each other, one part stays whole and leads
 * to the rest.
 */
export const splitEncodedSecret = (value: string): ReadonlySet<string> => {
  const parts = new Set<string>()
  for (const digits of inDigits(value)) {
    const length = Math.min(maxPartLength, Math.floor(digits.length / 2))
    for (let at = 0; at + length <= digits.length; at += length) parts.add(digits.slice(at, at + length))
  }
  return parts
}

/** The texts to search for: the secret, its longer lines and, with `encoded`, its encoded forms. */
export const encodeSecret = (value: string, encoded: boolean): ReadonlySet<string> => {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= minLineLength)
  const forms = encoded ? [...inForms(value), ...inDigits(value)] : []
  return new Set([value, ...lines, ...forms])
}
