/**
 * Runs a compiled awk program on a stack machine: a program may wait in the middle of an expression (for input, a
 * command or its turn), and JavaScript's stack cannot be suspended.
 */
import { Regex } from "../../regex/Regex.ts"
import { Op, specials } from "./Code.ts"
import { MachineState, nothing } from "./MachineState.ts"
import { builtinList } from "./builtins.ts"
import { parseReplacement, replaceMatches } from "./replaceMatches.ts"
import { findOrder } from "./sortKeys.ts"
import { type Cell, inputValue, isTrue, type Table, toNumber } from "./values.ts"

/** The end of a run of instructions. */
type Flow = "end" | "next" | "nextFile" | "exit"

const maxFrames = 20_000
const maxStack = 1_000_000

export class Machine extends MachineState {
  #pc = 0
  #flow: Flow = "end"
  #exitCode: number | undefined

  /** Runs the whole program; its exit code. */
  async run(): Promise<number> {
    const { begin, end, main } = this.code
    if (begin !== undefined) await this.#runFrom(begin)
    if (this.#flow !== "exit" && (main !== undefined || end !== undefined)) await this.#runMain(main)
    if (end !== undefined) await this.#runFrom(end)
    await this.files.end()
    return this.#exitCode ?? this.io.exitCode
  }

  async #runMain(main: number | undefined): Promise<void> {
    for (;;) {
      let record = this.input.next()
      if (typeof record === "object") record = await record
      if (record === undefined) return
      this.fields.setRecord(record, this.variables.splitter)
      if (main === undefined) continue
      const running = this.#runFrom(main)
      if (running !== undefined) await running
      if (this.#flow === "exit") return
      if (this.#flow === "nextFile") this.input.skipFile()
    }
  }

  #runFrom(entry: number): Promise<void> | undefined {
    this.#pc = entry
    this.#flow = "end"
    if (this.stack.length > 0) this.stack.length = 0
    if (this.frames.length > 0) {
      this.frames.length = 0
      this.locals = []
    }
    if (this.loops.length > 0) this.loops.length = 0
    const waiting = this.#execute()
    return waiting === undefined ? undefined : this.#goOn(waiting)
  }

  async #goOn(first: Promise<Cell | typeof nothing>): Promise<void> {
    for (let waiting: Promise<Cell | typeof nothing> | undefined = first; waiting !== undefined;) {
      const value = await waiting
      if (this.budget.isDue) await this.settle()
      if (value !== nothing) this.stack.push(value)
      waiting = this.#execute()
    }
  }

