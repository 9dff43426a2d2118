/**
 * Makes the printer of parameter expansions, which writes them as canonical text, always within braces.
 *
 * @module
 */
import type { Parameter, ParameterOperation } from "../SyntaxTree.ts"
import type { TextOutput } from "./TextOutput.ts"
import type { ExpansionPrinters, WordPrinter } from "./WordPrinter.ts"

const fallbackOperator = (colon: boolean, operator: string): string => (colon ? ":" : "") + operator
const marks = { upper: "^", lower: ",", toggle: "~" } as const
const replaces = { first: "/", all: "//", prefix: "/#", suffix: "/%" } as const

/** Makes a printer of every form of `${…}`; `inQuotes`: the parameter stands within double quotes or arithmetic. */
export const makeParameterPrinter = (output: TextOutput, words: WordPrinter): ExpansionPrinters["parameter"] => {
  const printParameter = ({ indirect, name, operation, subscript }: Parameter, inQuotes: boolean): string => {
    const tag = operation?._tag
    const before = tag === "ParameterLength"
      ? "#"
      : indirect || tag === "ParameterNames" || tag === "ParameterKeys"
      ? "!"
      : ""
    return output.put(`\${${before}${name}`) + (subscript === undefined ? "" : words.subscript(subscript)) +
      (operation === undefined ? "" : printOperation(operation, inQuotes)) + output.put("}")
  }

  const printOperation = (operation: ParameterOperation, inQuotes: boolean): string => {
    switch (operation._tag) {
      case "ParameterLength":
      case "ParameterKeys":
        return ""
      case "ParameterNames":
        return output.put(operation.mark)
      case "ParameterFallback":
        return output.put(fallbackOperator(operation.colon, operation.operator)) +
          (inQuotes ? words.quotedOperand(operation.word) : words.word(operation.word, "operand"))
      case "ParameterTrim": {
        const sign = operation.side === "prefix" ? "#" : "%"
        return output.put(operation.longest ? sign + sign : sign) + words.word(operation.pattern, "operand")
      }
      case "ParameterReplace": {
        const text = output.put(replaces[operation.which]) + words.word(operation.pattern, "replaced")
        return operation.replacement === undefined
          ? text
          : text + output.put("/") + words.word(operation.replacement, "operand")
      }
      case "ParameterSlice": {
        // Without the blank, `${x:-1}` would be a fallback.
        const text = output.put(": ") + words.arithmetic(operation.offset).trimStart()
        return operation.length === undefined ? text : text + output.put(":") + words.arithmetic(operation.length)
      }
      case "ParameterCase": {
        const mark = marks[operation.to]
        return output.put(operation.all ? mark + mark : mark) +
          (operation.pattern === undefined ? "" : words.word(operation.pattern, "operand"))
      }
      case "ParameterTransform":
        return output.put(`@${operation.operator}`)
    }
  }
  return printParameter
}
