/**
 * Encodes values as canonical JSON: equal values become equal bytes, so that anyone can compute their hash again.
 *
 * Source: RFC 8785 (JSON Canonicalization Scheme). One addition: a lone surrogate, for which the RFC has no form, is
 * escaped as `JSON.stringify` does.
 *
 * @module
 */
import type * as Schema from "effect/Schema"

const isList = (value: Schema.JsonArray | Schema.JsonObject): value is Schema.JsonArray => Array.isArray(value)

/** JSON has no other values: what `JSON.stringify` would leave out or make `null` is an error. */
const check = (value: unknown): void => {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
    case "object":
      return
    case "number":
      if (Number.isFinite(value)) return
      throw new TypeError(`${value} is no number of JSON`)
    default:
      throw new TypeError(`a ${typeof value} is no value of JSON`)
  }
}

/** Whether keys stand in order everywhere. Looks at every value, as each must be one of JSON. */
const isSorted = (value: Schema.Json | undefined): boolean => {
  if (typeof value !== "object" || value === null) {
    check(value)
    return true
  }
  let sorted = true
  if (isList(value)) {
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

const write = (value: Schema.Json): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map((item) => write(item ?? null)).join(",")}]`
  // A key without a value is no member, as for `JSON.stringify`.
  const members = Object.entries(value).filter(([, item]) => item !== undefined)
  members.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${write(item)}`).join(",")}}`
}

/** JSON with sorted keys and no spaces. Values whose keys are sorted already cost little more than `JSON.stringify`. */
export const canonicalJson = (value: Schema.Json): string => isSorted(value) ? JSON.stringify(value) : write(value)
