/**
 * The canonical form of JSON: equal values are equal bytes, so that a hash over them can be computed again anywhere.
 *
 * Source: RFC 8785 (JSON Canonicalization Scheme). One addition: a lone surrogate, for which the RFC has no form, is
 * escaped as `JSON.stringify` does.
 *
 * @module
 */
import type * as Schema from "effect/Schema"

const isSorted = (value: Schema.Json): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return value.every(isSorted)
  let last = ""
  for (const [key, item] of Object.entries(value)) {
    // Integer-like keys come first whatever their order was: an object of them cannot be told sorted by its order.
    if (key < last || (typeof item === "object" && !isSorted(item))) return false
    last = key
  }
  return true
}

const write = (value: Schema.Json): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${write(item)}`).join(",")}}`
}

/** JSON with sorted keys and no spaces. Values whose keys are sorted already cost about as much as `JSON.stringify`. */
export const canonical = (value: Schema.Json): string => isSorted(value) ? JSON.stringify(value) : write(value)
