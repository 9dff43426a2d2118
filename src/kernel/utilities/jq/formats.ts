/** The formats of `@name`. Source: jq(1), "Format strings and escaping". */
import { encodeUtf8 } from "../../../base/bytes.ts"
import { formatJson } from "./formatJson.ts"
import { failType } from "./operators.ts"
import { checkText, fail, JqArray, orderOf, type Value } from "./values.ts"

export const toText = (value: Value): string => typeof value === "string" ? value : formatJson(value)

const itemsOf = (value: Value, name: string): ReadonlyArray<Value> =>
  value instanceof JqArray ? value.items : failType(value, `cannot be ${name}-formatted, only array`)

const row = (value: Value, name: string, separator: string, quote: (text: string) => string): string =>
  itemsOf(value, name).map((item) => {
    if (typeof item === "string") return quote(item)
    if (item === null || Number.isNaN(item)) return ""
    return orderOf(item) > 4 ? failType(item, "is not valid in a csv row") : formatJson(item)
  }).join(separator)

const escapesOf = (escapes: Readonly<Record<string, string>>, pattern: RegExp) => (text: string): string =>
  text.replace(pattern, (letter) => escapes[letter] ?? letter)

const escapeHtml = escapesOf(
  { "&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&apos;", '"': "&quot;", "\0": "\\0" },
  /[&<>'"\0]/g,
)
const escapeTsv = escapesOf({ "\t": "\\t", "\r": "\\r", "\n": "\\n", "\\": "\\\\", "\0": "\\0" }, /[\t\r\n\\\0]/g)

const quoteShell = (value: Value): string =>
  (value instanceof JqArray ? value.items : [value]).map((item) => {
    if (typeof item === "string") return `'${item.replaceAll("'", "'\\''").replaceAll("\0", "\\0")}'`
    return orderOf(item) > 4 ? failType(item, "can not be escaped for shell") : formatJson(item)
  }).join(" ")

const encodeUri = (text: string): string =>
  Array.from(
    encodeUtf8(text),
    (byte) =>
      /[A-Za-z0-9_.~-]/.test(String.fromCharCode(byte)) && byte < 128
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
  ).join("")

const alphabet64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const alphabet32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** Encodes the bytes of a text in digits of some bits, in groups of some digits. */
const encodeBase = (text: string, alphabet: string, bits: number, group: number): string => {
  const parts: Array<string> = []
  let held = 0
  let count = 0
  let digits = 0
  for (const byte of encodeUtf8(text)) {
    held = (held << 8 | byte) & 0xfff
    for (count += 8; count >= bits; digits++) {
      count -= bits
      parts.push(alphabet[held >> count & ((1 << bits) - 1)] ?? "")
    }
  }
  if (count > 0) {
    parts.push(alphabet[held << bits - count & ((1 << bits) - 1)] ?? "")
    digits++
  }
  return parts.join("") + "=".repeat((group - digits % group) % group)
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const decodeBase = (value: Value, text: string, alphabet: string, bits: number, name: string): string => {
  const digits = text.replace(/=[^]*$/, "")
  const bytes = new Uint8Array(Math.floor(digits.length * bits / 8))
  let held = 0
  let count = 0
  let used = 0
  for (const digit of digits) {
    const number = alphabet.indexOf(digit)
    if (number < 0) return failType(value, `is not valid ${name} data`)
    held = (held << bits | number) & 0xfff
    count += bits
    if (count < 8) continue
    count -= 8
    bytes[used++] = held >> count & 255
  }
  if (digits.length % 4 === 1 && bits === 6) return failType(value, "trailing base64 byte found")
  return decoder.decode(bytes.subarray(0, used))
}

export const formatText = (name: string, value: Value): string => {
  const format = formats[name]
  if (format === undefined) return fail(`${name} is not a valid format`)
  const text = format(value)
  checkText(text.length)
  return text
}

const formats: Readonly<Record<string, ((value: Value) => string) | undefined>> = Object.assign(Object.create(null), {
  text: toText,
  json: (value: Value) => formatJson(value),
  csv: (value: Value) => row(value, "csv", ",", (text) => `"${text.replaceAll('"', '""').replaceAll("\0", "\\0")}"`),
  tsv: (value: Value) => row(value, "tsv", "\t", escapeTsv),
  html: (value: Value) => escapeHtml(toText(value)),
  uri: (value: Value) => encodeUri(toText(value)),
  sh: quoteShell,
  base64: (value: Value) => encodeBase(toText(value), alphabet64, 6, 4),
  base64d: (value: Value) => decodeBase(value, toText(value), alphabet64, 6, "base64"),
  base32: (value: Value) => encodeBase(toText(value), alphabet32, 5, 8),
  base32d: (value: Value) => decodeBase(value, toText(value), alphabet32, 5, "base32"),
})
