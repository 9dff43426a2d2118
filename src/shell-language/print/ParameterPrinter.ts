/**
 * Parameters in canonical text: always within braces.
 *
 * @module
 */
import type { Parameter, ParameterOperation } from "../SyntaxTree.ts"
import { Words } from "./WordPrinter.ts"

const fallbackOperator = (colon: boolean, operator: string): string => (colon ? ":" : "") + operator
const marks = { upper: "^", lower: ",", toggle: "~" } as const
const replaces = { first: "/", all: "//", prefix: "/#", suffix: "/%" } as const

/** Every form of `${…}`. */
export abstract class Parameters extends Words {
  protected parameter({ indirect, name, operation, subscript }: Parameter, inQuotes: boolean): string {
    const tag = operation?._tag
    const before = tag === "ParameterLength"
      ? "#"
      : indirect || tag === "ParameterNames" || tag === "ParameterKeys"
      ? "!"
      : ""
    return this.put(`\${${before}${name}`) + (subscript === undefined ? "" : this.subscript(subscript)) +
      (operation === undefined ? "" : this.#operation(operation, inQuotes)) + this.put("}")
  }

  #operation(operation: ParameterOperation, inQuotes: boolean): string {
    switch (operation._tag) {
      case "ParameterLength":
      case "ParameterKeys":
        return ""
      case "ParameterNames":
        return this.put(operation.mark)
      case "ParameterFallback":
        return this.put(fallbackOperator(operation.colon, operation.operator)) +
          (inQuotes ? this.quotedOperand(operation.word) : this.word(operation.word, "operand"))
      case "ParameterTrim": {
        const sign = operation.side === "prefix" ? "#" : "%"
        return this.put(operation.longest ? sign + sign : sign) + this.word(operation.pattern, "operand")
      }
      case "ParameterReplace": {
        const text = this.put(replaces[operation.which]) + this.word(operation.pattern, "replaced")
        return operation.replacement === undefined
          ? text
          : text + this.put("/") + this.word(operation.replacement, "operand")
      }
      case "ParameterSlice": {
        // `${x:-1}` would be a fallback.
        const text = this.put(": ") + this.arithmetic(operation.offset).trimStart()
        return operation.length === undefined ? text : text + this.put(":") + this.arithmetic(operation.length)
      }
      case "ParameterCase": {
        const mark = marks[operation.to]
        return this.put(operation.all ? mark + mark : mark) +
          (operation.pattern === undefined ? "" : this.word(operation.pattern, "operand"))
      }
      case "ParameterTransform":
        return this.put(`@${operation.operator}`)
    }
  }
}