  /** Runs instructions to the end, or until one waits: then what it waits for, a value for the stack or nothing. */
  #execute(): Promise<Cell | typeof nothing> | undefined {
    const { constants, functions, words } = this.code
    const stack = this.stack
    const globals = this.globals
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
          stack.push(this.locals[operand])
          break
        case Op.storeLocal:
          pc++
          this.locals[operand] = stack[stack.length - 1]
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
          stack.push(this.fields.get(Math.trunc(this.popNumber())))
          break
        case Op.fieldAt:
          pc++
          stack.push(this.fields.get(operand))
          break
        case Op.fieldNumber:
          stack.push(this.fieldNumber(Math.trunc(this.popNumber())))
          break
        case Op.fieldNumberAt:
          pc++
          stack.push(this.fieldNumber(operand))
          break
        case Op.fieldText:
          stack.push(this.fieldText(Math.trunc(this.popNumber())))
          break
        case Op.fieldTextAt:
          pc++
          stack.push(this.fieldText(operand))
          break
        case Op.storeField: {
          const value = this.popScalar()
          this.setField(Math.trunc(this.popNumber()), value)
          stack.push(value)
          break
        }
        case Op.globalTable:
          pc++
          stack.push(this.tableAt(globals, operand))
          break
        case Op.localTable:
          pc++
          stack.push(this.tableAt(this.locals, operand))
          break
        case Op.subTable: {
          const key = this.popText()
          const table = this.popTable()
          const cell = table.get(key)
          if (cell instanceof Map) stack.push(cell)
          else if (cell !== undefined) this.io.fail("a single value is used as an array")
          else {
            const made: Table = new Map()
            this.store(table, key, made)
            stack.push(made)
          }
          break
        }
        case Op.element: {
          const key = this.popText()
          stack.push(this.element(this.popTable(), key))
          break
        }
        case Op.storeElement: {
          const value = this.popScalar()
          const key = this.popText()
          this.store(this.popTable(), key, value)
          stack.push(value)
          const pause = this.pause()
          if (pause !== undefined) return this.#wait(pc, pause)
          break
        }
        case Op.isIn: {
          const key = this.popText()
          stack.push(this.popTable().has(key) ? 1 : 0)
          break
        }
        case Op.deleteElement: {
          const key = this.popText()
          this.popTable().delete(key)
          break
        }
        case Op.deleteTable:
          this.popTable().clear()
          break
        case Op.joinKeys:
          pc++
          stack.push(this.popScalars(operand).map(this.textOf).join(this.variables.subsep))
          break
        case Op.incrementField: {
          pc += 2
          const index = Math.trunc(this.popNumber())
          const before = toNumber(this.fields.get(index))
          this.setField(index, before + operand)
          stack.push(words[at + 2] === 1 ? before + operand : before)
          break
        }
        case Op.incrementElement: {
          pc += 2
          const key = this.popText()
          const table = this.popTable()
          const cell = table.get(key)
          const before = cell instanceof Map ? this.io.fail("an array is used as a single value") : toNumber(cell)
          this.store(table, key, before + operand)
          stack.push(words[at + 2] === 1 ? before + operand : before)
          break
        }
        case Op.add: {
          const right = this.popNumber()
          stack.push(this.popNumber() + right)
          break
        }
        case Op.subtract: {
          const right = this.popNumber()
          stack.push(this.popNumber() - right)
          break
        }
        case Op.multiply: {
          const right = this.popNumber()
          stack.push(this.popNumber() * right)
          break
        }
        case Op.divide:
        case Op.modulo: {
          const right = this.popNumber()
          if (right === 0) this.io.fail("division by zero")
          const left = this.popNumber()
          stack.push(words[at] === Op.divide ? left / right : left % right)
          break
        }
        case Op.power: {
          const right = this.popNumber()
          stack.push(this.popNumber() ** right)
          break
        }
        case Op.less:
          stack.push(this.compare() < 0 ? 1 : 0)
          break
        case Op.lessOrEqual:
          stack.push(this.compare() <= 0 ? 1 : 0)
          break
        case Op.equal:
          stack.push(this.compare() === 0 ? 1 : 0)
          break
        case Op.notEqual:
          stack.push(this.compare() !== 0 ? 1 : 0)
          break
        case Op.greater:
          stack.push(this.compare() > 0 ? 1 : 0)
          break
        case Op.greaterOrEqual:
          stack.push(this.compare() >= 0 ? 1 : 0)
          break
        case Op.negate:
          stack.push(-this.popNumber())
          break
        case Op.toNumber:
          stack.push(this.popNumber())
          break
        case Op.not:
          stack.push(isTrue(this.popScalar()) ? 0 : 1)
          break
        case Op.toTruth:
          stack.push(isTrue(this.popScalar()) ? 1 : 0)
          break
        case Op.concat: {
          const right = this.popText()
          const left = this.popText()
          stack.push(this.bounded(left + right))
          this.budget.made(Math.min(left.length, right.length) + 32)
          const pause = this.pause()
          if (pause !== undefined) return this.#wait(pc, pause)
          break
        }
        case Op.match: {
          const regex = this.regexOf(this.popText())
          const found = regex.test(this.io.system, this.popText())
          if (typeof found === "object") return this.#wait(pc, found.then(Number))
          stack.push(found ? 1 : 0)
          break
        }
        case Op.matchConstant: {
          pc++
          const regex = constants[operand]
          const found = regex instanceof Regex && regex.test(this.io.system, this.popText())
          if (typeof found === "object") return this.#wait(pc, found.then(Number))
          stack.push(found ? 1 : 0)
          break
        }
        case Op.jump: {
          pc = operand
          const turn = operand < at ? this.turn() : undefined
          if (turn !== undefined) return this.#wait(pc, turn)
          break
        }
        case Op.jumpIfFalse:
          pc = isTrue(this.popScalar()) ? at + 2 : operand
          break
        case Op.jumpIfTrue: {
          const isTaken = isTrue(this.popScalar())
          pc = isTaken ? operand : at + 2
          const turn = isTaken && operand < at ? this.turn() : undefined
          if (turn !== undefined) return this.#wait(pc, turn)
          break
        }
        case Op.call: {
          const called = functions[operand]
          if (called === undefined || this.frames.length >= maxFrames || stack.length > maxStack) {
            return this.io.fail("functions call each other too deep")
          }
          const args = this.pop(words[at + 2] ?? 0)
          this.frames.push({ returnTo: at + 3, locals: this.locals, loops: this.loops.length, base: stack.length })
          this.locals = args
          pc = called.entry
          const turn = this.turn()
          if (turn !== undefined) return this.#wait(pc, turn)
          break
        }
        case Op.return: {
          const value = stack.pop()
          const frame = this.frames.pop()
          if (frame === undefined) return this.io.fail("'return' is outside of a function")
          this.locals = frame.locals
          this.loops.length = frame.loops
          stack.length = frame.base
          stack.push(value)
          pc = frame.returnTo
          break
        }
        case Op.builtin: {
          pc += 2
          const result = builtinList[operand]?.run(this, this.pop(words[at + 2] ?? 0))
          if (result instanceof Promise) return this.#wait(pc, result)
          stack.push(result)
          if (typeof result === "string") this.budget.made(result.length)
          const pause = this.pause()
          if (pause !== undefined) return this.#wait(pc, pause)
          break
        }
        case Op.getline:
          pc++
          return this.#wait(pc, this.getline(operand))
        case Op.loadRead:
          stack.push(inputValue(this.readRecord))
          break
        case Op.setRecord:
          this.fields.setRecord(this.readRecord, this.variables.splitter)
          break
        case Op.print:
        case Op.printf: {
          pc += 2
          const writing = this.print(words[at] === Op.printf, operand, words[at + 2] ?? 0)
          if (writing !== undefined) return this.#wait(pc, writing.then(() => nothing))
          break
        }
        case Op.beginKeys: {
          const order = globals[this.code.globals.get("PROCINFO") ?? -1]
          const name = order instanceof Map ? order.get("sorted_in") : undefined
          const compareEntries = typeof name === "string" ? findOrder(name) : undefined
          const table = this.popTable()
          this.budget.made(table.size * 16)
          if (compareEntries === undefined) this.loops.push({ keys: [...table.keys()], at: 0 })
          else return this.#wait(pc, this.beginSorted(table, compareEntries))
          break
        }
        case Op.nextKey: {
          const loop = this.loops.at(-1)
          const key = loop === undefined ? undefined : loop.keys[loop.at++]
          pc = key === undefined ? operand : at + 2
          if (key !== undefined) stack.push(inputValue(key))
          break
        }
        case Op.endKeys:
          this.loops.pop()
          break
        case Op.next:
        case Op.nextFile:
          this.#flow = words[at] === Op.next ? "next" : "nextFile"
          return undefined
        case Op.exit: {
          const value = this.popScalar()
          if (value !== undefined || this.#exitCode === undefined) {
            this.#exitCode = value === undefined ? this.#exitCode : Math.trunc(toNumber(value)) & 255
          }
          this.#flow = "exit"
          return undefined
        }
        case Op.substitute: {
          pc++
          const parts = parseReplacement(this.popText())
          const regex = this.regexOf(this.popText())
          const text = this.popText()
          const replaced = replaceMatches(this.io, regex, text, parts, { all: operand === 1, nth: 1, utf8: this.utf8 })
          if (replaced instanceof Promise) return this.#wait(pc, replaced.then((later) => this.keepReplaced(later)))
          this.keepReplaced(replaced)
          break
        }
        case Op.loadReplaced:
          stack.push(this.replaced)
          break
        case Op.loadCount:
          stack.push(this.replacedCount)
          break
        case Op.loadRange:
          pc++
          stack.push(this.ranges[operand] === true ? 1 : 0)
          break
        case Op.storeRange:
          pc += 2
          this.ranges[operand] = words[at + 2] === 1
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
}
