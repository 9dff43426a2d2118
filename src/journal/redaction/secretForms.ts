/**
 * Lists the forms in which a secret is searched for: the secret itself, its longer lines, and encodings that programs print.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import { encodeUtf8 } from "../../base/bytes.ts"

export const formatMarker = (label: string | undefined): string =>
  label === undefined ? "<redacted>" : `<redacted:${label}>`

/** Minimum length of a line of a secret of several lines, such as a private key, that is searched for alone. */
const minLineLength = 16

/** Minimum number of digits of a secret within a longer encoded text. */
const minDigits = 8

/** Columns at which programs break base64: PEM files and MIME. */
const columns = [64, 76]

const inBase64 = (bytes: Uint8Array): ReadonlyArray<string> => {
  const whole = Base64.encode(bytes)
  // Within a longer text, such as `user:secret` in an HTTP header, other bytes come before the secret. So for each
  // offset in a group of three bytes, this lists the digits that the secret alone determines.
  const shifted = [0, 1, 2].map((offset) => {
    const padded = new Uint8Array(offset + bytes.length)
    padded.set(bytes, offset)
    return Base64.encode(padded).slice(Math.ceil(offset * 4 / 3), Math.floor(padded.length * 4 / 3))
  })
  const forms = [whole, ...shifted.filter((digits) => digits.length >= minDigits)]
  const broken = columns.map((width) => whole.replace(new RegExp(`.{${width}}(?=.)`, "g"), "$&\n"))
  return [...forms, ...broken, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))]
}

const inHex = (bytes: Uint8Array): ReadonlyArray<string> => {
  const lower = Hex.encode(bytes)
  return [lower, lower.toUpperCase()]
}

/** The content of a JSON string, with and without escapes for slashes and characters outside of ASCII. */
const inJson = (value: string): ReadonlyArray<string> => {
  const json = JSON.stringify(value).slice(1, -1)
  const ascii = json.replace(
    /[^\0-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
  return [json, ascii].flatMap((text) => [text, text.replaceAll("/", "\\/")])
}

/** Percent-encoded: as a component, as a path, with all that RFC 3986 reserves, and as a form. */
const inUrls = (value: string): ReadonlyArray<string> => {
  const component = encodeURIComponent(value)
  const strict = component.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  const forms = [component, strict].flatMap((text) => [text, text.replaceAll("%2F", "/")])
  const all = [...forms, new URLSearchParams([["", value]]).toString().slice(1)]
  return [...all, ...all.map((form) => form.replace(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase()))]
}

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" }

/** Quoted for a shell: by single quotes, `printf %q`, `$'…'` and double quotes. */
const inShells = (value: string): ReadonlyArray<string> => {
  const escaped = value.replace(/[\\\n\t\r]/g, (character) => named[character] ?? "\\\\")
  return [
    value.replaceAll("'", `'\\''`),
    value.replaceAll("'", `'"'"'`),
    value.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, "\\$&"),
    value.replace(/["$`\\]/g, "\\$&"),
    escaped,
    escaped.replaceAll("'", "\\'"),
  ]
}

export const encodeSecret = (value: string, encoded: boolean): ReadonlySet<string> => {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= minLineLength)
  const bytes = encodeUtf8(value)
  const json = inJson(value)
  const forms = encoded
    ? [
      ...json,
      // JSON in JSON, such as a log that contains a server's answer.
      ...json.flatMap(inJson),
      // A lone surrogate cannot be encoded.
      ...(value.isWellFormed() ? inUrls(value) : []),
      ...inShells(value),
      ...inBase64(bytes),
      ...inHex(bytes),
    ]
    : []
  return new Set([value, ...lines, ...forms])
}
