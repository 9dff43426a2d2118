/** Built-in functions as the machine calls them, and their adapters. */
import { type Coroutine, runCoroutineSync } from "../../Coroutine.ts"
import type { Apply, Finish } from "./FunctionNode.ts"
import type { Machine } from "./Machine.ts"
import { isLarge } from "./formatJson.ts"
import { effort, TakesLong } from "./limits.ts"
import { type Value, weigh } from "./values.ts"

export interface Native {
  /** Computes the single result at once; may throw `TakesLong` if `finish` can compute it in steps. */
  readonly apply?: Apply
  readonly finish?: Finish
  /** Whether the result keeps the path of the input where both are the same. */
  readonly keepsPath?: boolean
}

/** Ends the program with an exit code. */
export class HaltSignal extends Error {
  readonly code: number
  readonly value: Value | undefined

  constructor(code: number, value?: Value) {
    super("halt")
    this.code = code
    this.value = value
  }
}

/** Counts a function that may read all of its input. */
export const countInput = (value: Value): void => {
  effort.units += weigh(value) / 64
  if (typeof value === "string" && value.length >= 65_536) effort.made += value.length
}

/** A function of its input. */
export const unary = (apply: (value: Value) => Value): Native => ({
  apply: (value) => {
    countInput(value)
    return apply(value)
  },
})

/** A function of its input and an argument. */
export const binary = (apply: (value: Value, arg: Value) => Value): Native => ({
  apply: (value, [arg = null]) => {
    countInput(value)
    return apply(value, arg)
  },
})

export const fromMachine = (read: (machine: Machine) => Value): Native => ({
  finish: (machine) => machine.emitNew(read(machine)),
})

export const keepingPath = (native: Native): Native => ({ ...native, keepsPath: true })

/** A function that computes in steps; at once if a value is small. */
export const inSteps = (steps: (value: Value, args: ReadonlyArray<Value>) => Coroutine<Value>): Native => ({
  apply: (value, args) => {
    if (isLarge(value)) throw new TakesLong()
    countInput(value)
    return runCoroutineSync(steps(value, args))
  },
  finish: (machine, value, args) => machine.runSteps(steps(value, args)),
})

export const strings = (
  apply: (value: string, arg: string) => Value,
  otherwise: (value: Value, arg: Value) => Value,
): Native =>
  binary((value, arg) =>
    typeof value === "string" && typeof arg === "string" ? apply(value, arg) : otherwise(value, arg)
  )
