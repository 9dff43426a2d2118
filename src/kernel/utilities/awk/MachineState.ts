/** The state of a running awk program: its stack, variables, fields and files, and the operations on them. */
import { runCoroutine } from "../../Coroutine.ts"
import { textToBinary } from "../../binaryString.ts"
import { detach } from "../../detach.ts"
import type { Regex } from "../../regex/Regex.ts"
import { sortInSteps } from "../../sortInSteps.ts"
import { ValueBudget } from "../shared/ValueBudget.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { Replaced } from "../shared/replaceMatches.ts"
import { AwkFiles } from "./AwkFiles.ts"
import type { AwkRegexes } from "./AwkRegexes.ts"
import { type Code, type Special, specials } from "./Code.ts"
import { Fields, type Splitter } from "./Fields.ts"
import { MainInput } from "./MainInput.ts"
import { RandomNumbers } from "./RandomNumbers.ts"
import { Variables } from "./Variables.ts"
import type { BuiltinContext } from "./builtins.ts"
import { countValues } from "./countValues.ts"
import { format } from "./format.ts"
import { maxTextLength } from "./replaceMatches.ts"
import type { Order } from "./sortKeys.ts"
import { type Cell, compare, inputValue, parsePrefix, type Scalar, type Table, toNumber } from "./values.ts"

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

/** Number of backward jumps and calls between two reads of the clock. */
const stepsPerTurn = 512

/** Number of characters that are read in about the time of a step. */
const longText = 4_096

/** Engines compare keys of one length, if they are long, character by character. */
const maxKeyLength = 1_048_576

const redirections = [undefined, ">", ">>", "|"] as const

/** Stands for a wait that leaves no value on the stack. */
export const nothing: unique symbol = Symbol("nothing")

export abstract class MachineState implements BuiltinContext {
  readonly io: UtilityIo
  readonly utf8: boolean
  readonly files: AwkFiles
  readonly budget: ValueBudget
  readonly random: RandomNumbers = new RandomNumbers()
  protected readonly code: Code
  protected readonly regexes: AwkRegexes
  protected readonly fields: Fields
  readonly variables: Variables
  protected readonly input: MainInput
  protected readonly argv: Table = new Map()
  protected readonly globals: Array<Cell> = []
  protected readonly ranges: Array<boolean>
  protected readonly stack: Array<Cell> = []
  protected readonly frames: Array<Frame> = []
  protected readonly loops: Array<KeyLoop> = []
  protected locals: Array<Cell> = []
  protected steps = 0

  /** Registers: the record of `getline`; text and count of `sub` and `gsub`. */
  protected readRecord = ""
  protected replaced = ""
  protected replacedCount = 0

  constructor(io: UtilityIo, code: Code, regexes: AwkRegexes, utf8: boolean, args: ReadonlyArray<string>) {
    this.io = io
    this.utf8 = utf8
    this.budget = new ValueBudget(io.system)
    this.code = code
    this.regexes = regexes
    this.files = new AwkFiles(io)
    this.ranges = Array.from({ length: code.ranges }, () => false)
    this.variables = new Variables(
      () => this.fields,
      (source) => this.regexOf(source),
      (template, value) => this.format(template, [value]),
    )
    this.fields = new Fields(io, utf8, (values) => {
      let text = ""
      for (const [at, value] of values.entries()) text += (at === 0 ? "" : this.variables.ofs) + this.textOf(value)
      return this.bounded(text)
    })
    this.input = new MainInput(io, this.variables, {
      argv: this.argv,
      count: () => toNumber(this.scalarGlobal("ARGC")),
      assign: (name, value) => this.assign(name, value),
    })
    this.setGlobal("ARGC", args.length)
    args.forEach((arg, at) => this.argv.set(String(at), inputValue(textToBinary(arg))))
    this.setGlobal("ARGV", this.argv)
    const environment = [...io.system.env].map(([name, value]): [string, Cell] => [
      textToBinary(name),
      inputValue(textToBinary(value)),
    ])
    this.setGlobal("ENVIRON", new Map(environment))
    this.setGlobal("PROCINFO", new Map<string, Cell>([["version", "5.2.1"], ["pid", io.system.pid]]))
  }

  protected setGlobal(name: string, value: Cell): void {
    const { globals } = this.code
    const slot = globals.get(name) ?? globals.size
    globals.set(name, slot)
    this.globals[slot] = value
  }

  protected scalarGlobal(name: string): Scalar {
    const cell = this.globals[this.code.globals.get(name) ?? -1]
    return cell instanceof Map ? undefined : cell
  }

  /** Sets a variable from outside: `-v`, or an operand. */
  assign(name: string, value: string): void {
    const special = specials.find((candidate) => candidate === name)
    if (special !== undefined) this.variables.set(special, inputValue(value))
    else this.setGlobal(name, inputValue(value))
  }

  readonly textOf = (value: Scalar): string => this.variables.textOf(value)

  readonly regexOf = (source: string): Regex => {
    if (!this.regexes.has(source)) this.steps += source.length / 4
    return this.regexes.get(source)
  }

  readonly splitterOf = (separator: string): Splitter => this.variables.splitterOf(separator)
  readonly special = (name: Special): Scalar => this.variables.get(name)
  readonly setSpecial = (name: Special, value: Scalar): void => this.variables.set(name, value)
  readonly record = (): string => this.fields.record
  readonly format = (template: string, values: ReadonlyArray<Scalar>): string =>
    this.bounded(
      format(template, values, {
        utf8: this.utf8,
        textOf: this.textOf,
        fail: (message) => this.io.fail(message),
      }),
    )

  protected bounded(text: string): string {
    return text.length <= maxTextLength ? text : this.io.fail(`a text is longer than ${maxTextLength} bytes`)
  }

