/** Declares the values of jq. Source: jq(1), jv.c of jq 1.7.1. */
import { JqArray } from "./JqArray.ts"
import { JqObject } from "./JqObject.ts"
import { formatNumber } from "./numbers.ts"

/** A number that prints as it was written, because a double would print otherwise: `1.000`, `100000000000000000000`. */
export class NumberLiteral {
  readonly value: number
  readonly text: string
  readonly weight: number

  constructor(value: number, text: string) {
    this.value = value
    this.text = text
    this.weight = 48 + text.length
  }
}

export type Value = null | boolean | number | string | NumberLiteral | JqArray | JqObject

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

/** Text of a number as jq prints it. */
export const numberText = (value: number | NumberLiteral): string =>
  typeof value === "number" ? formatNumber(value) : value.text
