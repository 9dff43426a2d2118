/** Continuations and choice points that nodes share. */
import { JqArray, type Value } from "./values.ts"
import { type Choice, Continuation, type Frame, type Machine, type Node } from "./Machine.ts"
import type { Tracer } from "./Tracer.ts"
import { shorten } from "./formatJson.ts"
import { checkWeight, effort } from "./limits.ts"
import { fail } from "./JqError.ts"
import { getKey } from "./paths.ts"
import { noPath, type Path, tracePath } from "./tracedPaths.ts"

/** A choice that evaluates a node. */
export class NodeChoice implements Choice {
  readonly #node: Node
  readonly #value: Value
  readonly #path: Path | undefined
  readonly #frame: Frame
  readonly #continuation: Continuation | undefined

  constructor(machine: Machine, node: Node) {
    this.#node = node
    this.#value = machine.value
    this.#path = machine.path
    this.#frame = machine.frame
    this.#continuation = machine.continuation
  }

  resume(machine: Machine): void {
    machine.node = this.#node
    machine.value = this.#value
    machine.path = this.#path
    machine.frame = this.#frame
    machine.continuation = this.#continuation
  }

  trace(tracer: Tracer): void {
    tracer.value(this.#value)
    tracer.reach(this.#frame)
    tracer.reach(this.#continuation)
    this.#node.kept?.(tracer)
    tracePath(tracer, this.#path)
  }
}

/** Continues with a result in the frame of the caller. */
export type Continue = (machine: Machine, result: Value, before: Then, path: Path | undefined) => void

/** Continues with a function in the frame, and with the previous value and path. */
export class Then extends Continuation {
  readonly value: Value
  readonly path: Path | undefined
  readonly #then: Continue
  readonly #kept: ((tracer: Tracer) => void) | undefined

  /** `kept` reaches the values that `then` has from elsewhere. */
  constructor(machine: Machine, then: Continue, kept?: (tracer: Tracer) => void) {
    super(machine)
    this.#kept = kept
    this.value = machine.value
    this.path = machine.path
    this.#then = then
  }

  resume(machine: Machine): void {
    const { path, value } = machine
    machine.frame = this.frame
    machine.path = this.path
    this.#then(machine, value, this, path)
  }

  override trace(tracer: Tracer): void {
    super.trace(tracer)
    tracer.value(this.value)
    tracePath(tracer, this.path)
    this.#kept?.(tracer)
  }

  /** Sets the value and path of before. */
  restore(machine: Machine): void {
    machine.value = this.value
    machine.path = this.path
  }
}

/** Evaluates a node outside of paths on the current value, then continues with its result. */
export const withResult = (
  machine: Machine,
  node: Node,
  then: Continue,
  kept?: (tracer: Tracer) => void,
): void => {
  machine.continuation = new Then(machine, then, kept)
  machine.evaluate(node, machine.value, machine.frame)
}

/** The key of a value, with its path. */
export const emitKey = (machine: Machine, value: Value, path: Path | undefined, key: Value): void => {
  if (path === noPath) {
    fail(`Invalid path expression near attempt to access element ${shorten(key)} of ${shorten(value)}`)
  }
  machine.emit(getKey(value, key), path === undefined ? undefined : { parent: path, key })
}

/** The results of `each`: one at a time. */
export class EachChoice implements Choice {
  readonly #value: Value
  readonly #keys: ReadonlyArray<string> | undefined
  readonly #path: Path | undefined
  readonly #frame: Frame
  readonly #continuation: Continuation | undefined
  readonly #length: number
  #at = 0

  constructor(machine: Machine, value: Value, keys: ReadonlyArray<string> | undefined, length: number) {
    this.#value = value
    this.#keys = keys
    this.#length = length
    this.#path = machine.path
    this.#frame = machine.frame
    this.#continuation = machine.continuation
  }

  resume(machine: Machine): void {
    const at = this.#at++
    const key = this.#keys === undefined ? at : this.#keys[at] ?? ""
    machine.frame = this.#frame
    machine.continuation = this.#continuation
    if (at + 1 < this.#length) machine.choose(this)
    const path = this.#path === undefined ? undefined : { parent: this.#path, key }
    machine.emit(getKey(this.#value, key), path)
  }

  trace(tracer: Tracer): void {
    tracer.value(this.#value)
    tracer.reach(this.#frame)
    tracer.reach(this.#continuation)
    tracer.bytes += (this.#keys?.length ?? 0) * 8
    tracePath(tracer, this.#path)
  }
}

/** Collects all results, then continues with them. */
export class CollectChoice implements Choice {
  readonly #items: Array<Value> = []
  #weight = 32
  readonly #path: Path | undefined
  readonly #frame: Frame
  readonly #continuation: Continuation | undefined

  constructor(machine: Machine) {
    this.#path = machine.path
    this.#frame = machine.frame
    this.#continuation = machine.continuation
  }

  add(value: Value, weight: number): void {
    this.#items.push(value)
    this.#weight += weight + 8
    effort.made += 8
    checkWeight(this.#weight)
  }

  trace(tracer: Tracer): void {
    tracer.values(this.#items)
    tracer.reach(this.#frame)
    tracer.reach(this.#continuation)
    tracePath(tracer, this.#path)
  }

  resume(machine: Machine): void {
    machine.frame = this.#frame
    machine.continuation = this.#continuation
    machine.emit(new JqArray(this.#items, this.#weight), this.#path === undefined ? undefined : noPath)
  }
}
