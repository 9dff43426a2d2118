/** Functions on arrays and objects: keys, sums, joins and entries. */
import type { Coroutine } from "../../Coroutine.ts"
import { emptyArray, JqArray, JqObject, type Value, weigh } from "./values.ts"
import { toText } from "./formats.ts"
import { checkText } from "./limits.ts"
import { fail } from "./JqError.ts"
import { add, failType, failTypes } from "./operators.ts"
import { sort } from "./sorting.ts"
import { typeName } from "./kinds.ts"

/** Number of elements that are processed in one step. */
const itemsPerStep = 2_048

export function* sortedKeysOf(value: Value): Coroutine<Value> {
  const keys = keysOf(value)
  return value instanceof JqObject ? yield* sort(keys) : keys
}

export const keysOf = (value: Value): Value => {
  if (value instanceof JqObject) return new JqArray([...value.entries.keys()])
  return value instanceof JqArray ? new JqArray(value.items.map((_, at) => at)) : failType(value, "has no keys")
}

/** Adds all values up. */
export function* addAll(value: Value): Coroutine<Value> {
  const items = value instanceof JqArray
    ? value.items
    : value instanceof JqObject
    ? [...value.entries.values()]
    : fail(`Cannot iterate over ${typeName(value)}${value === null ? " (null)" : ` (${toText(value).slice(0, 11)})`}`)
  let sum: Value = null
  let steps = 0
  for (const item of items) {
    sum = add(sum, item)
    steps += 1 + weigh(item) / 64
    if (steps < itemsPerStep) continue
    steps = 0
    yield
  }
  return sum
}

export function* join(value: Value, separator: Value): Coroutine<Value> {
  if (!(value instanceof JqArray)) return failType(value, "cannot be iterated over")
  if (value.length === 0) return ""
  const glue = typeof separator === "string"
    ? separator
    : separator === null
    ? ""
    : failTypes("", separator, "cannot be added")
  const parts: Array<string> = []
  let length = 0
  for (const item of value.items) {
    const isContainer = item instanceof JqArray || item instanceof JqObject
    if (isContainer) return failTypes([...parts, ""].join(glue), item, "cannot be added")
    const text = item === null ? "" : toText(item)
    length += text.length + glue.length
    if (parts.push(text) % itemsPerStep === 0) yield
  }
  checkText(length)
  return parts.join(glue)
}

export function* flatten(value: Value, depth: number): Coroutine<Value> {
  const out: Array<Value> = []
  let steps = 0
  function* visit(part: Value, left: number): Coroutine<void> {
    const items = part instanceof JqArray
      ? part.items
      : part instanceof JqObject
      ? [...part.entries.values()]
      : failType(part, "cannot be flattened")
    for (const item of items) {
      if (++steps % itemsPerStep === 0) yield
      if (item instanceof JqArray && left !== 0) yield* visit(item, left - 1)
      else out.push(item)
    }
  }
  yield* visit(value, depth)
  return new JqArray(out)
}

export function* toEntries(value: Value): Coroutine<Value> {
  const entries: Iterable<readonly [Value, Value]> = value instanceof JqObject
    ? value.entries
    : value instanceof JqArray
    ? value.items.map((item, at) => [at, item] as const)
    : failType(value, "has no keys")
  const made: Array<Value> = []
  for (const [key, item] of entries) {
    const entry = new JqObject(new Map<string, Value>([["key", key], ["value", item]]))
    if (made.push(entry) % itemsPerStep === 0) yield
  }
  return new JqArray(made)
}

export const reverse = (value: Value): Value => {
  if (typeof value === "string") return value === "" ? emptyArray() : fail("Cannot index string with number")
  if (value === null) return emptyArray()
  return value instanceof JqArray
    ? new JqArray(value.items.toReversed())
    : fail(`Cannot index ${typeName(value)} with number`)
}
