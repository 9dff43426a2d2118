/** Implements the nodes of the operators and control structures of jq. */
import { runCoroutineSync } from "../../Coroutine.ts"
import { applyAll, identity, makeNode } from "./FunctionNode.ts"
import { JqArray, JqObject, type Value, weigh } from "./values.ts"
import { BreakSignal, type Choice, Continuation, type Frame, type Machine, type Node } from "./Machine.ts"
import type { Tracer } from "./Tracer.ts"
import { CollectChoice, EachChoice, emitKey, NodeChoice, Then, withResult } from "./choices.ts"
import { isLarge, shorten } from "./formatJson.ts"
import { formatText } from "./formats.ts"
import { fail, JqError } from "./JqError.ts"
import { TakesLong } from "./limits.ts"
import { getKey } from "./paths.ts"
import { noPath, tracePath } from "./tracedPaths.ts"
import { isTrue, orderOf, typeName } from "./kinds.ts"

/** One step of taking a value apart: the part of the value in one slot is stored in another. */
export interface MatchStep {
  readonly from: number
  readonly key: Node
  readonly to: number
}

/** Stores the parts of the value in the first slot into the variables of a pattern. */
export interface Match {
  readonly slot: number
  readonly steps: ReadonlyArray<MatchStep>
  /** Slots of all variables of the alternatives. */
  readonly variables: ReadonlyArray<number>
}

/** Takes a value apart, then continues; expressions as keys may have several results. */
const runMatch = (machine: Machine, { slot, steps }: Match, value: Value, frame: Frame): void => {
  frame.slots[slot] = value
  matchFrom(machine, steps, 0, frame)
}

const matchFrom = (machine: Machine, steps: ReadonlyArray<MatchStep>, first: number, frame: Frame): void => {
  for (let at = first; at < steps.length; at++) {
    const step = steps[at]
    if (step === undefined) break
    const value = frame.slots[step.from] ?? null
    const quick = machine.quick(step.key, value, frame)
    if (quick === undefined) {
      machine.frame = frame
      machine.value = value
      return withResult(machine, step.key, (_, key) => {
        frame.slots[step.to] = matchKey(value, key)
        matchFrom(machine, steps, at + 1, frame)
      })
    }
    frame.slots[step.to] = matchKey(value, quick)
  }
  machine.frame = frame
  machine.emitNew(null)
}

const matchKey = (value: Value, key: Value): Value =>
  typeof key === "number" || typeof key === "string"
    ? getKey(value, key)
    : fail(`Cannot index ${typeName(value)} with ${typeName(key)}`)

export const pipe = (left: Node, right: Node): Node => {
  if (left === identity) return right
  if (right === identity) return left
  const first = left.simple
  const second = right.simple
  return makeNode((machine) => {
    machine.continuation = new PipeThen(machine, right)
    machine.node = left
  }, first === undefined || second === undefined ? undefined : (value, frame) => second(first(value, frame), frame))
}

/** Continues with a node on the result. */
class PipeThen extends Continuation {
  readonly #node: Node

  constructor(machine: Machine, node: Node) {
    super(machine)
    this.#node = node
  }

  resume(machine: Machine): void {
    machine.frame = this.frame
    machine.node = this.#node
  }

  override trace(tracer: Tracer): void {
    super.trace(tracer)
    this.#node.kept?.(tracer)
  }
}

/** Evaluates a key on the input, then the value, and takes the part. */
export const keyed = (key: Node, of: Node, isOptional: boolean): Node => {
  const firstKey = key.simple
  const firstOf = of.simple
  const take = (machine: Machine, part: Value): void => {
    const node = makeNode((inner) => emitKey(inner, inner.value, inner.path, part))
    const last = isOptional ? optional(node) : node
    last.kept = (tracer) => tracer.value(part)
    machine.continuation = new PipeThen(machine, last)
    machine.node = of
  }
  return makeNode(
    (machine) =>
      withResult(machine, key, (_, part, before) => {
        before.restore(machine)
        take(machine, part)
      }),
    firstKey === undefined || firstOf === undefined || isOptional
      ? undefined
      : (value, frame) => getKey(firstOf(value, frame), firstKey(value, frame)),
  )
}

