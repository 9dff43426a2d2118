/**
 * How a program may print a secret.
 *
 * @module
 */
import * as Base64 from "effect/encoding/Base64"

/** What stands in the place of a secret. */
export const formatMarker = (label: string | undefined): string =>
  label === undefined ? "<redacted>" : `<redacted:${label}>`

/** A line of a secret of several lines, such as a private key, is looked for alone when it has so many characters. */
const minLineLength = 16

/** What is left of a secret within a longer text in base64 is looked for when it has so many digits. */
const minBase64Length = 8

/** As in a form, where `+` stands for a space. A lone surrogate stands in no URL. */
const inForms = (value: string): ReadonlyArray<string> =>
  value.isWellFormed() ? [new URLSearchParams([["", value]]).toString().slice(1)] : []

/**
 * The digits that the secret alone decides, at each of the three places where it may begin in a group of three bytes: so
 * it is found within a longer text too, as `user:secret` is in an HTTP header.
 */
const inBase64 = (value: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(value)
  const cores = [0, 1, 2].map((offset) => {
    const padded = new Uint8Array(offset + bytes.length)
    padded.set(bytes, offset)
    return Base64.encode(padded).slice(Math.ceil(offset * 8 / 6), Math.floor(padded.length * 8 / 6))
  })
  const long = cores.filter((core) => core.length >= minBase64Length)
  const whole = Base64.encode(bytes)
  const forms = [whole, whole.replace(/=+$/, ""), ...long]
  return [...forms, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))]
}

const hexOf = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0")
  return text
}

const inHex = (value: string): ReadonlyArray<string> => {
  const lower = hexOf(new TextEncoder().encode(value))
  return [lower, lower.toUpperCase()]
}

const base32Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** Bytes in the digits of RFC 4648, without padding. */
const base32Of = (bytes: Uint8Array): string => {
  let [text, bits, count] = ["", 0, 0]
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff
    for (count += 8; count >= 5; count -= 5) text += base32Digits.charAt((bits >> (count - 5)) & 31)
  }
  return count === 0 ? text : text + base32Digits.charAt((bits << (5 - count)) & 31)
}

/** As {@link inBase64}: a group has five bytes. */
const inBase32 = (value: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(value)
  const cores = [0, 1, 2, 3, 4].map((offset) => {
    const padded = new Uint8Array(offset + bytes.length)
    padded.set(bytes, offset)
    return base32Of(padded).slice(Math.ceil(offset * 8 / 5), Math.floor(padded.length * 8 / 5))
  })
  const whole = base32Of(bytes)
  const forms = [whole.padEnd(Math.ceil(whole.length / 8) * 8, "="), whole, ...cores]
    .filter((form) => form.length >= minBase64Length)
  return [...forms, ...forms.map((form) => form.toLowerCase())]
}

/** How a secret is written in digits that programs break into lines. */
const inDigits = (value: string): ReadonlyArray<string> => [...inBase64(value), ...inHex(value), ...inBase32(value)]

/** Longest part of a secret in digits by which its other parts are found on the next line. */
const hintLength = 8

/**
 * Parts of a secret in digits: wherever one line break is in it, one of them is whole, and so it is with any number of
 * line breaks that are farther apart.
 */
export const splitEncodedSecret = (value: string): ReadonlySet<string> => {
  const hints = new Set<string>()
  for (const digits of inDigits(value)) {
    const length = Math.min(hintLength, Math.floor(digits.length / 2))
    for (let at = 0; at + length <= digits.length; at += length) hints.add(digits.slice(at, at + length))
  }
  return hints
}

/** The texts to look for, the secret itself first; none twice. How it is escaped is told by `decodeEscapes`. */
export const encodeSecret = (value: string, encoded: boolean): ReadonlySet<string> => {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= minLineLength)
  const forms = encoded ? [...inForms(value), ...inDigits(value)] : []
  return new Set([value, ...lines, ...forms])
}
