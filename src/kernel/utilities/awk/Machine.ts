/**
 * Runs a compiled awk program on a stack machine: a program may wait in the middle of an expression (for input, a
 * command or its turn), and JavaScript's stack cannot be suspended.
 */
import { textToBinary } from "../../binaryString.ts"
import { runCoroutine } from "../../Coroutine.ts"
import { Regex } from "../../regex/Regex.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { sortInSteps } from "../../sortInSteps.ts"
import { detach } from "../../detach.ts"
import { ValueBudget } from "../shared/ValueBudget.ts"
import { AwkFiles } from "./AwkFiles.ts"
import type { AwkRegexes } from "./AwkRegexes.ts"
import { type BuiltinContext, builtinList } from "./builtins.ts"
import { type Code, Op, type Special, specials } from "./Code.ts"
import { countValues } from "./countValues.ts"
import { Fields, type Splitter } from "./Fields.ts"
import { format } from "./format.ts"
import { MainInput } from "./MainInput.ts"
import type { Replaced } from "../shared/replaceMatches.ts"
import { maxTextLength, parseReplacement, replaceMatches } from "./replaceMatches.ts"
import { findOrder, type Order } from "./sortKeys.ts"
import { type Cell, compare, inputValue, isTrue, parsePrefix, type Scalar, type Table, toNumber } from "./values.ts"
import { Variables } from "./Variables.ts"

interface Frame {
  readonly returnTo: number
  readonly locals: Array<Cell>
  readonly loops: number
  readonly base: number
}

/** A loop over the keys that existed when it began. */
interface KeyLoop {
  readonly keys: ReadonlyArray<string>
  at: number
}

/** The end of a run of instructions. */
type Flow = "end" | "next" | "nextFile" | "exit"

const maxFrames = 20_000
const maxStack = 1_000_000

/** Number of backward jumps and calls between two reads of the clock. */
const stepsPerTurn = 512

/** Number of characters that are read in about the time of a step. */
const longText = 4_096

/** Engines compare keys of one length, if they are long, character by character. */
const maxKeyLength = 1_048_576

const redirections = [undefined, ">", ">>", "|"] as const

export class Machine implements BuiltinContext {
  readonly io: UtilityIo
  readonly utf8: boolean
  readonly files: AwkFiles
  readonly budget: ValueBudget
  readonly #code: Code
  readonly #regexes: AwkRegexes
  readonly #fields: Fields
  readonly variables: Variables
  readonly #input: MainInput
  readonly #argv: Table = new Map()
  readonly #globals: Array<Cell> = []
  readonly #ranges: Array<boolean>
  readonly #stack: Array<Cell> = []
  readonly #frames: Array<Frame> = []
  readonly #loops: Array<KeyLoop> = []
  #locals: Array<Cell> = []
  #pc = 0
  #steps = 0
  #flow: Flow = "end"
  #exitCode: number | undefined
  /** Registers: the record of `getline`; text and count of `sub` and `gsub`. */
  #read = ""
  #replaced = ""
  #count = 0
  #seed = 0
  #state = 0

