/**
 * What `test` and `[` answer.
 *
 * Source: POSIX test(1); bash(1) "CONDITIONAL EXPRESSIONS".
 *
 * @module
 */
import { FileType, type Stat } from "../../Stat.ts"
import { compareCodePoints } from "../expand/expandPathname.ts"

/** What a test may ask. */
export interface TestContext {
  /** What is at a path; a number when nothing is. */
  readonly stat: (path: string, follow: boolean) => Stat | number
  /** Whether a descriptor is a terminal. */
  readonly isTerminal: (fd: number) => boolean
  /** Whether a variable is set: `-v`. */
  readonly isSet: (name: string) => boolean
  /** Whether a variable refers to another: `-R`. */
  readonly isReference: (name: string) => boolean
  /** Whether a shell option is on: `-o`. */
  readonly optionOn: (name: string) => boolean
}

/** A test that cannot be read. */
export class TestError extends Error {}

const unary = new Set([..."abcdefghknoprstuvwxzGLNORS"].map((letter) => `-${letter}`))
const binary = new Set(["=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"])

/** One test of one operand: `-f file`. */
export const testUnary = (operator: string, operand: string, host: TestContext): boolean => {
  switch (operator) {
    case "-n":
      return operand !== ""
    case "-z":
      return operand === ""
    case "-t":
      return /^\d+$/.test(operand) && host.isTerminal(Number(operand))
    case "-v":
      return host.isSet(operand)
    case "-R":
      return host.isReference(operand)
    case "-o":
      return host.optionOn(operand)
  }
  const link = operator === "-h" || operator === "-L"
  const stat = host.stat(operand, !link)
  if (typeof stat === "number") return false
  switch (operator) {
    case "-f":
      return stat.type === FileType.regularFile
    case "-d":
      return stat.type === FileType.directory
    case "-h":
    case "-L":
      return stat.type === FileType.symbolicLink
    case "-b":
      return stat.type === FileType.blockDevice
    case "-c":
      return stat.type === FileType.characterDevice
    case "-p":
      return stat.type === FileType.unknown
    case "-S":
      return stat.type === FileType.socketStream || stat.type === FileType.socketDatagram
    case "-s":
      return stat.size > 0
    case "-r":
      return (stat.mode & 0o444) !== 0
    case "-w":
      return (stat.mode & 0o222) !== 0
    case "-x":
      return (stat.mode & 0o111) !== 0
    case "-u":
      return (stat.mode & 0o4000) !== 0
    case "-g":
      return (stat.mode & 0o2000) !== 0
    case "-k":
      return (stat.mode & 0o1000) !== 0
    case "-N":
      return stat.modified > stat.accessed
    default:
      return true
  }
}

/** Compares two files: `-nt`, `-ot`, `-ef`. */
export const testFiles = (operator: string, left: string, right: string, host: TestContext): boolean => {
  const [a, b] = [host.stat(left, true), host.stat(right, true)]
  if (operator === "-ef") {
    return typeof a === "object" && typeof b === "object" && a.device === b.device && a.inode === b.inode
  }
  const [newer, older] = operator === "-nt" ? [a, b] : [b, a]
  return typeof newer === "object" && (typeof older === "number" || newer.modified > older.modified)
}

/** Compares two numbers: `-eq` and its like. */
export const compareNumbers = (operator: string, left: bigint, right: bigint): boolean => {
  switch (operator) {
    case "-eq":
      return left === right
    case "-ne":
      return left !== right
    case "-lt":
      return left < right
    case "-le":
      return left <= right
    case "-gt":
      return left > right
    default:
      return left >= right
  }
}

const integer = (text: string): bigint => {
  const trimmed = text.trim()
  if (!/^[-+]?[0-9]+$/.test(trimmed)) throw new TestError(`${text}: integer expression expected`)
  return BigInt(trimmed.replace(/^\+/, ""))
}

const testBinary = (left: string, operator: string, right: string, host: TestContext): boolean => {
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
      return testFiles(operator, left, right, host)
    default:
      return compareNumbers(operator, integer(left), integer(right))
  }
}

/** Reads an expression of any length: `-o` binds loosest, then `-a`, then `!`. */
class Reader {
  #at = 0
  readonly #args: ReadonlyArray<string>
  readonly #host: TestContext

  constructor(args: ReadonlyArray<string>, host: TestContext) {
    this.#args = args
    this.#host = host
  }

  whole(): boolean {
    const value = this.#either()
    if (this.#at < this.#args.length) throw new TestError("too many arguments")
    return value
  }

  #either(): boolean {
    let value = this.#both()
    while (this.#args[this.#at] === "-o") {
      this.#at++
      value = this.#both() || value
    }
    return value
  }

  #both(): boolean {
    let value = this.#term()
    while (this.#args[this.#at] === "-a") {
      this.#at++
      value = this.#term() && value
    }
    return value
  }

  #term(): boolean {
    const first = this.#args[this.#at]
    const second = this.#args[this.#at + 1]
    const third = this.#args[this.#at + 2]
    if (first === undefined) throw new TestError("argument expected")
    if (second !== undefined && third !== undefined && binary.has(second)) {
      this.#at += 3
      return testBinary(first, second, third, this.#host)
    }
    if (first === "!") {
      this.#at++
      return !this.#term()
    }
    if (first === "(") {
      this.#at++
      const value = this.#either()
      if (this.#args[this.#at++] !== ")") throw new TestError("`)' expected")
      return value
    }
    if (unary.has(first) && second !== undefined) {
      this.#at += 2
      return testUnary(first, second, this.#host)
    }
    this.#at++
    return first !== ""
  }
}

/**
 * The answer of `test` for its arguments, without its name and without `]`. Up to four arguments are read by their
 * number, as POSIX has it. Throws {@link TestError}.
 */
export const test = (args: ReadonlyArray<string>, host: TestContext): boolean => {
  const [first = "", second = "", third = "", fourth = ""] = args
  switch (args.length) {
    case 0:
      return false
    case 1:
      return first !== ""
    case 2:
      if (first === "!") return second === ""
      if (unary.has(first)) return testUnary(first, second, host)
      throw new TestError(`${first}: unary operator expected`)
    case 3:
      if (binary.has(second)) return testBinary(first, second, third, host)
      if (second === "-a") return first !== "" && third !== ""
      if (second === "-o") return first !== "" || third !== ""
      if (first === "!") return !test([second, third], host)
      if (first === "(" && third === ")") return second !== ""
      throw new TestError(`${second}: binary operator expected`)
    case 4:
      if (first === "!") return !test([second, third, fourth], host)
      if (first === "(" && fourth === ")") return test([second, third], host)
  }
  return new Reader(args, host).whole()
}
