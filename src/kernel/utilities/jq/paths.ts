/** Reads, sets and deletes parts of values by keys and paths. Messages are those of jq 1.7.1. */
import { detach } from "../../detach.ts"
import { emptyArray, emptyObject, JqArray, JqObject, type Value } from "./values.ts"
import { compare, equals } from "./compare.ts"
import { countText, failLimit } from "./limits.ts"
import { fail } from "./JqError.ts"
import { countCodePoints, hasNoPairs, unitOffset } from "./texts.ts"
import { numberOf, typeName } from "./kinds.ts"

/** The highest index of an array. */
const maxIndex = 536_870_911

/** The bounds of a slice of something of a length: the start is rounded down and the end up; `null` leaves one out. */
export const sliceBounds = (length: number, from: Value, to: Value): readonly [start: number, end: number] => {
  const first = from === null ? 0 : numberOf(from)
  const last = to === null ? length : numberOf(to)
  if (first === undefined || last === undefined) return fail("Array/string slice indices must be integers")
  let start = Number.isNaN(first) ? 0 : first < 0 ? first + length : first
  start = Math.floor(Math.min(Math.max(start, 0), length))
  let end = Number.isNaN(last) ? length : last < 0 ? last + length : last
  if (end < 0) end = start
  end = end > length ? length : Math.ceil(end)
  return [start, Math.max(start, end)]
}

const boundsOf = (length: number, { entries }: JqObject): readonly [start: number, end: number] => {
  const from = entries.get("start")
  const to = entries.get("end")
  return sliceBounds(length, from === undefined ? false : from, to === undefined ? false : to)
}

const sliceText = (text: string, slice: JqObject): string => {
  countText(text.length)
  if (hasNoPairs(text)) return detach(text.slice(...boundsOf(text.length, slice)), text.length)
  const [start, end] = boundsOf(countCodePoints(text), slice)
  return detach(text.slice(unitOffset(text, start), unitOffset(text, end)), text.length)
}

/** Maximum number of comparisons of one search. */
const maxComparisons = 2_000_000

/** Indices at which an array contains another one. */
const indexesOf = (items: JqArray, part: JqArray): Value => {
  if (part.length === 0) return null
  const found: Array<Value> = []
  const { items: all } = items
  const wanted = part.items
  let comparisons = 0
  for (let at = 0; at + wanted.length <= all.length; at++) {
    let length = 0
    while (length < wanted.length && equals(all[at + length] ?? null, wanted[length] ?? null)) length++
    if (length === wanted.length) found.push(at)
    comparisons += length
    if (comparisons > maxComparisons) failLimit("the arrays are too long to be searched")
  }
  return new JqArray(found)
}

const failIndex = (value: Value, key: Value): never =>
  fail(
    typeof key === "string" && key.length < 30
      ? `Cannot index ${typeName(value)} with string "${key}"`
      : `Cannot index ${typeName(value)} with ${typeName(key)}`,
  )

/** The part of a value that a key names; `null` for a missing one. */
export const getKey = (value: Value, key: Value): Value => {
  if (typeof key === "string") {
    if (value instanceof JqObject) return value.entries.get(key) ?? null
    return value === null ? null : failIndex(value, key)
  }
  const index = numberOf(key)
  if (index !== undefined) {
    if (value === null) return null
    if (!(value instanceof JqArray)) return failIndex(value, key)
    const whole = Math.trunc(index)
    return value.items[whole < 0 ? whole + value.length : whole] ?? null
  }
  if (key instanceof JqObject) {
    if (value === null) return null
    if (value instanceof JqArray) return value.slice(...boundsOf(value.length, key))
    if (typeof value === "string") return sliceText(value, key)
  }
  return key instanceof JqArray && value instanceof JqArray ? indexesOf(value, key) : failIndex(value, key)
}

const setSlice = (value: JqArray, slice: JqObject, replacement: Value): Value => {
  if (!(replacement instanceof JqArray)) return fail("A slice of an array can only be assigned another array")
  const [start, end] = boundsOf(value.length, slice)
  return new JqArray([...value.items.slice(0, start), ...replacement.items, ...value.items.slice(end)])
}

