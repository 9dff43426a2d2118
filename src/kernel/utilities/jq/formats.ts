/** Implements the formats of `@name`. Source: jq(1), "Format strings and escaping". */
import { encodeUtf8 } from "../../../base/bytes.ts"
import type { Coroutine } from "../../Coroutine.ts"
import { JqArray, type Value } from "./values.ts"
import { formatJson, isLarge, toJsonText } from "./formatJson.ts"
import { checkText } from "./limits.ts"
import { fail } from "./JqError.ts"
import { failType } from "./operators.ts"
import { mapText, piecesOf } from "./texts.ts"
import { orderOf } from "./kinds.ts"

export const toText = (value: Value): string => typeof value === "string" ? value : formatJson(value)

function* textOf(value: Value): Coroutine<string> {
  return typeof value === "string" ? value : isLarge(value) ? yield* toJsonText(value) : formatJson(value)
}

const itemsOf = (value: Value, name: string): ReadonlyArray<Value> =>
  value instanceof JqArray ? value.items : failType(value, `cannot be ${name}-formatted, only array`)

/** Formats items that a separator divides. */
function* row(
  items: ReadonlyArray<Value>,
  separator: string,
  quote: string,
  escape: (text: string) => string,
  format: (item: Value) => string,
): Coroutine<string> {
  let text = ""
  let index = 0
  for (const item of items) {
    if (index > 0) text += separator
    text += typeof item === "string" ? quote + (yield* mapText(item, escape, text.length)) + quote : format(item)
    if (++index % 4096 > 0) continue
    checkText(text.length)
    yield
  }
  return text
}

const cell = (item: Value): string => {
  if (item === null || Number.isNaN(item)) return ""
  return orderOf(item) > 4 ? failType(item, "is not valid in a csv row") : formatJson(item)
}

const escapesOf = (escapes: Readonly<Record<string, string>>, pattern: RegExp) => (text: string): string =>
  text.replace(pattern, (letter) => escapes[letter] ?? letter)

const escapeHtml = escapesOf(
  { "&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&apos;", '"': "&quot;", "\0": "\\0" },
  /[&<>'"\0]/g,
)
const escapeCsv = escapesOf({ '"': '""', "\0": "\\0" }, /["\0]/g)
const escapeTsv = escapesOf({ "\t": "\\t", "\r": "\\r", "\n": "\\n", "\\": "\\\\", "\0": "\\0" }, /[\t\r\n\\\0]/g)
const escapeShell = escapesOf({ "'": "'\\''", "\0": "\\0" }, /['\0]/g)

const word = (item: Value): string =>
  orderOf(item) > 4 ? failType(item, "can not be escaped for shell") : formatJson(item)

const encodeUri = (text: string): string =>
  text.replace(/[^A-Za-z0-9_.~-]+/g, (found) => {
    const parts: Array<string> = []
    for (const byte of encodeUtf8(found)) parts.push(`%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`)
    return parts.join("")
  })

const alphabet64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const alphabet32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** Encodes the bytes of a text in digits of some bits, in groups of some digits. */
function* encodeBase(text: string, alphabet: string, bits: number, group: number): Coroutine<string> {
  let out = ""
  let held = 0
  let count = 0
  for (const piece of piecesOf(text)) {
    if (out !== "") yield
    const parts: Array<string> = []
    for (const byte of encodeUtf8(piece)) {
      held = (held << 8 | byte) & 0xfff
      for (count += 8; count >= bits;) {
        count -= bits
        parts.push(alphabet[held >> count & ((1 << bits) - 1)] ?? "")
      }
    }
    out += parts.join("")
    checkText(out.length)
  }
  if (count > 0) out += alphabet[held << bits - count & ((1 << bits) - 1)] ?? ""
  return out + "=".repeat((group - out.length % group) % group)
}

function* decodeBase(value: Value, alphabet: string, bits: number, name: string): Coroutine<string> {
  const [digits = ""] = (yield* textOf(value)).split("=", 1)
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let out = ""
  let held = 0
  let count = 0
  let isFirst = true
  for (const piece of piecesOf(digits)) {
    if (!isFirst) yield
    isFirst = false
    const bytes = new Uint8Array(piece.length)
    let used = 0
    for (const digit of piece) {
      const number = alphabet.indexOf(digit)
      if (number < 0) return failType(value, `is not valid ${name} data`)
      held = (held << bits | number) & 0xfff
      count += bits
      if (count < 8) continue
      count -= 8
      bytes[used++] = held >> count & 255
    }
    out += decoder.decode(bytes.subarray(0, used), { stream: true })
  }
  if (digits.length % 4 === 1 && bits === 6) return failType(value, "trailing base64 byte found")
  return out + decoder.decode()
}

/** Formats a value, in steps if it is large. */
export function* formatText(name: string, value: Value): Coroutine<string> {
  const format = formats[name]
  if (format === undefined) return fail(`${name} is not a valid format`)
  const text = yield* format(value)
  checkText(text.length)
  return text
}

const formats: Readonly<Record<string, ((value: Value) => Coroutine<string>) | undefined>> = Object.assign(
  Object.create(null),
  {
    text: textOf,
    json: toJsonText,
    csv: (value: Value) => row(itemsOf(value, "csv"), ",", '"', escapeCsv, cell),
    tsv: (value: Value) => row(itemsOf(value, "tsv"), "\t", "", escapeTsv, cell),
    html: function* (value: Value) {
      return yield* mapText(yield* textOf(value), escapeHtml)
    },
    uri: function* (value: Value) {
      return yield* mapText(yield* textOf(value), encodeUri)
    },
    sh: (value: Value) => row(value instanceof JqArray ? value.items : [value], " ", "'", escapeShell, word),
    base64: function* (value: Value) {
      return yield* encodeBase(yield* textOf(value), alphabet64, 6, 4)
    },
    base64d: (value: Value) => decodeBase(value, alphabet64, 6, "base64"),
    base32: function* (value: Value) {
      return yield* encodeBase(yield* textOf(value), alphabet32, 5, 8)
    },
    base32d: (value: Value) => decodeBase(value, alphabet32, 5, "base32"),
  },
)
