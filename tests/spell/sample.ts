/** Makes random values that a JSON Schema allows. */
import type { JsonSchema } from "effect/JsonSchema"
import type * as Schema from "effect/Schema"
import { toJsonArray, toJsonObject } from "../../src/base/jsonSchema.ts"
import type { Random } from "../support/random.ts"

const numberOf = (value: unknown): number | undefined => typeof value === "number" ? value : undefined

const isJson = (value: unknown): value is Schema.Json => value !== undefined

export const sample = (schema: JsonSchema, random: Random): Schema.Json => {
  const branches = toJsonArray(schema["anyOf"])
  if (branches.length > 0) return sample(toJsonObject(random.pick(branches)), random)
  const values = toJsonArray(schema["enum"]).filter(isJson)
  if (values.length > 0) return random.pick(values)
  const { type } = schema
  switch (Array.isArray(type) ? random.pick(type) : type) {
    case "object":
      return Object.fromEntries(
        Object.entries(toJsonObject(schema["properties"])).map(([name, property]) => [
          name,
          sample(toJsonObject(property), random),
        ]),
      )
    case "array": {
      const length = random.int(numberOf(schema["minItems"]) ?? 0, numberOf(schema["maxItems"]) ?? 3)
      return Array.from({ length }, () => sample(toJsonObject(schema["items"]), random))
    }
    case "string":
      return random.pick(["a", "src/b.ts", "äöü", "some text"])
    case "boolean":
      return random.next() < 0.5
    case "integer":
    case "number": {
      const min = numberOf(schema["minimum"]) ?? (numberOf(schema["exclusiveMinimum"]) ?? -100) + 1
      return random.int(min, Math.min(numberOf(schema["maximum"]) ?? 1_000, min + 1_000))
    }
    default:
      return null
  }
}
