/** Parses one JSON text, as `fromjson` does. */
import { JsonError, JsonParser } from "./JsonParser.ts"
import { TreeBuilder } from "./ValueBuilder.ts"
import { fail, type Value } from "./values.ts"

/** Parses a text that holds one value. Throws `JqError`. */
export const parseText = (text: string): Value => {
  const parser = new JsonParser(new TreeBuilder())
  parser.feed(text, true)
  try {
    const value = parser.next()
    if (value === undefined) throw new JsonError("Expected JSON value")
    if (parser.next() !== undefined) throw new JsonError("Unexpected extra JSON values")
    return value
  } catch (cause) {
    if (cause instanceof JsonError) return fail(`${cause.message} (while parsing '${text.slice(0, 10_000)}')`)
    throw cause
  }
}
