/** Implements the `bc` utility. */
import { binaryToText } from "../../binaryString.ts"
import { runCoroutine, yieldNow } from "../../Coroutine.ts"
import type { Program } from "../../System.ts"
import { LineBytes } from "../shared/Input.ts"
import { ValueBudget } from "../shared/ValueBudget.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import {
  add,
  compare,
  countDigits,
  type Decimal,
  decimal,
  DecimalError,
  divide,
  formatDecimal,
  maxDigits,
  multiply,
  negate,
  parseDecimal,
  raise,
  remainder,
  squareRoot,
} from "./Decimal.ts"
import { callLibrary } from "./callLibrary.ts"
import { type BcFunction, type BcNode, BcParser, type BcStatement, BcSyntaxError, tokenize } from "./parseBc.ts"

const maxCallDepth = 500
/** Number of steps until other processes get a turn; a step is a statement, or an operation on up to 128 digits. */
const stepsPerTurn = 64
const maxElements = 65_536
const zero = decimal(0)

/** `bc [-lq] [FILE]...`: computes with decimal numbers of any length. Source: bc(1). */
export const bc: Program = defineUtility("bc", "l|mathlib s|standard w|warn i|interactive", async (io) => {
  if (["s", "w", "i"].some((option) => io.has(option))) io.fail("options -s, -w and -i are not supported")
  const machine = new BcMachine(io)
  const inputs = [...io.operands, "-"]
  for (const path of inputs) {
    const input = io.openInput(path)
    if (input === undefined) return 1
    const size = new LineBytes(io, path)
    let text = ""
    await io.forEachLine([input], (line) => {
      text += `${binaryToText(line)}\n`
      size.set(text.length)
    })
    input.close()
    if (await machine.run(text, path === "-" ? "(standard_in)" : path)) return 0
  }
  return 0
}, { withoutEffect: { "q|quiet": "there is no welcome" } })

/** Ends statements up to the loop, the function or the program. */
type Jump = "break" | "continue" | "quit" | { readonly value: Decimal } | undefined

const smallDigits = 1n << 64n

/** Approximate bytes of an element of an array. */
const sizeOf = ({ digits }: Decimal): number =>
  digits < smallDigits && digits > -smallDigits ? 96 : 96 + digits.toString(16).length / 2

class BcMachine {
  readonly #io: UtilityIo
  readonly #hasLibrary: boolean
  #variables = new Map<string, Decimal>()
  #arrays = new Map<string, Map<number, Decimal>>()
  /** Arrays of callers that a function's own hide. */
  readonly #hidden: Array<Map<number, Decimal> | undefined> = []
  readonly #budget: ValueBudget
  readonly #functions = new Map<string, BcFunction>()
  #depth = 0
  #steps = 0

