/** Functions on texts: lengths, code points, indices and captures. */
import type { Coroutine } from "../../Coroutine.ts"
import { detach } from "../../detach.ts"
import { findText } from "../shared/findText.ts"
import { JqArray, JqObject, type Value } from "./values.ts"
import { inSteps, type Native, unary } from "./Native.ts"
import { isLarge } from "./formatJson.ts"
import { checkText, checkWeight, effort, TakesLong } from "./limits.ts"
import { fail } from "./JqError.ts"
import { matchText } from "./matchText.ts"
import { failType } from "./operators.ts"
import { parseText } from "./parseText.ts"
import { countCodePoints, hasNoPairs, mapText, piecesOf } from "./texts.ts"
import { numberOf } from "./kinds.ts"

export function* textLength(text: string): Coroutine<Value> {
  let length = 0
  for (const piece of piecesOf(text)) {
    if (length > 0) yield
    length += countCodePoints(piece)
  }
  return length
}

export const lengthOf = (value: Value): Value => {
  if (typeof value === "string") {
    if (isLarge(value)) throw new TakesLong()
    return countCodePoints(value)
  }
  if (value instanceof JqArray) return value.length
  if (value instanceof JqObject) return value.size
  if (value === null) return 0
  const number = numberOf(value)
  return number === undefined ? failType(value, "has no length") : Math.abs(number)
}

export function* toNumber(value: Value): Coroutine<Value> {
  if (numberOf(value) !== undefined) return value
  if (typeof value !== "string") return failType(value, "cannot be parsed as a number")
  const parsed = yield* parseText(value)
  return numberOf(parsed) === undefined ? failType(value, "cannot be parsed as a number") : parsed
}

export function* indicesOf(value: Value, arg: Value): Coroutine<Value> {
  if (typeof value !== "string" || typeof arg !== "string") return null
  const found: Array<Value> = []
  const isPlain = hasNoPairs(value)
  let units = 0
  let characters = 0
  for (let at = arg === "" ? -1 : yield* findText(value, arg); at >= 0; at = yield* findText(value, arg, at + 1)) {
    if (!isPlain) characters += countCodePoints(value.slice(units, at))
    units = at
    if (found.push(isPlain ? at : characters) % 4096 === 0) {
      checkWeight(found.length * 16)
      yield
    }
  }
  return new JqArray(found)
}

export function* explode(value: Value): Coroutine<Value> {
  if (typeof value !== "string") return fail("explode input must be a string")
  const codes: Array<Value> = []
  for (const piece of piecesOf(value)) {
    if (codes.length > 0) yield
    for (const letter of piece) codes.push(letter.codePointAt(0) ?? 0)
    checkWeight(codes.length * 16)
    effort.made += piece.length * 8
  }
  return new JqArray(codes, 32 + codes.length * 16)
}

export function* implode(value: Value): Coroutine<Value> {
  if (!(value instanceof JqArray)) return fail("implode input must be an array")
  checkText(value.length)
  let text = ""
  let letters: Array<string> = []
  for (const item of value.items) {
    const code = numberOf(item)
    if (code === undefined || Number.isNaN(code)) {
      return failType(item, "can't be imploded, unicode codepoint needs to be numeric")
    }
    const whole = Math.trunc(code)
    const isValid = whole >= 0 && whole <= 0x10ffff && (whole < 0xd800 || whole > 0xdfff)
    // Joined pieces, because an engine is slow to read a text that was made of single characters.
    if (letters.push(String.fromCodePoint(isValid ? whole : 0xfffd)) < 4096) continue
    text += letters.join("")
    letters = []
    yield
  }
  return text + letters.join("")
}

export const mapAscii = (pattern: RegExp, change: (text: string) => string): Native =>
  inSteps(function* (value) {
    if (typeof value !== "string") return fail("explode input must be a string")
    return yield* mapText(value, (text) => text.replace(pattern, change))
  })

export const trim = (change: (text: string) => string): Native =>
  unary((value) =>
    typeof value === "string" ? detach(change(value), value.length) : failType(value, "cannot be trimmed")
  )

export const utf8Length = (text: string): number => {
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // Half a surrogate pair takes two of its four bytes.
    length += code < 0x80 ? 1 : code < 0x800 || code >= 0xd800 && code < 0xe000 ? 2 : 3
  }
  return length
}

export const captures = (value: Value): Value => {
  const entries = new Map<string, Value>()
  const all = value instanceof JqObject ? value.entries.get("captures") : undefined
  for (const capture of all instanceof JqArray ? all.items : []) {
    if (!(capture instanceof JqObject)) continue
    const name = capture.entries.get("name")
    if (typeof name === "string") entries.set(name, capture.entries.get("string") ?? null)
  }
  return new JqObject(entries)
}

export const number = (value: Value): number => numberOf(value) ?? failType(value, "number required")

export const matchImpl: Native = {
  apply: (value, args) => {
    const steps = matchText(value, args)
    const first = steps.next()
    if (first.done !== true) throw new TakesLong()
    return first.value
  },
  finish: (machine, value, args) => machine.runSteps(matchText(value, args)),
}
