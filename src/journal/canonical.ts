/**
 * The canonical form of JSON: equal values are equal bytes, so that a hash over them can be computed again anywhere.
 *
 * Source: RFC 8785 (JSON Canonicalization Scheme). One addition: a lone surrogate, for which the RFC has no form, is
 * escaped as `JSON.stringify` does.
 *
 * @module
 */
import type * as Schema from "effect/Schema"

const isList = (value: Schema.JsonArray | Schema.JsonObject): value is Schema.JsonArray => Array.isArray(value)

const isSorted = (value: Schema.Json | undefined): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (isList(value)) return value.every(isSorted)
  let last = ""
  for (const key in value) {
    if (key < last) return false
    last = key
    const item = value[key]
    if (typeof item === "object" && !isSorted(item)) return false
  }
  return true
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
export const canonical = (value: Schema.Json): string => isSorted(value) ? JSON.stringify(value) : write(value)
