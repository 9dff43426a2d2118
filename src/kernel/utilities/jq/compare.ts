/** Order and equality of values. Source: jv_aux.c of jq 1.7.1. */
import { JqArray, JqObject, NumberLiteral, type Value } from "./values.ts"
import { countText, effort } from "./limits.ts"
import { compareText } from "./texts.ts"
import { numberOf, orderOf } from "./kinds.ts"

/** Compares the decimal texts of two literals whose doubles are equal. */
const compareLiterals = (a: string, b: string): number => {
  const scale = (text: string): readonly [sign: number, digits: string, exponent: number] => {
    const [, sign = "", whole = "", fraction = "", exponent = "0"] =
      /^(-?)(\d*)\.?(\d*)(?:E([+-]?\d+))?$/i.exec(text) ?? []
    const digits = (whole + fraction).replace(/^0+/, "")
    const trimmed = digits.replace(/0+$/, "")
    return [sign === "-" ? -1 : 1, trimmed, trimmed === "" ? 0 : digits.length - fraction.length + Number(exponent)]
  }
  const [sign, digits, exponent] = scale(a)
  const [otherSign, otherDigits, otherExponent] = scale(b)
  if (digits === "" && otherDigits === "") return 0
  if (sign !== otherSign) return sign
  if (exponent !== otherExponent) return sign * (exponent - otherExponent)
  return digits === otherDigits ? 0 : digits < otherDigits ? -sign : sign
}

const compareNumbers = (a: Value, b: Value): number => {
  const left = numberOf(a) ?? 0
  const right = numberOf(b) ?? 0
  if (Number.isNaN(left)) return -1
  if (Number.isNaN(right)) return 1
  if (left !== right) return left < right ? -1 : 1
  return a instanceof NumberLiteral && b instanceof NumberLiteral ? compareLiterals(a.text, b.text) : 0
}

/** The order of two values. */
export const compare = (a: Value, b: Value): number => {
  effort.units++
  if (typeof a === "string" && typeof b === "string") return compareText(a, b)
  const order = orderOf(a)
  const difference = order - orderOf(b)
  if (difference !== 0) return difference
  if (order === 3) return compareNumbers(a, b)
  if (a instanceof JqArray && b instanceof JqArray) {
    const left = a.items
    const right = b.items
    const length = Math.min(left.length, right.length)
    for (let at = 0; at < length; at++) {
      const result = compare(left[at] ?? null, right[at] ?? null)
      if (result !== 0) return result
    }
    return left.length - right.length
  }
  if (a instanceof JqObject && b instanceof JqObject) return compareObjects(a, b)
  return 0
}

const compareObjects = (a: JqObject, b: JqObject): number => {
  const left = a.sortedKeys
  const right = b.sortedKeys
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const result = compareText(left[at] ?? "", right[at] ?? "")
    if (result !== 0) return result
  }
  if (left.length !== right.length) return left.length - right.length
  for (const key of left) {
    const result = compare(a.entries.get(key) ?? null, b.entries.get(key) ?? null)
    if (result !== 0) return result
  }
  return 0
}

export const equals = (a: Value, b: Value): boolean => {
  effort.units++
  if (typeof a === "string" && typeof b === "string") {
    if (a.length !== b.length) return false
    countText(a.length)
    return a === b
  }
  if (typeof a === "string" || typeof a === "number" && typeof b === "number") return a === b
  if (a instanceof JqObject && b instanceof JqObject) {
    if (a.size !== b.size) return false
    for (const [key, value] of a.entries) {
      const other = b.entries.get(key)
      if (other === undefined || !equals(value, other)) return false
    }
    return true
  }
  if (a instanceof JqArray && b instanceof JqArray) {
    return a.length === b.length && a.items.every((item, at) => equals(item, b.items[at] ?? null))
  }
  return compare(a, b) === 0
}
