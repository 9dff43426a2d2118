/**
 * Implements the functions that need nodes of their own, because they have several results or paths, or do not evaluate
 * their arguments first.
 */
import { applyAll, empty, identity, makeNode } from "./FunctionNode.ts"
import { JqArray, type Value } from "./values.ts"
import type { Choice, Continuation, Frame, Machine, Node } from "./Machine.ts"
import type { Tracer } from "./Tracer.ts"
import { Then, withResult } from "./choices.ts"
import { checkPath } from "./folds.ts"
import { shorten } from "./formatJson.ts"
import { fail } from "./JqError.ts"
import { branch, collect, each, pipe } from "./nodes.ts"
import { getPath } from "./paths.ts"
import { noPath, rootPath } from "./tracedPaths.ts"
import { numberOf } from "./kinds.ts"

/** Numbers from one to before another, one at a time. */
class RangeChoice implements Choice {
  #at: number
  readonly #end: number
  readonly #frame: Frame
  readonly #continuation: Continuation | undefined
  readonly #isPath: boolean

  constructor(machine: Machine, start: number, end: number) {
    this.#at = start
    this.#end = end
    this.#frame = machine.frame
    this.#continuation = machine.continuation
    this.#isPath = machine.path !== undefined
  }

  resume(machine: Machine): void {
    const value = this.#at++
    if (!(value < this.#end)) return machine.back()
    machine.frame = this.#frame
    machine.continuation = this.#continuation
    if (this.#at < this.#end) machine.choose(this)
    machine.emit(value, this.#isPath ? noPath : undefined)
  }

  trace(tracer: Tracer): void {
    tracer.reach(this.#frame)
    tracer.reach(this.#continuation)
  }
}

const range = (args: ReadonlyArray<Node>): Node =>
  // The first argument changes slowest.
  applyAll([...args].reverse(), undefined, (machine, _, results) => {
    const [end = null, start = 0] = results
    const [first, last] = [numberOf(start), numberOf(end)]
    if (first === undefined || last === undefined) return fail("Range bounds must be numeric")
    new RangeChoice(machine, first, last).resume(machine)
  })

const path = (of: Node): Node =>
  makeNode((machine) => {
    machine.continuation = new Then(machine, (_, value, _before, found) => machine.emitNew(checkPath(found, value)))
    machine.path = rootPath
    machine.node = of
  })

const getpath = (keys: Node): Node =>
  makeNode(
    (machine) =>
      withResult(machine, keys, (_, found, before) => {
        const { path: outer, value } = before
        if (outer === noPath) fail(`Invalid path expression with result ${shorten(value, 29)}`)
        let inner = outer
        if (inner !== undefined && found instanceof JqArray) {
          for (const key of found.items) inner = { parent: inner, key }
        }
        machine.emit(getPath(value, found), inner)
      }),
    keys.simple === undefined ? undefined : makeGetter(keys.simple),
  )

/** The result of an expression at an index, with its path. */
const nth = (index: Node, of: Node): Node =>
  makeNode((machine) =>
    withResult(machine, index, (_, result, before) => {
      const at = numberOf(result) ?? fail("Invalid arguments")
      if (!(at >= 0)) fail("nth doesn't support negative indices")
      before.restore(machine)
      const { length } = machine.choices
      let left = at + 1
      machine.continuation = new Then(machine, (_inner, value, _before, found) => {
        if (--left > 0) return machine.back()
        machine.choices.length = length
        machine.emit(value, found)
      })
      machine.node = of
    })
  )

/** The first results of an expression, with their paths. */
const limit = (count: Node, of: Node): Node =>
  makeNode((machine) =>
    withResult(machine, count, (_, result, before) => {
      const maxResults = numberOf(result) ?? fail("Invalid arguments")
      before.restore(machine)
      if (maxResults === 0) return machine.back()
      if (maxResults > 0) {
        const { length } = machine.choices
        let left = maxResults
        machine.continuation = new Then(machine, (_inner, value, _before, found) => {
          if (--left <= 0) machine.choices.length = length
          machine.emit(value, found)
        })
      }
      machine.node = of
    })
  )

const makeGetter = (keys: (value: Value, frame: Frame) => Value) => (value: Value, frame: Frame): Value =>
  getPath(value, keys(value, frame))

const at = (args: ReadonlyArray<Node>, index: number): Node => args[index] ?? identity

export const specials: Readonly<Record<string, (args: ReadonlyArray<Node>) => Node>> = {
  "empty/0": () => empty,
  "path/1": (args) => path(at(args, 0)),
  "getpath/1": (args) => getpath(at(args, 0)),
  "limit/2": (args) => limit(at(args, 0), at(args, 1)),
  "nth/2": (args) => nth(at(args, 0), at(args, 1)),
  "range/1": range,
  "range/2": range,
  "select/1": (args) => branch(at(args, 0), identity, empty),
  "map/1": (args) => collect(pipe(each, at(args, 0))),
}
