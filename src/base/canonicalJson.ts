/**
 * Encodes JSON in its canonical form, with sorted keys and no spaces, so that hashes over it can be recomputed
 * anywhere; leaves out `undefined` members, and throws for NaN, infinities, bigints and functions.
 *
 * Source: RFC 8785 (JSON Canonicalization Scheme). One addition: a lone surrogate, which the RFC forbids, is escaped as
 * `JSON.stringify` does.
 */
import type * as Schema from "effect/Schema"

const isArray = (value: Schema.JsonArray | Schema.JsonObject): value is Schema.JsonArray => Array.isArray(value)

/** Throws for values that `JSON.stringify` would leave out or make `null`. */
const assertJson = (value: unknown): void => {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
    case "object":
      return
    case "number":
      if (Number.isFinite(value)) return
      throw new TypeError(`${value} is not a JSON number`)
    default:
      throw new TypeError(`a ${typeof value} is not a JSON value`)
  }
}

/** Whether all keys are sorted. Throws for a value that is not JSON. */
const isSorted = (value: Schema.Json | undefined): boolean => {
  if (typeof value !== "object" || value === null) {
    assertJson(value)
    return true
  }
  let sorted = true
  if (isArray(value)) {
    for (const item of value) if (!isSorted(item)) sorted = false
    return sorted
  }
  let last = ""
  for (const key in value) {
    if (key < last) sorted = false
    last = key
    const item = value[key]
    if (typeof item === "string") continue
    if (!isSorted(item)) sorted = false
  }
  return sorted
}

const encodeSorted = (value: Schema.Json): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (isArray(value)) return `[${value.map((item) => encodeSorted(item ?? null)).join(",")}]`
  // As in `JSON.stringify`, a member without a value is left out.
  const members = Object.entries(value).filter(([, item]) => item !== undefined)
  members.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${encodeSorted(item)}`).join(",")}}`
}

/** A copy of an object whose keys, and those of objects in it, are in the order of the canonical form. */
export const sortKeys = (object: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(object).sort(([a], [b]) => a < b ? -1 : 1).map(([key, value]) => [
      key,
      typeof value === "object" && value !== null && !isArray(value) ? sortKeys(value) : value,
    ]),
  )

/** JSON with sorted keys and without spaces. Values whose keys are sorted already cost little more than `JSON.stringify`. */
export const canonicalJson = (value: Schema.Json): string =>
  isSorted(value) ? JSON.stringify(value) : encodeSorted(value)