  protected popScalar(): Scalar {
    const cell = this.stack.pop()
    return cell instanceof Map ? this.io.fail("an array is used as a single value") : cell
  }

  protected popNumber(): number {
    const cell = this.stack.pop()
    return typeof cell === "number"
      ? cell
      : cell instanceof Map
      ? this.io.fail("an array is used as a single value")
      : toNumber(cell)
  }

  protected fieldNumber(index: number): number {
    const text = this.fields.text(index)
    return text === undefined ? toNumber(this.fields.get(index)) : parsePrefix(text)
  }

  protected fieldText(index: number): string {
    return this.fields.text(index) ?? this.textOf(this.fields.get(index))
  }

  protected popText(): string {
    return this.weigh(this.textOf(this.popScalar()))
  }

  /** Counts the time that it takes to work on a long text. */
  protected weigh(text: string): string {
    if (text.length <= longText) return text
    this.steps += text.length / longText
    this.budget.read(text)
    return text
  }

  protected popTable(): Table {
    const cell = this.stack.pop()
    return cell instanceof Map ? cell : this.io.fail("a single value is used as an array")
  }

  protected pop(count: number): Array<Cell> {
    return this.stack.splice(this.stack.length - count, count)
  }

  protected popScalars(count: number): Array<Scalar> {
    return this.pop(count).map((cell) =>
      cell instanceof Map ? this.io.fail("an array is used as a single value") : cell
    )
  }

  protected tableAt(cells: Array<Cell>, slot: number): Table {
    const cell = cells[slot]
    if (cell instanceof Map) return cell
    if (cell !== undefined) return this.io.fail("a single value is used as an array")
    const table: Table = new Map()
    cells[slot] = table
    return table
  }

  protected store(table: Table, key: string, value: Cell): void {
    const isNew = !table.has(key)
    if (isNew && key.length > maxKeyLength) this.io.fail(`a key is longer than ${maxKeyLength} bytes`)
    const stored = typeof value === "string" ? detach(value) : value
    this.budget.made((isNew ? key.length + 96 : 0) + (typeof stored === "string" ? stored.length : 0))
    table.set(isNew ? detach(key) : key, stored)
  }

  protected element(table: Table, key: string): Cell {
    const cell = table.get(key)
    // Naming an element creates it.
    if (cell === undefined && !table.has(key)) this.store(table, key, undefined)
    return cell
  }

  /** Counts the values that the program holds, then continues. */
  protected async settle(): Promise<typeof nothing> {
    const lists = [this.globals, this.locals, this.stack, ...this.frames.map(({ locals }) => locals)]
    const keys = this.loops.reduce((sum, loop) => sum + loop.keys.length * 16, 0)
    const bytes = await runCoroutine(this.io.system, countValues([...lists, this.variables.values]))
    const problem = this.budget.settle(bytes + keys + this.fields.bytes + this.replaced.length)
    if (problem !== undefined) this.io.fail(problem)
    await this.io.flushAndYield()
    return nothing
  }

  protected compare(): number {
    const right = this.popScalar()
    return compare(this.popScalar(), right, (value) => this.weigh(this.textOf(value)))
  }

  protected async beginSorted(table: Table, order: Order): Promise<typeof nothing> {
    const entries = await runCoroutine(this.io.system, sortInSteps([...table], order))
    this.loops.push({ keys: entries.map(([key]) => key), at: 0 })
    return nothing
  }

  /** Lets other processes run from time to time; called at each backward jump and each call. */
  protected turn(): Promise<typeof nothing> | undefined {
    this.steps++
    return this.pause()
  }

  /** As above, after a single operation that may have taken long. */
  protected pause(): Promise<typeof nothing> | undefined {
    if (this.budget.isDue) return this.settle()
    if (this.steps < stepsPerTurn) return undefined
    this.steps = 0
    const turn = this.io.flushAndYield()
    return turn === undefined ? undefined : turn.then(() => nothing)
  }

  protected keepReplaced({ count, text }: Replaced): typeof nothing {
    this.replaced = this.bounded(text)
    this.budget.made(text.length)
    this.replacedCount = count
    return nothing
  }

  protected setField(index: number, value: Scalar): void {
    if (index === 0) this.fields.setRecord(this.textOf(value), this.variables.splitter)
    else this.fields.set(index, value)
  }

  protected print(isFormatted: boolean, count: number, redirection: number): Promise<void> | undefined {
    const to = redirections[redirection]
    const name = to === undefined ? "" : this.popText()
    const values = this.popScalars(count)
    const { ofs, ors } = this.variables
    let text: string
    if (isFormatted) text = this.format(this.textOf(values[0]), values.slice(1))
    else {
      text = count === 0 ? this.fields.record : ""
      for (let at = 0; at < count; at++) text += (at === 0 ? "" : ofs) + this.variables.printedText(values[at])
      text += ors
    }
    if (to !== undefined) return this.files.write(to, name, text)
    this.io.out.putBinary(text)
    const flushed = this.io.out.isFull ? this.io.out.flush() : undefined
    return flushed instanceof Promise ? flushed : undefined
  }

  protected async getline(kind: number): Promise<number> {
    if (kind === 0) {
      const record = await this.input.next()
      this.readRecord = record ?? ""
      return record === undefined ? 0 : 1
    }
    const name = this.popText()
    const reader = await this.files.reader(kind === 1 ? "file" : "command", name)
    if (reader === undefined) return -1
    const record = await reader.next(this.variables.separator)
    this.readRecord = record ?? ""
    if (record === undefined) return reader.failed ? -1 : 0
    if (kind === 2) this.variables.nr++
    return 1
  }
}
