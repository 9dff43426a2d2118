/** Parses one JSON text, as `fromjson` does. */
import type { Coroutine } from "../../Coroutine.ts"
import { JsonError, JsonParser } from "./JsonParser.ts"
import { TreeBuilder } from "./ValueBuilder.ts"
import { fail } from "./JqError.ts"
import type { Value } from "./values.ts"

/** Parses a text that holds one value. Throws `JqError`. */
export function* parseText(text: string): Coroutine<Value> {
  const parser = new JsonParser(new TreeBuilder())
  parser.feed(text, true)
  try {
    let value = parser.next()
    for (; parser.isPaused; value = parser.next()) yield
    if (value === undefined) throw new JsonError("Expected JSON value")
    let extra = parser.next()
    for (; parser.isPaused; extra = parser.next()) yield
    if (extra !== undefined) throw new JsonError("Unexpected extra JSON values")
    return value
  } catch (cause) {
    if (cause instanceof JsonError) return fail(`${cause.message} (while parsing '${text.slice(0, 10_000)}')`)
    throw cause
  }
}