/** A value with one part replaced. */
const setKey = (value: Value, key: Value, part: Value): Value => {
  if (typeof key === "string" && (value === null || value instanceof JqObject)) {
    return (value ?? emptyObject()).with(key, part)
  }
  const index = numberOf(key)
  if (index !== undefined && (value === null || value instanceof JqArray)) {
    if (Number.isNaN(index)) return fail("Cannot set array element at NaN index")
    const array = value ?? emptyArray()
    const whole = Math.trunc(index)
    if (whole > maxIndex) return fail("Array index too large")
    const at = whole < 0 ? whole + array.length : whole
    return at < 0 ? fail("Out of bounds negative array index") : array.with(at, part)
  }
  if (key instanceof JqObject) {
    if (value === null || value instanceof JqArray) return setSlice(value ?? emptyArray(), key, part)
    if (typeof value === "string") return fail("Cannot update string slices")
  }
  return fail(
    key instanceof JqArray && value instanceof JqArray
      ? "Cannot update field at array index of array"
      : typeof key === "string" || typeof key === "object" && key !== null && !(key instanceof JqArray)
      ? failIndexText(value, key)
      : `Cannot update field at ${typeName(key)} index of ${typeName(value)}`,
  )
}

const failIndexText = (value: Value, key: Value): string =>
  typeof key === "string" && key.length < 30
    ? `Cannot index ${typeName(value)} with string "${key}"`
    : `Cannot update field at ${typeName(key)} index of ${typeName(value)}`

/** Maximum number of keys of a path, as in jq 1.8; a value with more levels could not be printed. */
const maxPathLength = 10_000

const keysOf = (path: Value): ReadonlyArray<Value> => {
  if (!(path instanceof JqArray)) return fail("Path must be specified as an array")
  return path.length > maxPathLength ? fail("Path too deep") : path.items
}

export const getPath = (value: Value, path: Value): Value => {
  let part = value
  for (const key of keysOf(path)) part = getKey(part, key)
  return part
}

export const setPath = (value: Value, path: Value, part: Value): Value => {
  const keys = keysOf(path)
  const parents: Array<Value> = []
  let at = value
  for (const key of keys) {
    parents.push(at)
    at = getKey(at, key)
  }
  let changed = part
  for (let index = keys.length - 1; index >= 0; index--) {
    changed = setKey(parents[index] ?? null, keys[index] ?? null, changed)
  }
  return changed
}

export const hasKey = (value: Value, key: Value): boolean => {
  if (value === null) return false
  if (value instanceof JqObject && typeof key === "string") return value.entries.has(key)
  const index = numberOf(key)
  if (value instanceof JqArray && index !== undefined) return Math.trunc(index) >= 0 && Math.trunc(index) < value.length
  return fail(`Cannot check whether ${typeName(value)} has a ${typeName(key)} key`)
}

/** Deletes parts of one value. */
const deleteKeys = (value: Value, keys: ReadonlyArray<Value>): Value => {
  if (value === null || keys.length === 0) return value
  if (value instanceof JqObject) {
    return value.without(
      keys.map((key) => typeof key === "string" ? key : fail(`Cannot delete ${typeName(key)} field of object`)),
    )
  }
  if (!(value instanceof JqArray)) return fail(`Cannot delete fields from ${typeName(value)}`)
  const { length } = value
  const gone = new Set<number>()
  for (const key of keys) {
    const index = numberOf(key)
    if (index !== undefined) gone.add(Math.trunc(index) < 0 ? Math.trunc(index) + length : Math.trunc(index))
    else if (key instanceof JqObject) {
      const [start, end] = boundsOf(length, key)
      for (let at = start; at < end; at++) gone.add(at)
    } else fail(`Cannot delete ${typeName(key)} element of array`)
  }
  return new JqArray(value.items.filter((_, at) => !gone.has(at)))
}

/** Deletes sorted paths, of which the first `depth` keys lead to `value`. */
const deleteSorted = (value: Value, paths: ReadonlyArray<ReadonlyArray<Value>>, depth: number): Value => {
  const gone: Array<Value> = []
  let rest = value
  for (let at = 0; at < paths.length;) {
    const path = paths[at] ?? []
    const key = path[depth] ?? null
    let end = at
    while (end < paths.length && equals(key, paths[end]?.[depth] ?? null)) end++
    if (path.length === depth + 1) gone.push(key)
    else {
      const part = getKey(rest, key)
      if (part !== null) rest = setKey(rest, key, deleteSorted(part, paths.slice(at, end), depth + 1))
    }
    at = end
  }
  return deleteKeys(rest, gone)
}

export const deletePaths = (value: Value, paths: Value): Value => {
  if (!(paths instanceof JqArray)) return fail("Paths must be specified as an array")
  const sorted = [...paths.items].sort(compare).map((path) =>
    path instanceof JqArray ? path.items : fail(`Path must be specified as array, not ${typeName(path)}`)
  )
  const [first] = sorted
  if (first === undefined) return value
  return first.length === 0 ? null : deleteSorted(value, sorted, 0)
}
