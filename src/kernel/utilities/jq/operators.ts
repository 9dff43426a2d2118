/** Implements the operators of two values. Messages are those of jq 1.7.1. */
import { type Coroutine, runCoroutineSync } from "../../Coroutine.ts"
import { detach } from "../../detach.ts"
import { findText } from "../shared/findText.ts"
import { emptyArray, JqArray, JqObject, type Value, weigh } from "./values.ts"
import type { BinaryOperator } from "./Syntax.ts"
import { compare, equals } from "./compare.ts"
import { isLarge, shorten } from "./formatJson.ts"
import { checkText, checkWeight, effort, failLimit, maxTextLength, TakesLong } from "./limits.ts"
import { fail } from "./JqError.ts"
import { numberOf, typeName } from "./kinds.ts"

export const failType = (value: Value, message: string): never =>
  fail(`${typeName(value)} (${shorten(value)}) ${message}`)

export const failTypes = (left: Value, right: Value, message: string): never =>
  fail(`${typeName(left)} (${shorten(left)}) and ${typeName(right)} (${shorten(right)}) ${message}`)

export const add = (left: Value, right: Value): Value => {
  if (typeof left === "number" && typeof right === "number") return left + right
  if (left === null) return right
  if (right === null) return left
  if (typeof left === "string" && typeof right === "string") {
    const length = left.length + right.length
    if (length > maxTextLength) checkText(length)
    effort.made += Math.min(left.length, right.length) + 32
    return left + right
  }
  if (left instanceof JqArray && right instanceof JqArray) return left.concat(right)
  if (left instanceof JqObject && right instanceof JqObject) {
    let merged = left
    for (const [key, value] of left === right ? [] : right.entries) merged = merged.with(key, value)
    return merged
  }
  const a = numberOf(left)
  const b = numberOf(right)
  return a === undefined || b === undefined ? failTypes(left, right, "cannot be added") : a + b
}

const subtract = (left: Value, right: Value): Value => {
  const a = numberOf(left)
  const b = numberOf(right)
  if (a !== undefined && b !== undefined) return a - b
  if (!(left instanceof JqArray && right instanceof JqArray)) return failTypes(left, right, "cannot be subtracted")
  const scalars = new Set<Value>(right.items.filter((item) => !isContainer(item)))
  const others = right.items.filter(isContainer).sort(compare)
  return new JqArray(
    left.items.filter((item) =>
      isContainer(item) ? !includesSorted(others, item) : !scalars.has(item) || Number.isNaN(item)
    ),
  )
}

/** Values that a `Set` does not compare by content. */
const isContainer = (value: Value): boolean => typeof value === "object" && value !== null

const includesSorted = (sorted: ReadonlyArray<Value>, value: Value): boolean => {
  let low = 0
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >> 1
    if (compare(sorted[middle] ?? null, value) < 0) low = middle + 1
    else high = middle
  }
  const found = sorted[low]
  return found !== undefined && equals(found, value)
}

const merge = (left: JqObject, right: JqObject): JqObject => {
  let merged = left
  for (const [key, value] of left === right ? [] : right.entries) {
    const before = merged.entries.get(key)
    merged = merged.with(key, before instanceof JqObject && value instanceof JqObject ? merge(before, value) : value)
  }
  return merged
}

const repeat = (text: string, count: number): Value => {
  if (!(count > 0)) return count === 0 ? "" : null
  const whole = Math.trunc(count)
  checkText(text.length === 0 ? 0 : Math.min(text.length * whole, maxTextLength + 1))
  return text === "" ? "" : text.repeat(whole)
}

const multiply = (left: Value, right: Value): Value => {
  const a = numberOf(left)
  const b = numberOf(right)
  if (a !== undefined && b !== undefined) return a * b
  if (typeof left === "string" && b !== undefined) return repeat(left, b)
  if (typeof right === "string" && a !== undefined) return repeat(right, a)
  return left instanceof JqObject && right instanceof JqObject
    ? merge(left, right)
    : failTypes(left, right, "cannot be multiplied")
}

