/**
 * Runs a compiled jq program on a machine of nodes, continuations and choice points. It keeps no state on JavaScript's
 * stack, so that a program can pause at any step and recurse deeply, and tail calls need no space.
 */
import { type Coroutine, runCoroutine } from "../../Coroutine.ts"
import type { Later, System } from "../../System.ts"
import { ValueBudget } from "../shared/ValueBudget.ts"
import { JsonError } from "./JsonParser.ts"
import { type Traced, Tracer } from "./Tracer.ts"
import { effort, failLimit, TakesLong } from "./limits.ts"
import { JqError } from "./JqError.ts"
import { noPath, type Path, tracePath } from "./tracedPaths.ts"
import type { Value } from "./values.ts"

/** The variables and closures of a called function. */
export class Frame implements Traced {
  mark = 0
  readonly parent: Frame | undefined
  readonly slots: Array<Value> = []
  closures: ReadonlyArray<Closure> = []

  constructor(parent: Frame | undefined) {
    this.parent = parent
  }

  trace(tracer: Tracer): void {
    tracer.bytes += 96
    tracer.values(this.slots)
    tracer.reach(this.parent)
    for (const { frame } of this.closures) tracer.reach(frame)
  }
}

export interface Closure {
  readonly node: Node
  readonly frame: Frame
}

/** Computes the single result of an expression that neither waits nor takes long. */
export type Simple = (value: Value, frame: Frame) => Value

/** A compiled expression. */
export abstract class Node {
  /** Set for an expression of exactly one result. */
  simple: Simple | undefined
  /** Reaches the values that a node which was made while the program runs holds. */
  kept: ((tracer: Tracer) => void) | undefined
  /** Starts on the value, the path and the frame of the machine. */
  abstract run(machine: Machine): void
}

/** A continuation: the rest of the program after a result of an expression. */
export abstract class Continuation implements Traced {
  mark = 0
  readonly next: Continuation | undefined
  readonly frame: Frame
  readonly #depth: number

  constructor(machine: Machine) {
    this.next = machine.continuation
    this.frame = machine.frame
    this.#depth = this.next === undefined ? 1 : this.next.#depth + 1
    if (this.#depth > maxDepth) failLimit("the program recurses too deep")
  }

  abstract resume(machine: Machine): void

  trace(tracer: Tracer): void {
    tracer.bytes += 96
    tracer.reach(this.next)
    tracer.reach(this.frame)
  }
}

/** A choice point, to which the machine returns for another result. */
export interface Choice {
  readonly resume: (machine: Machine) => void
  /** Whether it catches an error, and then continues with it. */
  readonly catches?: (machine: Machine, error: unknown) => boolean
  /** Reaches the values, frames and continuations that it holds. */
  readonly trace?: (tracer: Tracer) => void
}

const maxDepth = 1_000_000
const maxChoices = 1_000_000

/** Steps between two looks at the clock. */
const stepsPerTurn = 1_024
const unitsPerTurn = 65_536

/** Leaves a long chain of operations, each of which is quick, to the steps of the machine. */
export const checkEffort = (): void => {
  if (effort.units > unitsPerTurn) throw new TakesLong()
}

/** The inputs, arguments and environment of a program. */
export interface Host {
  readonly system: Pick<System, "yield" | "now" | "env" | "holdValues" | "maxValueBytes">
  readonly zone: string | undefined
  readonly flushAndYield: () => Later<void>
  /** The next input; `undefined` at the end. */
  readonly nextInput: () => Later<Value | undefined>
  readonly inputFile: () => string | null
  readonly inputLine: () => number
  readonly printMessage: (text: string) => void
  readonly searchPaths: ReadonlyArray<string>
  readonly moduleMeta: (name: string) => Promise<Value>
}

/** Ends the search for a label. */
export class BreakSignal extends Error {
  readonly label: Value

  constructor(label: Value) {
    super("break")
    this.label = label
  }
}

export class Machine {
  node: Node | undefined
  value: Value = null
  path: Path | undefined
  frame: Frame
  continuation: Continuation | undefined
  readonly choices: Array<Choice> = []
  /** Choices whose `try` does not catch errors that come from after it. */
  readonly passed: Set<Choice> = new Set()
  #waiting: Promise<Value> | undefined
  #isDone = false
  /** Number of steps since the last read of the clock, of all results. */
  #steps = 0
  /** Whether the current node must not compute its result at once, because that takes long. */
  #inSteps = false
  #labels = 0
  readonly host: Host
  readonly #root: Frame
  readonly budget: ValueBudget

  constructor(frame: Frame, host: Host) {
    this.frame = this.#root = frame
    this.host = host
    this.budget = new ValueBudget(host.system)
  }

  /** Counts the values that the program holds, with the bytes of an input that is being read. */
  async settle(building = 0): Promise<undefined> {
    this.#countMade()
    const tracer = new Tracer()
    tracer.bytes = building
    tracer.reach(this.#root)
    this.#trace(tracer)
    const problem = this.budget.settle(await runCoroutine(this.host.system, tracer.run()))
    if (problem !== undefined) failLimit(problem)
    await this.host.flushAndYield()
    return undefined
  }

  #countMade(): void {
    this.budget.made(effort.made)
    effort.made = 0
  }

