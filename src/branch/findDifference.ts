/** Finds the first difference between two JSON values. */
import type * as Schema from "effect/Schema"

type Json = Schema.Json

const isContainer = (value: Json | undefined): value is Schema.JsonArray | Schema.JsonObject =>
  typeof value === "object" && value !== null

/**
 * The path to the first difference, such as `.added[1].content`; `""` for the values themselves, `undefined` for equal ones.
 */
export const findDifference = (one: Json | undefined, other: Json | undefined): string | undefined => {
  if (one === other) return undefined
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) return ""
  const fieldsOf = (value: object): ReadonlyMap<string, Json> => new Map(Object.entries(value))
  const [fields, others] = [fieldsOf(one), fieldsOf(other)]
  for (const name of new Set([...fields.keys(), ...others.keys()])) {
    const within = findDifference(fields.get(name), others.get(name))
    if (within !== undefined) return `${Array.isArray(one) ? `[${name}]` : `.${name}`}${within}`
  }
  return undefined
}
