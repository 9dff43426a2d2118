/** Computes constant expressions, which imports and the metadata of modules are. */
import { emptyArray, JqArray, JqObject, type Value } from "./values.ts"
import type { Syntax } from "./Syntax.ts"

/** The value of an expression that is constant. */
export const constantOf = (syntax: Syntax): Value | undefined => {
  if (syntax._tag === "Literal") return syntax.value
  if (syntax._tag === "Text" && syntax.parts.every((part) => typeof part === "string")) return syntax.parts.join("")
  if (syntax._tag === "Array") {
    if (syntax.body === undefined) return emptyArray()
    const items: Array<Value> = []
    const collect = (part: Syntax): boolean => {
      if (part._tag === "Comma") return collect(part.left) && collect(part.right)
      const value = constantOf(part)
      if (value !== undefined) items.push(value)
      return value !== undefined
    }
    return collect(syntax.body) ? new JqArray(items) : undefined
  }
  if (syntax._tag !== "Object") return undefined
  const entries = new Map<string, Value>()
  for (const [key, value] of syntax.fields) {
    const name = constantOf(key)
    const constant = constantOf(value)
    if (typeof name !== "string" || constant === undefined) return undefined
    entries.set(name, constant)
  }
  return new JqObject(entries)
}