  constructor(io: UtilityIo, code: Code, regexes: AwkRegexes, utf8: boolean, args: ReadonlyArray<string>) {
    this.io = io
    this.utf8 = utf8
    this.budget = new ValueBudget(io.system)
    this.#code = code
    this.#regexes = regexes
    this.files = new AwkFiles(io)
    this.#ranges = Array.from({ length: code.ranges }, () => false)
    this.variables = new Variables(
      () => this.#fields,
      (source) => this.regexOf(source),
      (template, value) => this.format(template, [value]),
    )
    this.#fields = new Fields(io, utf8, (values) => {
      let text = ""
      for (const [at, value] of values.entries()) text += (at === 0 ? "" : this.variables.ofs) + this.textOf(value)
      return this.#bounded(text)
    })
    this.#input = new MainInput(io, this.variables, {
      argv: this.#argv,
      count: () => toNumber(this.#scalarGlobal("ARGC")),
      assign: (name, value) => this.assign(name, value),
    })
    this.#setGlobal("ARGC", args.length)
    args.forEach((arg, at) => this.#argv.set(String(at), inputValue(textToBinary(arg))))
    this.#setGlobal("ARGV", this.#argv)
    const environment = [...io.system.env].map(([name, value]): [string, Cell] => [
      textToBinary(name),
      inputValue(textToBinary(value)),
    ])
    this.#setGlobal("ENVIRON", new Map(environment))
    this.#setGlobal("PROCINFO", new Map<string, Cell>([["version", "5.2.1"], ["pid", io.system.pid]]))
  }

  #setGlobal(name: string, value: Cell): void {
    const { globals } = this.#code
    const slot = globals.get(name) ?? globals.size
    globals.set(name, slot)
    this.#globals[slot] = value
  }

  #scalarGlobal(name: string): Scalar {
    const cell = this.#globals[this.#code.globals.get(name) ?? -1]
    return cell instanceof Map ? undefined : cell
  }

  /** Sets a variable from outside: `-v`, or an operand. */
  assign(name: string, value: string): void {
    const special = specials.find((candidate) => candidate === name)
    if (special !== undefined) this.variables.set(special, inputValue(value))
    else this.#setGlobal(name, inputValue(value))
  }

  readonly textOf = (value: Scalar): string => this.variables.textOf(value)
  readonly regexOf = (source: string): Regex => {
    if (!this.#regexes.has(source)) this.#steps += source.length / 4
    return this.#regexes.get(source)
  }
  readonly splitterOf = (separator: string): Splitter => this.variables.splitterOf(separator)
  readonly special = (name: Special): Scalar => this.variables.get(name)
  readonly setSpecial = (name: Special, value: Scalar): void => this.variables.set(name, value)
  readonly record = (): string => this.#fields.record
  readonly format = (template: string, values: ReadonlyArray<Scalar>): string =>
    this.#bounded(
      format(template, values, {
        utf8: this.utf8,
        textOf: this.textOf,
        fail: (message) => this.io.fail(message),
      }),
    )

  /** Mulberry32. */
  readonly random = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  readonly seed = (seed: number): number => {
    const before = this.#seed
    this.#seed = seed
    this.#state = Number.isFinite(seed) ? Math.trunc(seed % 4_294_967_296) : 0
    return before
  }

  #bounded(text: string): string {
    return text.length <= maxTextLength ? text : this.io.fail(`a text is longer than ${maxTextLength} bytes`)
  }

  /** Runs the whole program; its exit code. */
  async run(): Promise<number> {
    const { begin, end, main } = this.#code
    if (begin !== undefined) await this.#runFrom(begin)
    if (this.#flow !== "exit" && (main !== undefined || end !== undefined)) await this.#runMain(main)
    if (end !== undefined) await this.#runFrom(end)
    await this.files.end()
    return this.#exitCode ?? this.io.exitCode
  }

  async #runMain(main: number | undefined): Promise<void> {
    for (;;) {
      let record = this.#input.next()
      if (typeof record === "object") record = await record
      if (record === undefined) return
      this.#fields.setRecord(record, this.variables.splitter)
      if (main === undefined) continue
      const running = this.#runFrom(main)
      if (running !== undefined) await running
      if (this.#flow === "exit") return
      if (this.#flow === "nextFile") this.#input.skipFile()
    }
  }

  #runFrom(entry: number): Promise<void> | undefined {
    this.#pc = entry
    this.#flow = "end"
    if (this.#stack.length > 0) this.#stack.length = 0
    if (this.#frames.length > 0) {
      this.#frames.length = 0
      this.#locals = []
    }
    if (this.#loops.length > 0) this.#loops.length = 0
    const waiting = this.#execute()
    return waiting === undefined ? undefined : this.#goOn(waiting)
  }

  async #goOn(first: Promise<Cell | typeof nothing>): Promise<void> {
    for (let waiting: Promise<Cell | typeof nothing> | undefined = first; waiting !== undefined;) {
      const value = await waiting
      if (this.budget.isDue) await this.#settle()
      if (value !== nothing) this.#stack.push(value)
      waiting = this.#execute()
    }
  }

  #popScalar(): Scalar {
    const cell = this.#stack.pop()
    return cell instanceof Map ? this.io.fail("an array is used as a single value") : cell
  }

  #popNumber(): number {
    const cell = this.#stack.pop()
    return typeof cell === "number"
      ? cell
      : cell instanceof Map
      ? this.io.fail("an array is used as a single value")
      : toNumber(cell)
  }

  #fieldNumber(index: number): number {
    const text = this.#fields.text(index)
    return text === undefined ? toNumber(this.#fields.get(index)) : parsePrefix(text)
  }

  #fieldText(index: number): string {
    return this.#fields.text(index) ?? this.textOf(this.#fields.get(index))
  }

  #popText(): string {
    return this.#weigh(this.textOf(this.#popScalar()))
  }

  /** Counts the time that it takes to work on a long text. */
  #weigh(text: string): string {
    if (text.length <= longText) return text
    this.#steps += text.length / longText
    this.budget.read(text)
    return text
  }

  #popTable(): Table {
    const cell = this.#stack.pop()
    return cell instanceof Map ? cell : this.io.fail("a single value is used as an array")
  }

  #pop(count: number): Array<Cell> {
    return this.#stack.splice(this.#stack.length - count, count)
  }

  #popScalars(count: number): Array<Scalar> {
    return this.#pop(count).map((cell) =>
      cell instanceof Map ? this.io.fail("an array is used as a single value") : cell
    )
  }

  #tableAt(cells: Array<Cell>, slot: number): Table {
    const cell = cells[slot]
    if (cell instanceof Map) return cell
    if (cell !== undefined) return this.io.fail("a single value is used as an array")
    const table: Table = new Map()
    cells[slot] = table
    return table
  }

  #store(table: Table, key: string, value: Cell): void {
    const isNew = !table.has(key)
    if (isNew && key.length > maxKeyLength) this.io.fail(`a key is longer than ${maxKeyLength} bytes`)
    const stored = typeof value === "string" ? detach(value) : value
    this.budget.made((isNew ? key.length + 96 : 0) + (typeof stored === "string" ? stored.length : 0))
    table.set(isNew ? detach(key) : key, stored)
  }

  #element(table: Table, key: string): Cell {
    const cell = table.get(key)
    // Naming an element creates it.
    if (cell === undefined && !table.has(key)) this.#store(table, key, undefined)
    return cell
  }

  /** Counts the values that the program holds, then continues. */
  async #settle(): Promise<typeof nothing> {
    const lists = [this.#globals, this.#locals, this.#stack, ...this.#frames.map(({ locals }) => locals)]
    const keys = this.#loops.reduce((sum, loop) => sum + loop.keys.length * 16, 0)
    const bytes = await runCoroutine(this.io.system, countValues([...lists, this.variables.values]))
    const problem = this.budget.settle(bytes + keys + this.#fields.bytes + this.#replaced.length)
    if (problem !== undefined) this.io.fail(problem)
    await this.io.flushAndYield()
    return nothing
  }

  #compare(): number {
    const right = this.#popScalar()
    return compare(this.#popScalar(), right, (value) => this.#weigh(this.textOf(value)))
  }

  async #beginSorted(table: Table, order: Order): Promise<typeof nothing> {
    const entries = await runCoroutine(this.io.system, sortInSteps([...table], order))
    this.#loops.push({ keys: entries.map(([key]) => key), at: 0 })
    return nothing
  }

  /** Lets other processes run from time to time; called at each backward jump and each call. */
  #turn(): Promise<typeof nothing> | undefined {
    this.#steps++
    return this.#pause()
  }

  /** As above, after a single operation that may have taken long. */
  #pause(): Promise<typeof nothing> | undefined {
    if (this.budget.isDue) return this.#settle()
    if (this.#steps < stepsPerTurn) return undefined
    this.#steps = 0
    const turn = this.io.flushAndYield()
    return turn === undefined ? undefined : turn.then(() => nothing)
  }

  /** Runs instructions to the end, or until one waits: then what it waits for, a value for the stack or nothing. */
  #execute(): Promise<Cell | typeof nothing> | undefined {
    const { constants, functions, words } = this.#code
    const stack = this.#stack
    const globals = this.#globals
    let pc = this.#pc
    for (;;) {
      const at = pc
      const operand = words[at + 1] ?? 0
      pc = at + 1
      switch (words[at]) {
        case Op.constant: {
          pc++
          const value = constants[operand]
          stack.push(typeof value === "number" || typeof value === "string" ? value : undefined)
          break
        }
        case Op.pop:
          stack.pop()
          break
        case Op.duplicate:
          stack.push(stack[stack.length - 1])
          break
        case Op.duplicateTwo:
          stack.push(stack[stack.length - 2], stack[stack.length - 1])
          break
        case Op.loadGlobal:
          pc++
          stack.push(globals[operand])
          break
        case Op.storeGlobal:
          pc++
          globals[operand] = stack[stack.length - 1]
          break
        case Op.popGlobal:
          pc++
          globals[operand] = stack.pop()
          break
        case Op.loadLocal:
          pc++
          stack.push(this.#locals[operand])
          break
        case Op.storeLocal:
          pc++
          this.#locals[operand] = stack[stack.length - 1]
          break
        case Op.loadSpecial: {
          pc++
          const name = specials[operand]
          stack.push(name === undefined ? undefined : this.variables.get(name))
          break
        }
        case Op.storeSpecial: {
          pc++
          const name = specials[operand]
          const value = stack[stack.length - 1]
          if (name !== undefined && !(value instanceof Map)) this.variables.set(name, value)
          break
        }
        case Op.field:
          stack.push(this.#fields.get(Math.trunc(this.#popNumber())))
          break
        case Op.fieldAt:
          pc++
          stack.push(this.#fields.get(operand))
          break
        case Op.fieldNumber:
          stack.push(this.#fieldNumber(Math.trunc(this.#popNumber())))
          break
        case Op.fieldNumberAt:
          pc++
          stack.push(this.#fieldNumber(operand))
          break
        case Op.fieldText:
          stack.push(this.#fieldText(Math.trunc(this.#popNumber())))
          break
        case Op.fieldTextAt:
          pc++
          stack.push(this.#fieldText(operand))
          break
        case Op.storeField: {
          const value = this.#popScalar()
          this.#setField(Math.trunc(this.#popNumber()), value)
          stack.push(value)
          break
        }
        case Op.globalTable:
          pc++
          stack.push(this.#tableAt(globals, operand))
          break
        case Op.localTable:
          pc++
          stack.push(this.#tableAt(this.#locals, operand))
          break
        case Op.subTable: {
          const key = this.#popText()
          const table = this.#popTable()
          const cell = table.get(key)
          if (cell instanceof Map) stack.push(cell)
          else if (cell !== undefined) this.io.fail("a single value is used as an array")
          else {
            const made: Table = new Map()
            this.#store(table, key, made)
            stack.push(made)
          }
          break
        }
        case Op.element: {
          const key = this.#popText()
          stack.push(this.#element(this.#popTable(), key))
          break
        }
        case Op.storeElement: {
          const value = this.#popScalar()
          const key = this.#popText()
          this.#store(this.#popTable(), key, value)
          stack.push(value)
          const pause = this.#pause()
          if (pause !== undefined) return this.#wait(pc, pause)
          break
        }
        case Op.isIn: {
          const key = this.#popText()
          stack.push(this.#popTable().has(key) ? 1 : 0)
          break
        }
        case Op.deleteElement: {
          const key = this.#popText()
          this.#popTable().delete(key)
          break
        }
        case Op.deleteTable:
          this.#popTable().clear()
          break
        case Op.joinKeys:
          pc++
          stack.push(this.#popScalars(operand).map(this.textOf).join(this.variables.subsep))
          break
        case Op.incrementField: {
          pc += 2
          const index = Math.trunc(this.#popNumber())
          const before = toNumber(this.#fields.get(index))
          this.#setField(index, before + operand)
          stack.push(words[at + 2] === 1 ? before + operand : before)
          break
        }
        case Op.incrementElement: {
          pc += 2
          const key = this.#popText()
          const table = this.#popTable()
          const cell = table.get(key)
          const before = cell instanceof Map ? this.io.fail("an array is used as a single value") : toNumber(cell)
          this.#store(table, key, before + operand)
          stack.push(words[at + 2] === 1 ? before + operand : before)
          break
        }
        case Op.add: {
          const right = this.#popNumber()
          stack.push(this.#popNumber() + right)
          break
        }
        case Op.subtract: {
          const right = this.#popNumber()
          stack.push(this.#popNumber() - right)
          break
        }
        case Op.multiply: {
          const right = this.#popNumber()
          stack.push(this.#popNumber() * right)
          break
        }
        case Op.divide:
        case Op.modulo: {
          const right = this.#popNumber()
          if (right === 0) this.io.fail("division by zero")
          const left = this.#popNumber()
          stack.push(words[at] === Op.divide ? left / right : left % right)
          break
        }
        case Op.power: {
          const right = this.#popNumber()
          stack.push(this.#popNumber() ** right)
          break
        }
        case Op.less:
          stack.push(this.#compare() < 0 ? 1 : 0)
          break
        case Op.lessOrEqual:
          stack.push(this.#compare() <= 0 ? 1 : 0)
          break
        case Op.equal:
          stack.push(this.#compare() === 0 ? 1 : 0)
          break
        case Op.notEqual:
          stack.push(this.#compare() !== 0 ? 1 : 0)
          break
        case Op.greater:
          stack.push(this.#compare() > 0 ? 1 : 0)
          break
        case Op.greaterOrEqual:
          stack.push(this.#compare() >= 0 ? 1 : 0)
          break
        case Op.negate:
          stack.push(-this.#popNumber())
          break
        case Op.toNumber:
          stack.push(this.#popNumber())
          break
        case Op.not:
          stack.push(isTrue(this.#popScalar()) ? 0 : 1)
          break
        case Op.toTruth:
          stack.push(isTrue(this.#popScalar()) ? 1 : 0)
          break
        case Op.concat: {
          const right = this.#popText()
          const left = this.#popText()
          stack.push(this.#bounded(left + right))
          this.budget.made(Math.min(left.length, right.length) + 32)
          const pause = this.#pause()
          if (pause !== undefined) return this.#wait(pc, pause)
          break
        }
        case Op.match: {
          const regex = this.regexOf(this.#popText())
          const found = regex.test(this.io.system, this.#popText())
          if (typeof found === "object") return this.#wait(pc, found.then(Number))
          stack.push(found ? 1 : 0)
          break
        }
        case Op.matchConstant: {
          pc++
          const regex = constants[operand]
          const found = regex instanceof Regex && regex.test(this.io.system, this.#popText())
          if (typeof found === "object") return this.#wait(pc, found.then(Number))
          stack.push(found ? 1 : 0)
          break
        }
        case Op.jump: {
          pc = operand
          const turn = operand < at ? this.#turn() : undefined
          if (turn !== undefined) return this.#wait(pc, turn)
          break
        }
        case Op.jumpIfFalse:
          pc = isTrue(this.#popScalar()) ? at + 2 : operand
          break
        case Op.jumpIfTrue: {
          const isTaken = isTrue(this.#popScalar())
          pc = isTaken ? operand : at + 2
          const turn = isTaken && operand < at ? this.#turn() : undefined
          if (turn !== undefined) return this.#wait(pc, turn)
          break
        }
        case Op.call: {
          const called = functions[operand]
          if (called === undefined || this.#frames.length >= maxFrames || stack.length > maxStack) {
            return this.io.fail("functions call each other too deep")
          }
          const args = this.#pop(words[at + 2] ?? 0)
          this.#frames.push({ returnTo: at + 3, locals: this.#locals, loops: this.#loops.length, base: stack.length })
          this.#locals = args
          pc = called.entry
          const turn = this.#turn()
          if (turn !== undefined) return this.#wait(pc, turn)
          break
        }
        case Op.return: {
          const value = stack.pop()
          const frame = this.#frames.pop()
          if (frame === undefined) return this.io.fail("'return' is outside of a function")
          this.#locals = frame.locals
          this.#loops.length = frame.loops
          stack.length = frame.base
          stack.push(value)
          pc = frame.returnTo
          break
        }
        case Op.builtin: {
          pc += 2
          const result = builtinList[operand]?.run(this, this.#pop(words[at + 2] ?? 0))
          if (result instanceof Promise) return this.#wait(pc, result)
          stack.push(result)
          if (typeof result === "string") this.budget.made(result.length)
          const pause = this.#pause()
          if (pause !== undefined) return this.#wait(pc, pause)
          break
        }
        case Op.getline:
          pc++
          return this.#wait(pc, this.#getline(operand))
        case Op.loadRead:
          stack.push(inputValue(this.#read))
          break
        case Op.setRecord:
          this.#fields.setRecord(this.#read, this.variables.splitter)
          break
        case Op.print:
        case Op.printf: {
          pc += 2
          const writing = this.#print(words[at] === Op.printf, operand, words[at + 2] ?? 0)
          if (writing !== undefined) return this.#wait(pc, writing.then(() => nothing))
          break
        }
        case Op.beginKeys: {
          const order = globals[this.#code.globals.get("PROCINFO") ?? -1]
          const name = order instanceof Map ? order.get("sorted_in") : undefined
          const compareEntries = typeof name === "string" ? findOrder(name) : undefined
          const table = this.#popTable()
          this.budget.made(table.size * 16)
          if (compareEntries === undefined) this.#loops.push({ keys: [...table.keys()], at: 0 })
          else return this.#wait(pc, this.#beginSorted(table, compareEntries))
          break
        }
        case Op.nextKey: {
          const loop = this.#loops.at(-1)
          const key = loop === undefined ? undefined : loop.keys[loop.at++]
          pc = key === undefined ? operand : at + 2
          if (key !== undefined) stack.push(inputValue(key))
          break
        }
        case Op.endKeys:
          this.#loops.pop()
          break
        case Op.next:
        case Op.nextFile:
          this.#flow = words[at] === Op.next ? "next" : "nextFile"
          return undefined
        case Op.exit: {
          const value = this.#popScalar()
          if (value !== undefined || this.#exitCode === undefined) {
            this.#exitCode = value === undefined ? this.#exitCode : Math.trunc(toNumber(value)) & 255
          }
          this.#flow = "exit"
          return undefined
        }
        case Op.substitute: {
          pc++
          const parts = parseReplacement(this.#popText())
          const regex = this.regexOf(this.#popText())
          const text = this.#popText()
          const replaced = replaceMatches(this.io, regex, text, parts, { all: operand === 1, nth: 1, utf8: this.utf8 })
          if (replaced instanceof Promise) return this.#wait(pc, replaced.then((later) => this.#keepReplaced(later)))
          this.#keepReplaced(replaced)
          break
        }
        case Op.loadReplaced:
          stack.push(this.#replaced)
          break
        case Op.loadCount:
          stack.push(this.#count)
          break
        case Op.loadRange:
          pc++
          stack.push(this.#ranges[operand] === true ? 1 : 0)
          break
        case Op.storeRange:
          pc += 2
          this.#ranges[operand] = words[at + 2] === 1
          break
        default:
          return undefined
      }
    }
  }

  #wait(pc: number, waiting: Promise<Cell | typeof nothing>): Promise<Cell | typeof nothing> {
    this.#pc = pc
    return waiting
  }

  #keepReplaced({ count, text }: Replaced): typeof nothing {
    this.#replaced = this.#bounded(text)
    this.budget.made(text.length)
    this.#count = count
    return nothing
  }

  #setField(index: number, value: Scalar): void {
    if (index === 0) this.#fields.setRecord(this.textOf(value), this.variables.splitter)
    else this.#fields.set(index, value)
  }

  #print(isFormatted: boolean, count: number, redirection: number): Promise<void> | undefined {
    const to = redirections[redirection]
    const name = to === undefined ? "" : this.#popText()
    const values = this.#popScalars(count)
    const { ofs, ors } = this.variables
    let text: string
    if (isFormatted) text = this.format(this.textOf(values[0]), values.slice(1))
    else {
      text = count === 0 ? this.#fields.record : ""
      for (let at = 0; at < count; at++) text += (at === 0 ? "" : ofs) + this.variables.printedText(values[at])
      text += ors
    }
    if (to !== undefined) return this.files.write(to, name, text)
    this.io.out.putBinary(text)
    const flushed = this.io.out.isFull ? this.io.out.flush() : undefined
    return flushed instanceof Promise ? flushed : undefined
  }

  async #getline(kind: number): Promise<number> {
    if (kind === 0) {
      const record = await this.#input.next()
      this.#read = record ?? ""
      return record === undefined ? 0 : 1
    }
    const name = this.#popText()
    const reader = await this.files.reader(kind === 1 ? "file" : "command", name)
    if (reader === undefined) return -1
    const record = await reader.next(this.variables.separator)
    this.#read = record ?? ""
    if (record === undefined) return reader.failed ? -1 : 0
    if (kind === 2) this.variables.nr++
    return 1
  }
}

/** Stands for a wait that leaves no value on the stack. */
const nothing = Symbol("nothing")
