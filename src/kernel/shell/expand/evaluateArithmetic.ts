/**
 * Evaluates the syntax tree of an arithmetic expression: C's operators over 64-bit integers, with variables.
 * Source: POSIX 2.6.4 "Arithmetic Expansion"; bash(1) "ARITHMETIC EVALUATION".
 */
import type { Arithmetic, ArithmeticBinaryOperator, ArithmeticVariable } from "../../../shell-language/SyntaxTree.ts"

export interface ArithmeticVariables {
  /** `depth`: number of values of variables that are being evaluated, for its subscript. */
  readonly get: (place: ArithmeticVariable, depth: number) => string | undefined
  readonly set: (place: ArithmeticVariable, value: string, depth: number) => void
  /** Parses the value of a variable. Throws {@link ArithmeticError}. */
  readonly parse: (text: string) => Arithmetic
  /** Number of values of variables that may still be evaluated as expressions: see {@link maxEvaluations}. */
  evaluationsLeft: number
}

export class ArithmeticError extends Error {
  /** The position of the wrong operand in the text of the tree. */
  readonly at: number | undefined

  constructor(message: string, at?: number) {
    super(message)
    this.at = at
  }
}

/** Maximum depth of variables whose values and subscripts are expressions over other variables. */
export const maxDepth = 256

/**
 * Maximum number of expressions in variables that one expression evaluates: each may name others twice, so a limit on
 * the depth alone is not enough.
 */
export const maxEvaluations = 10_000

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value)

type BinaryOperation = (left: bigint, right: bigint) => bigint

const fromBoolean = (value: boolean): bigint => value ? 1n : 0n

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n, square = wrap(square * square)) {
    if (rest & 1n) result = wrap(result * square)
  }
  return result
}

const operations: Readonly<Record<Exclude<ArithmeticBinaryOperator, "/" | "%" | "**">, BinaryOperation>> = {
  "+": (left, right) => wrap(left + right),
  "-": (left, right) => wrap(left - right),
  "*": (left, right) => wrap(left * right),
  "<<": (left, right) => wrap(left << (right & 63n)),
  ">>": (left, right) => left >> (right & 63n),
  "&": (left, right) => left & right,
  "|": (left, right) => left | right,
  "^": (left, right) => left ^ right,
  "==": (left, right) => fromBoolean(left === right),
  "!=": (left, right) => fromBoolean(left !== right),
  "<": (left, right) => fromBoolean(left < right),
  "<=": (left, right) => fromBoolean(left <= right),
  ">": (left, right) => fromBoolean(left > right),
  ">=": (left, right) => fromBoolean(left >= right),
  "&&": (left, right) => fromBoolean(left !== 0n && right !== 0n),
  "||": (left, right) => fromBoolean(left !== 0n || right !== 0n),
  ",": (_, right) => right,
}

const apply = (operator: ArithmeticBinaryOperator, left: bigint, right: bigint, at: number): bigint => {
  if (operator === "**") {
    if (right < 0n) throw new ArithmeticError("exponent less than 0", at)
    return power(left, right)
  }
  if (operator !== "/" && operator !== "%") return operations[operator](left, right)
  if (right === 0n) throw new ArithmeticError("division by 0", at)
  return wrap(operator === "/" ? left / right : left % right)
}

const decimal = /^-?(?:0|[1-9][0-9]{0,17})$/

const valueOf = (place: ArithmeticVariable, variables: ArithmeticVariables, depth: number): bigint => {
  const text = variables.get(place, depth)
  if (text === undefined || text === "") return 0n
  if (decimal.test(text)) return BigInt(text)
  if (depth > maxDepth || variables.evaluationsLeft-- <= 0) {
    throw new ArithmeticError(`${text}: expression recursion level exceeded`)
  }
  return evaluateArithmetic(variables.parse(text), variables, depth + 1)
}

/** Evaluates an expression without expansions. Throws {@link ArithmeticError}. */
export const evaluateArithmetic = (node: Arithmetic, variables: ArithmeticVariables, depth = 0): bigint => {
  const of = (operand: Arithmetic): bigint => evaluateArithmetic(operand, variables, depth)
  switch (node._tag) {
    case "ArithmeticNumber":
      return node.value
    case "ArithmeticVariable":
      return valueOf(node, variables, depth)
    case "ArithmeticExpanded":
      throw new ArithmeticError("syntax error: operand expected")
    case "ArithmeticUnary": {
      const value = of(node.operand)
      return node.operator === "-"
        ? wrap(-value)
        : node.operator === "~"
        ? ~value
        : node.operator === "!"
        ? fromBoolean(value === 0n)
        : value
    }
    case "ArithmeticUpdate": {
      const value = valueOf(node.target, variables, depth)
      const next = wrap(value + (node.operator === "++" ? 1n : -1n))
      variables.set(node.target, String(next), depth)
      return node.prefix ? next : value
    }
    case "ArithmeticBinary": {
      const left = of(node.left)
      if (node.operator === "&&" && left === 0n) return 0n
      if (node.operator === "||" && left !== 0n) return 1n
      return apply(node.operator, left, of(node.right), node.right.span.start)
    }
    case "ArithmeticChoice":
      return of(of(node.test) !== 0n ? node.yes : node.no)
    case "ArithmeticAssignment": {
      const before = node.operator === undefined ? 0n : valueOf(node.target, variables, depth)
      const right = of(node.value)
      const value = node.operator === undefined ? right : apply(node.operator, before, right, node.value.span.start)
      variables.set(node.target, String(value), depth)
      return value
    }
  }
}
