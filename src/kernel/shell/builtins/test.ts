/**
 * Evaluates the expressions of `test` and `[`, and the tests that `[[ … ]]` shares with them.
 * Source: POSIX test(1); bash(1) "CONDITIONAL EXPRESSIONS".
 */
import { readInteger } from "../../../base/integers.ts"
import { FileType, type Stat } from "../../Stat.ts"
import { compareCodePoints } from "../expand/expandPathname.ts"

/** The files, variables and options that a test depends on. */
export interface TestContext {
  /** Returns the status of a file; a number if there is none. */
  readonly stat: (path: string, follow: boolean) => Stat | number
  readonly isTerminal: (fd: number) => boolean
  /** Whether a variable is set: `-v`. */
  readonly isSet: (name: string) => boolean
  /** Whether a variable refers to another: `-R`. */
  readonly isReference: (name: string) => boolean
  /** Whether a shell option is on: `-o`. */
  readonly optionOn: (name: string) => boolean
}

/** Maximum nesting of `(` and `!` in a test, because the calls that evaluate them are nested. */
const maxNesting = 200

export class TestError extends Error {}

const unary = new Set([..."abcdefghknoprstuvwxzGLNORS"].map((letter) => `-${letter}`))
const binary = new Set(["=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"])

/** Evaluates a test of one operand: `-f file`. */
export const testUnary = (operator: string, operand: string, context: TestContext): boolean => {
  switch (operator) {
    case "-n":
      return operand !== ""
    case "-z":
      return operand === ""
    case "-t":
      return /^\d+$/.test(operand) && context.isTerminal(Number(operand))
    case "-v":
      return context.isSet(operand)
    case "-R":
      return context.isReference(operand)
    case "-o":
      return context.optionOn(operand)
  }
  const link = operator === "-h" || operator === "-L"
  const stat = context.stat(operand, !link)
  if (typeof stat === "number") return false
  return fileTests[operator]?.(stat) ?? true
}

const fileTests: Readonly<Record<string, (stat: Stat) => boolean>> = {
  "-f": ({ type }) => type === FileType.regularFile,
  "-d": ({ type }) => type === FileType.directory,
  "-h": ({ type }) => type === FileType.symbolicLink,
  "-L": ({ type }) => type === FileType.symbolicLink,
  "-b": ({ type }) => type === FileType.blockDevice,
  "-c": ({ type }) => type === FileType.characterDevice,
  "-p": ({ type }) => type === FileType.unknown,
  "-S": ({ type }) => type === FileType.socketStream || type === FileType.socketDatagram,
  "-s": ({ size }) => size > 0,
  "-r": ({ mode }) => (mode & 0o444) !== 0,
  "-w": ({ mode }) => (mode & 0o222) !== 0,
  "-x": ({ mode }) => (mode & 0o111) !== 0,
  "-u": ({ mode }) => (mode & 0o4000) !== 0,
  "-g": ({ mode }) => (mode & 0o2000) !== 0,
  "-k": ({ mode }) => (mode & 0o1000) !== 0,
  "-N": ({ accessed, modified }) => modified > accessed,
}

/** Compares two files: `-nt`, `-ot`, `-ef`. */
const testFiles = (operator: string, left: string, right: string, context: TestContext): boolean => {
  const [a, b] = [context.stat(left, true), context.stat(right, true)]
  if (operator === "-ef") {
    return typeof a === "object" && typeof b === "object" && a.device === b.device && a.inode === b.inode
  }
  const [newer, older] = operator === "-nt" ? [a, b] : [b, a]
  return typeof newer === "object" && (typeof older === "number" || newer.modified > older.modified)
}

const comparisons: Readonly<Record<string, (left: bigint, right: bigint) => boolean>> = {
  "-eq": (left, right) => left === right,
  "-ne": (left, right) => left !== right,
  "-lt": (left, right) => left < right,
  "-le": (left, right) => left <= right,
  "-gt": (left, right) => left > right,
  "-ge": (left, right) => left >= right,
}

const integer = (text: string): bigint => {
  const value = readInteger(text)
  if (value === undefined) throw new TestError(`${text}: integer expression expected`)
  return value
}

/** Evaluates a test of two operands; `evaluate` parses those of `-eq` and the other comparisons of numbers. */
export const testBinary = (
  left: string,
  operator: string,
  right: string,
  context: TestContext,
  evaluate: (text: string) => bigint = integer,
): boolean => {
  switch (operator) {
    case "=":
    case "==":
      return left === right
    case "!=":
      return left !== right
    case "<":
      return compareCodePoints(left, right) < 0
    case ">":
      return compareCodePoints(left, right) > 0
    case "-nt":
    case "-ot":
    case "-ef":
      return testFiles(operator, left, right, context)
    default:
      return comparisons[operator]?.(evaluate(left), evaluate(right)) ?? false
  }
}

/** Evaluates an expression of any length: `-o` binds loosest, then `-a`, then `!`. */
const evaluateExpression = (args: ReadonlyArray<string>, context: TestContext): boolean => {
  let at = 0
  let depth = 0

  const evaluateOr = (): boolean => {
    let value = evaluateAnd()
    while (args[at] === "-o") {
      at++
      value = evaluateAnd() || value
    }
    return value
  }

  const evaluateAnd = (): boolean => {
    let value = evaluateTerm()
    while (args[at] === "-a") {
      at++
      value = evaluateTerm() && value
    }
    return value
  }

  const evaluateTerm = (): boolean => {
    if (++depth > maxNesting) throw new TestError("too many nested parentheses")
    const value = evaluateOperand()
    depth--
    return value
  }

  const evaluateOperand = (): boolean => {
    const first = args[at]
    const second = args[at + 1]
    const third = args[at + 2]
    if (first === undefined) throw new TestError("argument expected")
    if (second !== undefined && third !== undefined && binary.has(second)) {
      at += 3
      return testBinary(first, second, third, context)
    }
    if (first === "!") {
      at++
      return !evaluateTerm()
    }
    if (first === "(") {
      at++
      const value = evaluateOr()
      if (args[at++] !== ")") throw new TestError("`)' expected")
      return value
    }
    if (unary.has(first) && second !== undefined) {
      at += 2
      return testUnary(first, second, context)
    }
    at++
    return first !== ""
  }

  const value = evaluateOr()
  if (at < args.length) throw new TestError("too many arguments")
  return value
}

/**
 * Evaluates the arguments of `test` without its name and `]`, up to four by their number, as POSIX. Throws {@link TestError}.
 */
export const test = (args: ReadonlyArray<string>, context: TestContext): boolean => {
  const [first = "", second = "", third = "", fourth = ""] = args
  switch (args.length) {
    case 0:
      return false
    case 1:
      return first !== ""
    case 2:
      if (first === "!") return second === ""
      if (unary.has(first)) return testUnary(first, second, context)
      throw new TestError(`${first}: unary operator expected`)
    case 3:
      if (binary.has(second)) return testBinary(first, second, third, context)
      if (second === "-a") return first !== "" && third !== ""
      if (second === "-o") return first !== "" || third !== ""
      if (first === "!") return !test([second, third], context)
      if (first === "(" && third === ")") return second !== ""
      throw new TestError(`${second}: binary operator expected`)
    case 4:
      if (first === "!") return !test([second, third, fourth], context)
      if (first === "(" && fourth === ")") return test([second, third], context)
  }
  return evaluateExpression(args, context)
}
