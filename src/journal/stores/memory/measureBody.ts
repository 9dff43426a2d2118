/**
 * How long a body is, and whether it is JSON, without writing it down.
 *
 * @module
 */
import type * as Schema from "effect/Schema"
import { canonicalJson } from "../../../base/canonicalJson.ts"
import type { Body } from "../../Entry.ts"

/** About what a number or a word of JSON takes. */
const wordLength = 8

/** `NaN` for what JSON would give back otherwise than it is. */
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

/** A body as it is kept, and how long it is, about, in UTF-16 units. */
export interface MeasuredBody {
  readonly body: Body
  readonly length: number
}

const isBody = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && "_tag" in value && typeof value._tag === "string"

/**
 * Weighs a body. One that JSON would not give back as it is (a member without a value, -0) becomes what JSON makes of
 * it; one that is not JSON throws.
 */
export const measureBody = (body: Body): MeasuredBody => {
  const length = lengthOf(body)
  if (!Number.isNaN(length)) return { body, length }
  const text = canonicalJson(body)
  const copy: unknown = JSON.parse(text)
  if (!isBody(copy)) throw new TypeError("it has no tag")
  return { body: copy, length: text.length }
}
