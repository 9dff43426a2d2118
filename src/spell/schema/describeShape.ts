/** Describes the shape of parameters for a model: `{ path: string, limit?: integer }`. */
import { definitionName, resolveReference, toJsonArray, toJsonObject } from "../../base/jsonSchema.ts"

/** Maximum depth of a described shape; below it a shape is only named. */
const maxDepth = 4

export const describeShape = (root: Readonly<Record<string, unknown>>): string => {
  const definitions = toJsonObject(root["$defs"])

  const shapeOf = (schema: Readonly<Record<string, unknown>>, depth: number): string => {
    const { $ref: reference, anyOf, enum: values, items, oneOf, type } = schema
    if (typeof reference === "string") {
      return depth > maxDepth ? definitionName(reference) : shapeOf(resolveReference(schema, definitions), depth)
    }
    if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ")
    const branches = [...toJsonArray(anyOf), ...toJsonArray(oneOf)]
    if (branches.length > 0) return branches.map((branch) => shapeOf(toJsonObject(branch), depth)).join(" | ")
    if (type === "array") return `array of ${shapeOf(toJsonObject(items), depth + 1)}`
    if (type === "object" && depth <= maxDepth) {
      const required = toJsonArray(schema["required"])
      const fields = Object.entries(toJsonObject(schema["properties"])).map(([name, property]) =>
        `${name}${required.includes(name) ? "" : "?"}: ${shapeOf(toJsonObject(property), depth + 1)}`
      )
      return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`
    }
    return typeof type === "string" ? type : Array.isArray(type) ? type.join(" | ") : "value"
  }
  return shapeOf(root, 0)
}
