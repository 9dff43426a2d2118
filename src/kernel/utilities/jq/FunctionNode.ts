/** Makes nodes of functions. */
import { checkEffort, type Machine, Node, type Simple } from "./Machine.ts"
import { withResult } from "./choices.ts"
import { TakesLong } from "./limits.ts"
import type { Value } from "./values.ts"

class FunctionNode extends Node {
  readonly #run: (machine: Machine) => void

  constructor(run: (machine: Machine) => void, simple?: Simple) {
    super()
    this.#run = run
    this.simple = simple
  }

  run(machine: Machine): void {
    this.#run(machine)
  }
}

export const makeNode = (run: (machine: Machine) => void, simple?: Simple): Node => new FunctionNode(run, simple)

/** Implements a node with one result, which has no path unless it is the input. */
export const makeSimple = (simple: Simple): Node =>
  makeNode((machine) => {
    const result = simple(machine.value, machine.frame)
    if (result === machine.value) machine.emit(result, machine.path)
    else machine.emitNew(result)
  }, simple)

export const identity: Node = makeNode((machine) => machine.emit(machine.value, machine.path), (value) => value)
export const empty: Node = makeNode((machine) => machine.back())

/** Applies a function to the input and the results of arguments. */
export type Apply = (value: Value, args: ReadonlyArray<Value>) => Value

/** Continues with the input and the results of arguments. */
export type Finish = (machine: Machine, value: Value, args: ReadonlyArray<Value>) => void

const applySimple = (args: ReadonlyArray<Node>, apply: Apply): Simple | undefined => {
  const all = args.flatMap((arg) => arg.simple === undefined ? [] : [arg.simple])
  if (all.length < args.length) return undefined
  const [first, second] = all
  if (first === undefined) {
    return (value) => {
      checkEffort()
      return apply(value, [])
    }
  }
  if (all.length === 1) {
    return (value, frame) => {
      const arg = first(value, frame)
      checkEffort()
      return apply(value, [arg])
    }
  }
  if (all.length === 2 && second !== undefined) {
    return (value, frame) => {
      const right = second(value, frame)
      const left = first(value, frame)
      checkEffort()
      return apply(value, [left, right])
    }
  }
  return (value, frame) => {
    const results: Array<Value> = []
    for (let at = all.length - 1; at >= 0; at--) results[at] = all[at]?.(value, frame) ?? null
    checkEffort()
    return apply(value, results)
  }
}

/**
 * Evaluates arguments on the input, the last one first and changing slowest, and applies a function to each
 * combination, or `finish` if that takes long or has other results.
 */
export const applyAll = (
  args: ReadonlyArray<Node>,
  apply: Apply | undefined,
  finish?: Finish,
  keepsPath = false,
): Node => {
  const evaluate = (machine: Machine, at: number, results: ReadonlyArray<Value>): void => {
    const arg = args[at]
    if (arg !== undefined) {
      return withResult(machine, arg, (_, result, before) => {
        before.restore(machine)
        evaluate(machine, at - 1, [result, ...results])
      }, results.length === 0 ? undefined : (tracer) => tracer.values(results))
    }
    if (apply === undefined) return finish?.(machine, machine.value, results)
    try {
      const result = apply(machine.value, results)
      if (keepsPath && result === machine.value) machine.emit(result, machine.path)
      else machine.emitNew(result)
    } catch (cause) {
      if (!(cause instanceof TakesLong) || finish === undefined) throw cause
      finish(machine, machine.value, results)
    }
  }
  return makeNode(
    (machine) => evaluate(machine, args.length - 1, []),
    apply === undefined ? undefined : applySimple(args, apply),
  )
}
