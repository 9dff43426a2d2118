/**
 * Measures a body approximately without encoding it, and checks that it is JSON.
 *
 * @module
 */
import type * as Schema from "effect/Schema"
import { canonicalJson } from "../../../base/canonicalJson.ts"
import type { Body } from "../../Entry.ts"
import { isBody } from "../../entryCodec.ts"

/** Approximate length of a number, a boolean or null. */
const wordLength = 8

/** The approximate length of a value; `NaN` when JSON would not preserve it. */
const lengthOf = (value: Schema.Json | undefined): number => {
  switch (typeof value) {
    case "string":
      return value.length + 2
    case "boolean":
      return wordLength
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? wordLength : NaN
    case "object": {
      if (value === null) return wordLength
      let length = 2
      for (const key in value) length += key.length + 4 + lengthOf(Reflect.get(value, key))
      return length
    }
    default:
      return NaN
  }
}

/** A body and its approximate length in UTF-16 units. */
export interface MeasuredBody {
  readonly body: Body
  readonly length: number
}

/**
 * Measures a body. One that JSON would not preserve (a member without a value, -0) is replaced by what JSON makes of it.
 * Throws for one that is not JSON.
 */
export const measureBody = (body: Body): MeasuredBody => {
  const length = lengthOf(body)
  if (!Number.isNaN(length)) return { body, length }
  const text = canonicalJson(body)
  const copy: unknown = JSON.parse(text)
  if (!isBody(copy)) throw new TypeError("it has no tag")
  return { body: copy, length: text.length }
}
