/**
 * Prints parameter expansions as canonical text, always within braces.
 *
 * @module
 */
import type { Parameter, ParameterOperation } from "../SyntaxTree.ts"
import type { TextOutput } from "./TextOutput.ts"
import type { WordPrinter } from "./WordPrinter.ts"

const fallbackOperator = (colon: boolean, operator: string): string => (colon ? ":" : "") + operator
const marks = { upper: "^", lower: ",", toggle: "~" } as const
const replaces = { first: "/", all: "//", prefix: "/#", suffix: "/%" } as const

/** Prints every form of `${…}`. */
export class ParameterPrinter {
  readonly #output: TextOutput
  readonly #words: WordPrinter

  constructor(output: TextOutput, words: WordPrinter) {
    this.#output = output
    this.#words = words
  }

  /** `inQuotes`: the parameter stands within double quotes or arithmetic. */
  parameter({ indirect, name, operation, subscript }: Parameter, inQuotes: boolean): string {
    const tag = operation?._tag
    const before = tag === "ParameterLength"
      ? "#"
      : indirect || tag === "ParameterNames" || tag === "ParameterKeys"
      ? "!"
      : ""
    return this.#output.put(`\${${before}${name}`) + (subscript === undefined ? "" : this.#words.subscript(subscript)) +
      (operation === undefined ? "" : this.#operation(operation, inQuotes)) + this.#output.put("}")
  }

  #operation(operation: ParameterOperation, inQuotes: boolean): string {
    switch (operation._tag) {
      case "ParameterLength":
      case "ParameterKeys":
        return ""
      case "ParameterNames":
        return this.#output.put(operation.mark)
      case "ParameterFallback":
        return this.#output.put(fallbackOperator(operation.colon, operation.operator)) +
          (inQuotes ? this.#words.quotedOperand(operation.word) : this.#words.word(operation.word, "operand"))
      case "ParameterTrim": {
        const sign = operation.side === "prefix" ? "#" : "%"
        return this.#output.put(operation.longest ? sign + sign : sign) + this.#words.word(operation.pattern, "operand")
      }
      case "ParameterReplace": {
        const text = this.#output.put(replaces[operation.which]) + this.#words.word(operation.pattern, "replaced")
        return operation.replacement === undefined
          ? text
          : text + this.#output.put("/") + this.#words.word(operation.replacement, "operand")
      }
      case "ParameterSlice": {
        // Without the blank, `${x:-1}` would be a fallback.
        const text = this.#output.put(": ") + this.#words.arithmetic(operation.offset).trimStart()
        return operation.length === undefined
          ? text
          : text + this.#output.put(":") + this.#words.arithmetic(operation.length)
      }
      case "ParameterCase": {
        const mark = marks[operation.to]
        return this.#output.put(operation.all ? mark + mark : mark) +
          (operation.pattern === undefined ? "" : this.#words.word(operation.pattern, "operand"))
      }
      case "ParameterTransform":
        return this.#output.put(`@${operation.operator}`)
    }
  }
}