  #trace(tracer: Tracer): void {
    tracer.value(this.value)
    tracer.reach(this.frame)
    tracer.reach(this.continuation)
    this.node?.kept?.(tracer)
    tracePath(tracer, this.path)
    tracer.bytes += this.choices.length * 64
    for (const choice of this.choices) choice.trace?.(tracer)
  }

  /** Begins with an input. */
  start(node: Node, value: Value, frame: Frame): void {
    this.node = node
    this.value = value
    this.path = undefined
    this.frame = frame
    this.continuation = undefined
    this.choices.length = 0
    this.#waiting = undefined
    this.#isDone = false
  }

  /** Passes a result to the continuation. */
  emit(value: Value, path: Path | undefined): void {
    this.node = undefined
    this.value = value
    this.path = path
  }

  /** Passes a result that is not part of the input, and so has no path. */
  emitNew(value: Value): void {
    this.emit(value, this.path === undefined ? undefined : noPath)
  }

  /** Evaluates a node on a value, outside of paths. */
  evaluate(node: Node, value: Value, frame: Frame): void {
    this.node = node
    this.value = value
    this.path = undefined
    this.frame = frame
  }

  /** Waits for the result. */
  wait(result: Promise<Value>): void {
    this.node = undefined
    this.#waiting = result
  }

  newLabel(): number {
    return ++this.#labels
  }

  choose(choice: Choice): void {
    if (this.choices.push(choice) > maxChoices) failLimit("the program has too many choices")
  }

  /** Returns to the last choice, and restores its state. */
  back(): void {
    const choice = this.choices.pop()
    if (choice === undefined) {
      this.#isDone = true
      this.node = undefined
    } else choice.resume(this)
  }

  /** The next result; `undefined` at the end. */
  run(isFirst: boolean): Value | undefined | Promise<Value | undefined> {
    const result = this.#run(isFirst)
    return result instanceof Promise ? this.#goOn(result) : result
  }

  async #goOn(first: Promise<Value | undefined>): Promise<Value | undefined> {
    for (let result: Value | undefined | Promise<Value | undefined> = first;;) {
      if (!(result instanceof Promise)) return result
      const isValue = this.#waiting !== undefined
      this.#waiting = undefined
      try {
        const value: Value | undefined = await result
        if (isValue) this.value = value ?? null
      } catch (cause) {
        this.#raise(cause)
      }
      result = this.#run(true)
    }
  }

  /** Runs until there is a result, the end, or something to wait for. */
  #run(isFirst: boolean): Value | undefined | Promise<Value | undefined> {
    let wantsMore = !isFirst
    for (;;) {
      try {
        if (wantsMore) {
          wantsMore = false
          this.back()
        }
        for (;;) {
          if (this.#isDone) return undefined
          if (this.#waiting !== undefined) return this.#waiting
          if (++this.#steps > stepsPerTurn || effort.units > unitsPerTurn) {
            this.#steps = effort.units = 0
            this.#countMade()
            if (this.budget.isDue) return this.settle()
            const turn = this.host.flushAndYield()
            if (turn !== undefined) return turn.then(() => undefined)
          }
          const { node } = this
          if (node !== undefined) {
            if (node.simple !== undefined && this.path === undefined) {
              this.value = node.simple(this.value, this.frame)
              this.node = undefined
            } else node.run(this)
            continue
          }
          const { continuation } = this
          if (continuation === undefined) return this.value
          this.continuation = continuation.next
          continuation.resume(this)
        }
      } catch (cause) {
        if (cause instanceof TakesLong && this.node !== undefined && !this.#inSteps) this.#runInSteps(this.node)
        else this.#raise(cause)
      }
    }
  }

  /** Runs a node whose result takes too long to be computed at once. */
  #runInSteps(node: Node): void {
    this.#inSteps = true
    try {
      node.run(this)
    } catch (cause) {
      this.#raise(cause)
    } finally {
      this.#inSteps = false
    }
  }

  /** The result of a node, if it can be computed at once. */
  quick(node: Node, value: Value, frame: Frame): Value | undefined {
    if (this.#inSteps || node.simple === undefined) return undefined
    try {
      return node.simple(value, frame)
    } catch (cause) {
      if (cause instanceof TakesLong) return undefined
      throw cause
    }
  }

  /** Computes the result step by step, and lets other processes run. */
  runSteps(steps: Coroutine<Value>): void {
    const result = runCoroutine(this.host.system, steps)
    if (result instanceof Promise) this.wait(result)
    else this.emitNew(result)
  }

  /** Returns to the choice that catches an error. */
  #raise(cause: unknown): void {
    const error = cause instanceof RangeError
      ? new JqError("the value is nested too deep")
      : cause instanceof JsonError
      ? new JqError(cause.message)
      : cause
    if (!(error instanceof JqError || error instanceof BreakSignal)) throw error
    this.passed.clear()
    for (let choice = this.choices.pop(); choice !== undefined; choice = this.choices.pop()) {
      if (choice.catches === undefined || this.passed.has(choice) || !choice.catches(this, error)) continue
      return
    }
    throw error instanceof BreakSignal ? new JqError("break") : error
  }
}
