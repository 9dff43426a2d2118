/**
 * The operators of arithmetic.
 *
 * Source: bash(1) "ARITHMETIC EVALUATION".
 *
 * @module
 */
import type { ArithmeticAssignment, ArithmeticBinaryOperator } from "../SyntaxTree.ts"

const levels: ReadonlyArray<ReadonlyArray<ArithmeticBinaryOperator>> = [
  [","],
  [],
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<", "<=", ">", ">="],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
  ["**"],
]
/** How tightly each binds; more is tighter. */
export const binaryOperators: ReadonlyMap<string, { readonly level: number; readonly name: ArithmeticBinaryOperator }> =
  new Map(
    levels.flatMap((names, level) => names.map((name) => [name, { level, name }])),
  )
/** Whether an operator assigns. */
export const assignmentOperator: RegExp = /^(?:[*/%+\-&^|]|<<|>>)?=$/
/** An operator at a place. */
export const operatorPattern: RegExp = /\*\*|<<=|>>=|<<|>>|[<>=!]=|&&|\|\||\+\+|--|[-*/%+&^|]=|[-*/%+&^|<>=!~?:,()]/y

/** What each assignment does before it assigns. */
export const assignmentOperators: ReadonlyMap<string, ArithmeticAssignment["operator"]> = new Map([
  ["*=", "*"],
  ["/=", "/"],
  ["%=", "%"],
  ["+=", "+"],
  ["-=", "-"],
  ["<<=", "<<"],
  [">>=", ">>"],
  ["&=", "&"],
  ["^=", "^"],
  ["|=", "|"],
])
