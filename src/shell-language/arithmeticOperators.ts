/**
 * The operators of arithmetic.
 *
 * Source: bash(1) "ARITHMETIC EVALUATION".
 *
 * @module
 */
import type { ArithmeticAssignment, ArithmeticBinaryOperator } from "./Tree.ts"

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
export const binary: ReadonlyMap<string, { readonly level: number; readonly name: ArithmeticBinaryOperator }> = new Map(
  levels.flatMap((names, level) => names.map((name) => [name, { level, name }])),
)
/** Whether an operator assigns. */
export const assigning: RegExp = /^(?:[*/%+\-&^|]|<<|>>)?=$/
/** An operator at a place. */
export const token: RegExp = /\*\*|<<=|>>=|<<|>>|[<>=!]=|&&|\|\||\+\+|--|[-*/%+&^|]=|[-*/%+&^|<>=!~?:,()]/y

/** What each assignment does before it assigns. */
export const assignments: ReadonlyMap<string, ArithmeticAssignment["operator"]> = new Map([
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
