/** Formats values as JSON in the layouts and colours of jq 1.7.1. */
import { encodeUtf8 } from "../../../base/bytes.ts"
import type { Coroutine } from "../../Coroutine.ts"
import { JqArray, JqObject, numberText, type Value, weigh } from "./values.ts"
import { checkText } from "./limits.ts"
import { piecesOf } from "./texts.ts"
import { orderOf } from "./kinds.ts"

export interface JsonLayout {
  /** Indentation of a level; `undefined` prints one line. */
  readonly indent?: string | undefined
  readonly isSorted?: boolean
  readonly isAscii?: boolean
  /** Escape sequences by the order of kinds, and the one of keys last. */
  readonly colors?: ReadonlyArray<string> | undefined
}

/** Maximum number of printed levels. */
const maxDepth = 256

/** A value above this weight is printed in steps. */
const stepWeight = 262_144

const reset = "\x1b[0m"

/** The colours of null, false, true, numbers, strings, arrays, objects and keys. */
const defaultColors = ["0;90", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "1;34"]

/** Reads `JQ_COLORS`; `undefined` if it is invalid. */
export const parseColors = (text = ""): ReadonlyArray<string> | undefined => {
  const given = text === "" ? [] : text.split(":").slice(0, 8)
  if (given.some((color) => color.length > 12 || !/^[0-9;]*$/.test(color))) return undefined
  return defaultColors.map((color, at) => `\x1b[${given[at] ?? color}m`)
}

const escapeUnits = (text: string): string =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

const quoteText = (text: string, isAscii = false): string => {
  const quoted = JSON.stringify(text)
  if (isAscii) return escapeUnits(quoted)
  return quoted.includes("\x7f") ? quoted.replaceAll("\x7f", "\\u007f") : quoted
}

class Formatter {
  readonly #layout: JsonLayout
  readonly #colors: ReadonlyArray<string> | undefined
  text = ""

  constructor(layout: JsonLayout) {
    this.#layout = layout
    this.#colors = layout.colors
  }

  #break(depth: number): string {
    const { indent } = this.#layout
    return indent === undefined ? "" : `\n${indent.repeat(depth)}`
  }

  #scalar(value: Value): string {
    if (typeof value === "string") return quoteText(value, this.#layout.isAscii)
    if (typeof value === "object" && value !== null) {
      return value instanceof JqArray ? "[]" : value instanceof JqObject ? "{}" : numberText(value)
    }
    return typeof value === "number" ? numberText(value) : String(value)
  }

  /** Text before an element, which also starts a container. */
  #before(depth: number, index: number, key: string | undefined, color: string): string {
    const colors = this.#colors
    let text = index === 0 ? this.#break(depth + 1) : `,${this.#break(depth + 1)}`
    if (key === undefined) return text
    const quoted = quoteText(key, this.#layout.isAscii)
    const colon = this.#layout.indent === undefined ? ":" : ": "
    if (colors === undefined) text += quoted + colon
    else text += `${reset}${colors[7]}${quoted}${reset}${color}${colon}${reset}`
    return text
  }

  #elements(value: JqArray | JqObject): ReadonlyArray<readonly [key: string | undefined, value: Value]> {
    if (value instanceof JqArray) return value.items.map((item) => [undefined, item] as const)
    const { entries } = value
    return this.#layout.isSorted === true
      ? value.sortedKeys.map((key) => [key, entries.get(key) ?? null] as const)
      : [...entries]
  }

  #isPlain(value: Value): boolean {
    return typeof value !== "object" || value === null || !(value instanceof JqArray && value.length > 0 ||
      value instanceof JqObject && value.size > 0)
  }

  write(value: Value, depth: number): void {
    const color = this.#colors?.[orderOf(value)] ?? ""
    const end = color === "" ? "" : reset
    if (depth > maxDepth) this.text += `${color}<skipped: too deep>${end}`
    else if (this.#isPlain(value)) this.text += color + this.#scalar(value) + end
    else if (value instanceof JqArray || value instanceof JqObject) {
      const [open, close] = value instanceof JqArray ? "[]" : "{}"
      this.text += color + open
      let index = 0
      if (value instanceof JqArray) {
        for (const item of value.items) {
          this.text += this.#before(depth, index++, undefined, color)
          this.write(item, depth + 1)
          this.text += color
        }
      } else {
        for (const [key, item] of this.#layout.isSorted === true ? this.#elements(value) : value.entries) {
          this.text += this.#before(depth, index++, key, color)
          this.write(item, depth + 1)
          this.text += color
        }
      }
      this.text += this.#break(depth) + color + close + end
    }
  }

  *steps(value: Value, depth: number): Coroutine<void> {
    if (typeof value === "string" && weigh(value) >= stepWeight) {
      const color = this.#colors?.[orderOf(value)] ?? ""
      this.text += `${color}"`
      for (const piece of piecesOf(value)) {
        this.text += quoteText(piece, this.#layout.isAscii).slice(1, -1)
        yield
      }
      this.text += `"${color === "" ? "" : reset}`
      return
    }
    if (weigh(value) < stepWeight || depth > maxDepth || !(value instanceof JqArray || value instanceof JqObject)) {
      this.write(value, depth)
      return
    }
    const color = this.#colors?.[orderOf(value)] ?? ""
    const [open, close] = value instanceof JqArray ? "[]" : "{}"
    this.text += color + open
    let index = 0
    let weight = 0
    for (const [key, item] of this.#elements(value)) {
      this.text += this.#before(depth, index++, key, color)
      yield* this.steps(item, depth + 1)
      this.text += color
      weight += weigh(item) + 16
      if (weight < stepWeight) continue
      weight = 0
      yield
    }
    this.text += this.#break(depth) + color + close + (color === "" ? "" : reset)
  }
}

/** Formats a value at once. */
export const formatJson = (value: Value, layout: JsonLayout = {}): string => {
  const formatter = new Formatter(layout)
  formatter.write(value, 0)
  return formatter.text
}

/** Formats a large value in pieces: gives each to `write` and lets other processes run. */
export function* formatInSteps(value: Value, layout: JsonLayout, write: (text: string) => void): Coroutine<void> {
  const formatter = new Formatter(layout)
  for (const steps = formatter.steps(value, 0); steps.next().done !== true;) {
    write(formatter.text)
    formatter.text = ""
    yield
  }
  write(formatter.text)
}

export const isLarge = (value: Value): boolean => weigh(value) >= stepWeight

/** Formats a value as compact JSON: at once, or in steps if it is large. */
export function* toJsonText(value: Value): Coroutine<string> {
  let text = ""
  yield* formatInSteps(value, {}, (piece) => {
    text += piece
    checkText(text.length)
  })
  return text
}

/** The start of a value's JSON, for a message: at most 14 bytes, of whole characters. */
export const shorten = (value: Value, maxBytes = 14): string => {
  if (isLarge(value)) return "..."
  const text = formatJson(value)
  const bytes = encodeUtf8(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes - 3
  // A character that is cut is left out.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return `${new TextDecoder().decode(bytes.subarray(0, end))}...`
}
