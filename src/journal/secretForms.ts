/**
 * How a program may print a secret.
 *
 * @module
 */
import * as Base64 from "effect/encoding/Base64"

/** What stands in the place of a secret. */
export const markerOf = (label: string | undefined): string =>
  label === undefined ? "<redacted>" : `<redacted:${label}>`

/** A line of a secret of several lines, such as a private key, is looked for alone when it has so many characters. */
const minLineLength = 16

/** What is left of a secret within a longer text in base64 is looked for when it has so many digits. */
const minBase64Length = 8

/** As in JSON, in JSON of ASCII alone, and between single quotes of a shell. */
const escaped = (value: string): ReadonlyArray<string> => {
  const json = JSON.stringify(value).slice(1, -1)
  const ascii = json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return [json, ascii, value.replaceAll("'", String.raw`'\''`)]
}

/** As in a path or a query, and in a form. A lone surrogate stands in no URL. */
const inUrls = (value: string): ReadonlyArray<string> =>
  value.isWellFormed() ? [encodeURIComponent(value), new URLSearchParams([["", value]]).toString().slice(1)] : []

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

/** The texts to look for, the secret itself first; none twice. */
export const formsOf = (value: string, encoded: boolean): ReadonlySet<string> => {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= minLineLength)
  const forms = encoded ? [...escaped(value), ...inUrls(value), ...inBase64(value)] : []
  return new Set([value, ...lines, ...forms])
}
