/** Lists the operators of arithmetic with their precedence. Source: bash(1) "ARITHMETIC EVALUATION". */
import { type ArithmeticBinaryOperator, binaryOperatorLevels } from "../SyntaxTree.ts"

/** The operators between two operands by their text; a higher level binds more tightly. */
export const binaryOperators: ReadonlyMap<string, { readonly level: number; readonly name: ArithmeticBinaryOperator }> =
  new Map(binaryOperatorLevels.flatMap((names, level) => names.map((name) => [name, { level, name }])))
export const assignmentOperator: RegExp = /^(?:[*/%+\-&^|]|<<|>>)?=$/
export const operatorPattern: RegExp = /\*\*|<<=|>>=|<<|>>|[<>=!]=|&&|\|\||\+\+|--|[-*/%+&^|]=|[-*/%+&^|<>=!~?:,()]/y