/** A node without its own errors: only those of this step are dropped. */
export const optional = (node: Node): Node =>
  makeNode((machine) => {
    try {
      node.run(machine)
    } catch (cause) {
      if (!(cause instanceof JqError)) throw cause
      machine.back()
    }
  })

export const each: Node = makeNode((machine) => {
  const { path, value } = machine
  if (path === noPath) fail(`Invalid path expression near attempt to iterate through ${shorten(value)}`)
  const keys = value instanceof JqObject ? [...value.entries.keys()] : undefined
  const length = value instanceof JqArray ? value.length : keys?.length
  if (length === undefined) return failIterate(value)
  if (length === 0) machine.back()
  else new EachChoice(machine, value, keys, length).resume(machine)
})

const failIterate = (value: Value): never =>
  fail(`Cannot iterate over ${typeName(value)}${value === null || orderOf(value) < 5 ? ` (${shorten(value)})` : ""}`)

export const eachOptional: Node = optional(each)

export const collect = (body: Node): Node => {
  const first = body.simple
  return makeNode(
    (machine) => {
      const all = new CollectChoice(machine)
      machine.choose(all)
      withResult(machine, body, (_, result) => {
        all.add(result, weigh(result))
        machine.back()
      })
    },
    first === undefined ? undefined : (value, frame) => new JqArray([first(value, frame)]),
  )
}

export const makeFormat = (name: string): Node =>
  applyAll(
    [],
    (value) => {
      if (isLarge(value) && !(typeof value === "string" && name === "text")) throw new TakesLong()
      return runCoroutineSync(formatText(name, value))
    },
    (machine, value) => machine.runSteps(formatText(name, value)),
  )

export const logic = (left: Node, right: Node, isOr: boolean): Node => {
  const first = left.simple
  const second = right.simple
  return makeNode(
    (machine) =>
      withResult(machine, left, (_, result, before) => {
        if (isTrue(result) === isOr) return machine.emitNew(isOr)
        before.restore(machine)
        withResult(machine, right, (_inner, other, inner) => {
          machine.path = inner.path
          machine.emitNew(isTrue(other))
        })
      }),
    first === undefined || second === undefined
      ? undefined
      : (value, frame) =>
        isOr
          ? isTrue(first(value, frame)) || isTrue(second(value, frame))
          : isTrue(first(value, frame)) && isTrue(second(value, frame)),
  )
}

export const branch = (condition: Node, then: Node, otherwise: Node): Node => {
  const test = condition.simple
  const first = then.simple
  const second = otherwise.simple
  return makeNode(
    (machine) => {
      const quick = machine.quick(condition, machine.value, machine.frame)
      if (quick !== undefined) {
        machine.node = isTrue(quick) ? then : otherwise
        return
      }
      withResult(machine, condition, (_, result, before) => {
        before.restore(machine)
        machine.node = isTrue(result) ? then : otherwise
      })
    },
    test === undefined || first === undefined || second === undefined
      ? undefined
      : (value, frame) => isTrue(test(value, frame)) ? first(value, frame) : second(value, frame),
  )
}

/** All true results of one expression, or those of another if there are none. */
export const alternative = (left: Node, right: Node): Node => {
  const first = left.simple
  const second = right.simple
  return makeNode(
    (machine) => {
      let isFound = false
      const otherwise = new NodeChoice(machine, right)
      machine.choose({
        resume: () => isFound ? machine.back() : otherwise.resume(machine),
        trace: (tracer) => otherwise.trace(tracer),
      })
      machine.continuation = new PipeThen(
        machine,
        makeNode((inner) => {
          if (!isTrue(inner.value)) return inner.back()
          isFound = true
          inner.emit(inner.value, inner.path)
        }),
      )
      machine.node = left
    },
    first === undefined || second === undefined ? undefined : (value, frame) => {
      const result = first(value, frame)
      return isTrue(result) ? result : second(value, frame)
    },
  )
}

