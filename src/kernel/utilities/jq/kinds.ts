/** Kinds of values: their names, their order, and what counts as true. */
import { JqArray, JqObject, NumberLiteral, type Value } from "./values.ts"

/** The kinds of values in the order in which they sort. */
const kinds = ["null", "false", "true", "number", "string", "array", "object"] as const

/** The number of a kind: `null`, `false`, `true`, numbers, strings, arrays, objects. */
export const orderOf = (value: Value): number => {
  switch (typeof value) {
    case "boolean":
      return value ? 2 : 1
    case "number":
      return 3
    case "string":
      return 4
    default:
      return value === null ? 0 : value instanceof JqObject ? 6 : value instanceof JqArray ? 5 : 3
  }
}

export const typeName = (value: Value): string =>
  typeof value === "boolean" ? "boolean" : kinds[orderOf(value)] ?? "null"

export const isTrue = (value: Value): boolean => value !== null && value !== false

/** The double of a number; `undefined` for other values. */
export const numberOf = (value: Value): number | undefined =>
  typeof value === "number" ? value : value instanceof NumberLiteral ? value.value : undefined