/** Splits a text at each occurrence of another one; at each character for the empty one. */
export function* splitText(text: string, separator: string): Coroutine<Value> {
  if (text === "") return emptyArray()
  const parts: Array<Value> = []
  let weight = 32
  const add = (part: string): boolean => {
    weight += 8 + weigh(part)
    effort.made += weigh(part)
    checkWeight(weight)
    return parts.push(part) % 4096 === 0
  }
  if (separator === "") {
    for (const letter of text) if (add(letter)) yield
  } else {
    let from = 0
    for (let at = yield* findText(text, separator); at >= 0; at = yield* findText(text, separator, from)) {
      if (add(detach(text.slice(from, at)))) yield
      from = at + separator.length
    }
    add(detach(text.slice(from)))
  }
  return new JqArray(parts, weight)
}

/** Splits a text; a large one is left to `splitText`. */
const splitQuick = (text: string, separator: string): Value => {
  if (isLarge(text)) throw new TakesLong()
  return runCoroutineSync(splitText(text, separator))
}

const divide = (left: Value, right: Value): Value => {
  const a = numberOf(left)
  const b = numberOf(right)
  if (a !== undefined && b !== undefined) {
    return b === 0 ? failTypes(left, right, "cannot be divided because the divisor is zero") : a / b
  }
  return typeof left === "string" && typeof right === "string"
    ? splitQuick(left, right)
    : failTypes(left, right, "cannot be divided")
}

/** The remainder of the integers of 64 bits that two numbers are cut to. */
const remainder = (left: Value, right: Value): Value => {
  const a = numberOf(left)
  const b = numberOf(right)
  if (a === undefined || b === undefined) return failTypes(left, right, "cannot be divided (remainder)")
  if (Number.isNaN(a) || Number.isNaN(b)) return NaN
  const toInteger = (value: number): number => Math.trunc(Math.min(Math.max(value, -(2 ** 63)), 2 ** 63))
  const divisor = toInteger(b)
  if (divisor === 0) return failTypes(left, right, "cannot be divided (remainder) because the divisor is zero")
  const cut = toInteger(a)
  if (Math.abs(cut) < 2 ** 53 && Math.abs(divisor) < 2 ** 53) return cut % divisor + 0
  const clamp = (value: number): bigint => value >= 2 ** 63 ? 2n ** 63n - 1n : BigInt(value)
  return Number(clamp(cut) % clamp(divisor))
}

export const binaryFunctions: Readonly<Record<BinaryOperator, (left: Value, right: Value) => Value>> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": remainder,
  "==": equals,
  "!=": (left, right) => !equals(left, right),
  "<": (left, right) => compare(left, right) < 0,
  "<=": (left, right) => compare(left, right) <= 0,
  ">": (left, right) => compare(left, right) > 0,
  ">=": (left, right) => compare(left, right) >= 0,
}

/** Maximum number of comparisons of one search for parts. */
const maxComparisons = 2_000_000

/** Whether a value contains another one: texts as parts, arrays by any element, objects by each key. */
export function* contains(left: Value, right: Value): Coroutine<boolean> {
  let comparisons = 0
  function* visit(whole: Value, part: Value): Coroutine<boolean> {
    if (++comparisons % 4_096 === 0) yield
    if (comparisons > maxComparisons) failLimit("the values are too large to be searched")
    if (typeName(whole) !== typeName(part)) return false
    if (whole instanceof JqObject && part instanceof JqObject) {
      for (const [key, value] of part.entries) {
        const own = whole.entries.get(key)
        if (own === undefined || !(yield* visit(own, value))) return false
      }
      return true
    }
    if (whole instanceof JqArray && part instanceof JqArray) {
      for (const item of part.items) {
        let isFound = false
        for (const own of whole.items) {
          isFound = yield* visit(own, item)
          if (isFound) break
        }
        if (!isFound) return false
      }
      return true
    }
    if (typeof whole !== "string" || typeof part !== "string") return equals(whole, part)
    return (yield* findText(whole, part)) >= 0
  }
  return yield* visit(left, right)
}