/** Runs a node; its own errors, but not those of its continuation, go to the handler or are dropped. */
export const attempt = (body: Node, handler: Node | undefined): Node =>
  makeNode((machine) => {
    const { continuation, frame, path } = machine
    const choice: Choice = {
      resume: () => machine.back(),
      catches: (_, error) => {
        if (!(error instanceof JqError)) return false
        machine.frame = frame
        machine.continuation = continuation
        if (handler === undefined) machine.back()
        else {
          machine.value = error.value
          machine.path = path === undefined ? undefined : noPath
          machine.node = handler
        }
        return true
      },
      trace: (tracer) => {
        tracer.reach(continuation)
        tracer.reach(frame)
        tracePath(tracer, path)
      },
    }
    machine.choose(choice)
    machine.continuation = new TryThen(machine, choice)
    machine.node = body
  })

/** Marks that the continuation is outside of a `try`. */
class TryThen extends Continuation {
  readonly #choice: Choice

  constructor(machine: Machine, choice: Choice) {
    super(machine)
    this.#choice = choice
  }

  resume(machine: Machine): void {
    const choice = this.#choice
    // Without further results the `try` has ended, and leaves nothing behind.
    if (machine.choices.at(-1) === choice) machine.choices.pop()
    else {
      machine.choose({
        resume: () => machine.back(),
        catches: () => {
          machine.passed.add(choice)
          return false
        },
      })
    }
    machine.emit(machine.value, machine.path)
  }
}

export const label = (body: Node, slot: number): Node =>
  makeNode((machine) => {
    const id = machine.newLabel()
    machine.frame.slots[slot] = id
    machine.choose({
      resume: () => machine.back(),
      catches: (_, error) => {
        if (!(error instanceof BreakSignal && error.label === id)) return false
        machine.back()
        return true
      },
    })
    machine.node = body
  })

/** Binds each result of a source to the first pattern that matches without an error, and runs the body. */
export const bind = (source: Node, matches: ReadonlyArray<Match>, body: Node): Node => {
  const [match] = matches
  const first = source.simple
  const second = body.simple
  const binder = bindAll(matches)
  const run = (machine: Machine): void =>
    withResult(machine, source, (_, result, before) => {
      before.restore(machine)
      binder(machine, result, body)
    })
  if (first === undefined || second === undefined || match === undefined || match.steps.length > 0) return makeNode(run)
  return makeNode(run, (value, frame) => {
    frame.slots[match.slot] = first(value, frame)
    return second(value, frame)
  })
}

/** Stores the parts of a value, then runs a node on the current value. */
export type Binder = (machine: Machine, value: Value, body: Node) => void

export const bindAll = (matches: ReadonlyArray<Match>): Binder => {
  const attemptFrom = (machine: Machine, at: number, value: Value, body: Node): void => {
    const match = matches[at]
    if (match === undefined) return
    if (matches.length > 1) { for (const slot of match.variables) machine.frame.slots[slot] = null }
    if (at + 1 < matches.length) {
      const again = new NodeChoice(machine, makeNode((inner) => attemptFrom(inner, at + 1, value, body)))
      machine.choose({
        resume: () => machine.back(),
        catches: (_, error) => {
          if (!(error instanceof JqError)) return false
          again.resume(machine)
          return true
        },
        trace: (tracer) => {
          again.trace(tracer)
          tracer.value(value)
        },
      })
    }
    if (match.steps.length === 0) {
      machine.frame.slots[match.slot] = value
      machine.node = body
      return
    }
    machine.continuation = new Then(machine, (_, _result, before) => {
      before.restore(machine)
      machine.node = body
    })
    runMatch(machine, match, value, machine.frame)
  }
  return (machine, value, body) => attemptFrom(machine, 0, value, body)
}
