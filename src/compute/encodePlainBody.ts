/** Encodes a message of texts, numbers, booleans and lists of texts to an entry body without its Schema. */
import type * as Schema from "effect/Schema"
import type { Body } from "../journal/Entry.ts"

const isPlain = (value: unknown): value is Schema.Json => {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return true
    default:
      return Array.isArray(value) && value.every((item) => typeof item === "string")
  }
}

/**
 * The body of a message whose fields are texts, numbers, booleans and lists of texts, as nearly all are: its Schema
 * would leave each field unchanged, and every command has two such messages. The keys are in the order of the canonical
 * form. `undefined` for every other message.
 */
export const encodePlainBody = (message: { readonly _tag: string }): Body | undefined => {
  const body: Record<string, Schema.Json> & { _tag: string } = { _tag: message._tag }
  for (const key of Object.keys(message).sort()) {
    const value: unknown = Reflect.get(message, key)
    if (!isPlain(value)) return undefined
    body[key] = value
  }
  return body
}