  constructor(io: UtilityIo) {
    this.#io = io
    this.#budget = new ValueBudget(io.system)
    this.#hasLibrary = io.has("l")
    for (
      const [name, value] of [["scale", this.#hasLibrary ? 20 : 0], ["ibase", 10], ["obase", 10], ["last", 0]] as const
    ) {
      this.#variables.set(name, decimal(value))
    }
  }

  /** Runs a program. Returns whether it executed `quit`. */
  async run(text: string, label: string): Promise<boolean> {
    const io = this.#io
    let parser: BcParser
    try {
      parser = new BcParser(await runCoroutine(io.system, tokenize(text)))
    } catch (cause) {
      if (!(cause instanceof BcSyntaxError)) throw cause
      io.err.putText(`${label} ${cause.line}: syntax error\n`)
      return false
    }
    for (;;) {
      try {
        const statement = parser.next()
        if (statement === undefined) return false
        if (await this.#execute(statement) === "quit") return true
      } catch (cause) {
        if (cause instanceof BcSyntaxError) io.err.putText(`${label} ${cause.line}: syntax error\n`)
        else if (cause instanceof DecimalError) io.err.putText(`Runtime error (func=(main), adr=0): ${cause.message}\n`)
        else throw cause
        this.#depth = 0
        parser.skipLine()
      }
      await io.flushAndYield()
    }
  }

  #number(name: string): number {
    return Number(this.#variables.get(name)?.digits ?? 0n)
  }

  get #scale(): number {
    return this.#number("scale")
  }

  /** `cost`: steps of the work that follows. */
  async #pause(cost = 1): Promise<void> {
    if (this.#io.out.isFull) await this.#io.out.flush()
    this.#steps += cost
    if (this.#steps < stepsPerTurn) return
    this.#steps = 0
    await yieldNow(this.#io.system)
  }

  async #show(value: Decimal): Promise<string> {
    this.#variables.set("last", value)
    return this.#wrap(await runCoroutine(this.#io.system, formatDecimal(value, this.#number("obase"))))
  }

  /** Long numbers are broken into lines. */
  #wrap(text: string): string {
    const width = Number(this.#io.system.env.get("BC_LINE_LENGTH") ?? "70")
    if (width === 0 || text.length < width || width < 3) return text
    const parts: Array<string> = []
    for (let at = 0; at < text.length; at += width - 2) parts.push(text.slice(at, at + width - 2))
    return parts.join("\\\n")
  }

  async #execute(statement: BcStatement): Promise<Jump> {
    await this.#pause()
    switch (statement._tag) {
      case "Expression": {
        const value = await this.#evaluate(statement.of)
        if (statement.isShown) this.#io.print(`${await this.#show(value)}\n`)
        return undefined
      }
      case "Text":
        this.#io.print(statement.text)
        return undefined
      case "Print":
        for (const part of statement.parts) {
          this.#io.print(typeof part === "string" ? unescape(part) : await this.#show(await this.#evaluate(part)))
        }
        return undefined
      case "Block":
        return await this.#executeAll(statement.of)
      case "If": {
        const chosen = (await this.#evaluate(statement.test)).digits !== 0n ? statement.then : statement.otherwise
        return chosen === undefined ? undefined : await this.#execute(chosen)
      }
      case "Loop": {
        if (statement.start !== undefined) await this.#evaluate(statement.start)
        while (statement.test === undefined || (await this.#evaluate(statement.test)).digits !== 0n) {
          const jump = await this.#execute(statement.body)
          if (jump === "break") break
          if (jump !== undefined && jump !== "continue") return jump
          if (statement.step !== undefined) await this.#evaluate(statement.step)
          await this.#pause()
        }
        return undefined
      }
      case "Jump":
        return statement.kind
      case "Return":
        return { value: statement.value === undefined ? zero : await this.#evaluate(statement.value) }
      case "Define":
        this.#functions.set(statement.function.name, statement.function)
        return undefined
    }
  }

  async #executeAll(statements: ReadonlyArray<BcStatement>): Promise<Jump> {
    for (const statement of statements) {
      const jump = await this.#execute(statement)
      if (jump !== undefined) return jump
    }
    return undefined
  }

  async #evaluate(node: BcNode): Promise<Decimal> {
    switch (node._tag) {
      case "Number":
        return parseDecimal(node.text, this.#number("ibase"))
      case "Name":
        return this.#variables.get(node.name) ?? zero
      case "Element":
        return this.#arrays.get(node.name)?.get(await this.#index(node.index)) ?? zero
      case "Call":
        return await this.#call(node.name, node.args)
      case "Unary": {
        const value = await this.#evaluate(node.of)
        return node.sign === "-" ? negate(value) : node.sign === "!" ? decimal(value.digits === 0n ? 1 : 0) : value
      }
      case "Binary":
        return await this.#binary(node.sign, await this.#evaluate(node.left), node.right)
      case "Assign": {
        const value = await this.#evaluate(node.value)
        const result = node.sign === "" ? value : await this.#compute(node.sign, await this.#evaluate(node.to), value)
        await this.#assign(node.to, result)
        return result
      }
      case "Step": {
        const before = await this.#evaluate(node.to)
        const after = add(before, decimal(node.by))
        await this.#assign(node.to, after)
        return node.isBefore ? after : before
      }
    }
  }

  async #index(node: BcNode): Promise<number> {
    const value = await this.#evaluate(node)
    const index = Number(value.digits / 10n ** BigInt(value.scale))
    if (index < 0 || index >= maxElements) throw new DecimalError("Array subscript out of bounds")
    return index
  }

  async #assign(to: BcNode, value: Decimal): Promise<void> {
    if (to._tag === "Element") {
      const index = await this.#index(to.index)
      const array = this.#arrays.get(to.name) ?? new Map<number, Decimal>()
      array.set(index, value)
      this.#arrays.set(to.name, array)
      this.#made(sizeOf(value))
      return
    }
    if (to._tag !== "Name") throw new DecimalError("a value that is no variable is assigned to")
    const special = { ibase: [2, 16], obase: [2, 999], scale: [0, maxDigits] }[to.name]
    if (special === undefined) this.#variables.set(to.name, value)
    else {
      const [low = 0, high = 0] = special
      const whole = Number(value.digits / 10n ** BigInt(value.scale))
      if (to.name === "scale" && whole > high) throw new DecimalError(`a scale above ${high} is not supported`)
      this.#variables.set(to.name, decimal(Math.max(low, Math.min(high, whole))))
    }
  }

  /** Counts bytes of elements; ends the program when the elements of its arrays take too much memory. */
  #made(bytes: number): void {
    this.#budget.made(bytes)
    if (!this.#budget.isDue) return
    let held = 0
    for (const array of [...this.#arrays.values(), ...this.#hidden]) {
      for (const value of array?.values() ?? []) held += sizeOf(value)
    }
    const problem = this.#budget.settle(held)
    if (problem !== undefined) this.#io.fail(problem)
  }

  async #binary(sign: string, left: Decimal, other: BcNode): Promise<Decimal> {
    const right = await this.#evaluate(other)
    if (sign === "&&") return decimal(left.digits !== 0n && right.digits !== 0n ? 1 : 0)
    if (sign === "||") return decimal(left.digits !== 0n || right.digits !== 0n ? 1 : 0)
    return await this.#compute(sign, left, right)
  }

  async #compute(sign: string, left: Decimal, right: Decimal): Promise<Decimal> {
    const scale = this.#scale
    await this.#pause(Math.ceil(Math.max(left.scale, right.scale, scale) / 128))
    const truth = (value: boolean): Decimal => decimal(value ? 1 : 0)
    switch (sign) {
      case "+":
        return add(left, right)
      case "-":
        return add(left, negate(right))
      case "*":
        return multiply(left, right, scale)
      case "/":
        return divide(left, right, scale)
      case "%":
        return remainder(left, right, scale)
      case "^":
        if (right.scale > 0 && right.digits % 10n ** BigInt(right.scale) !== 0n) {
          this.#io.err.putText("Runtime warning (func=(main), adr=0): non-zero scale in exponent\n")
        }
        return raise(left, right, scale)
      case "<":
        return truth(compare(left, right) < 0)
      case "<=":
        return truth(compare(left, right) <= 0)
      case ">":
        return truth(compare(left, right) > 0)
      case ">=":
        return truth(compare(left, right) >= 0)
      case "==":
        return truth(compare(left, right) === 0)
      default:
        return truth(compare(left, right) !== 0)
    }
  }

  async #call(name: string, nodes: ReadonlyArray<BcNode>): Promise<Decimal> {
    await this.#pause()
    if (++this.#depth > maxCallDepth) {
      throw new DecimalError(`functions call each other more than ${maxCallDepth} times`)
    }
    try {
      const known = this.#functions.get(name)
      if (known !== undefined) return await this.#callDefined(known, nodes)
      const args: Array<Decimal> = []
      for (const node of nodes) args.push(await this.#evaluate(node))
      const [first = zero] = args
      if (name === "sqrt") return squareRoot(first, this.#scale)
      if (name === "length") return decimal(countDigits(first))
      if (name === "scale") return decimal(first.scale)
      const made = this.#hasLibrary ? await callLibrary(name, args, this.#scale, () => this.#pause()) : undefined
      if (made === undefined) throw new DecimalError(`Function ${name} not defined.`)
      return made
    } finally {
      this.#depth--
    }
  }

  async #callDefined(known: BcFunction, nodes: ReadonlyArray<BcNode>): Promise<Decimal> {
    if (nodes.length !== known.parameters.length) throw new DecimalError("Parameter number mismatch")
    const given: Array<readonly [string, Decimal | Map<number, Decimal>]> = []
    for (const [at, parameter] of known.parameters.entries()) {
      const node = nodes[at]
      if (node === undefined) continue
      const isArray = parameter.endsWith("[]")
      const array = isArray && node._tag === "Name" ? this.#arrays.get(node.name.replace("[]", "")) : undefined
      given.push([parameter.replace("[]", ""), isArray ? new Map(array) : await this.#evaluate(node)])
    }
    const hidden = this.#hidden.length
    // Names are bound dynamically: the old values come back when the function ends.
    const names = [...known.parameters, ...known.locals].map((name) => name.replace("[]", ""))
    const saved = names.map((name) => [name, this.#variables.get(name), this.#arrays.get(name)] as const)
    for (const name of names) {
      this.#hidden.push(this.#arrays.get(name))
      this.#variables.delete(name)
      this.#arrays.delete(name)
    }
    for (const [name, value] of given) {
      if (value instanceof Map) {
        this.#arrays.set(name, value)
        for (const element of value.values()) this.#made(sizeOf(element))
      } else this.#variables.set(name, value)
    }
    try {
      const jump = await this.#executeAll(known.body)
      return typeof jump === "object" ? jump.value : zero
    } finally {
      this.#hidden.length = hidden
      for (const [name, value, array] of saved) {
        if (value === undefined) this.#variables.delete(name)
        else this.#variables.set(name, value)
        if (array === undefined) this.#arrays.delete(name)
        else this.#arrays.set(name, array)
      }
    }
  }
}

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  q: '"',
  r: "\r",
  t: "\t",
  "\\": "\\",
}

const unescape = (text: string): string => text.replace(/\\(.)/g, (all, letter: string) => escapes[letter] ?? all)
