/** Implements the nodes that fold results into a state: `reduce`, `foreach` and the assignments. */
import { makeNode } from "./FunctionNode.ts"
import { JqArray, type Value } from "./values.ts"
import type { Machine, Node } from "./Machine.ts"
import type { Tracer } from "./Tracer.ts"
import { Then, withResult } from "./choices.ts"
import { shorten } from "./formatJson.ts"
import { fail } from "./JqError.ts"
import type { Binder } from "./nodes.ts"
import { deletePaths, getPath, setPath } from "./paths.ts"
import { noPath, type Path, pathKeys, rootPath } from "./tracedPaths.ts"

interface State {
  value: Value
  path: Path | undefined
}

/** Evaluates the first state on the input, then the source, and runs the update for each of its results. */
const fold = (
  machine: Machine,
  nodes: { readonly source: Node; readonly init: Node; readonly update: Node; readonly bind: Binder },
  begin: (state: State, before: Then) => void,
  updated: (state: State) => void,
): void => {
  machine.continuation = new Then(machine, (_, value, before, path) => {
    const state: State = { value, path }
    before.restore(machine)
    begin(state, before)
    withResult(machine, nodes.source, (_source, item) => {
      machine.value = state.value
      machine.path = state.path
      state.value = null
      machine.continuation = new Then(machine, (_update, result, _before, resultPath) => {
        state.value = result
        state.path = resultPath
        updated(state)
      }, (tracer) => tracer.value(state.value))
      nodes.bind(machine, item, nodes.update)
    }, (tracer) => tracer.value(state.value))
  })
  machine.node = nodes.init
}

export const reduceNode = (source: Node, bind: Binder, init: Node, update: Node): Node =>
  makeNode((machine) =>
    fold(
      machine,
      { source, bind, init, update },
      (state, before) =>
        machine.choose({
          resume: () => {
            machine.frame = before.frame
            machine.continuation = before.next
            machine.emit(state.value, state.path)
          },
          trace: (tracer) => {
            tracer.value(state.value)
            tracer.reach(before)
          },
        }),
      () => machine.back(),
    )
  )

export const foreachNode = (source: Node, bind: Binder, init: Node, update: Node, extract: Node | undefined): Node =>
  makeNode((machine) =>
    fold(machine, { source, bind, init, update }, () => {}, (state) => {
      machine.emit(state.value, state.path)
      if (extract !== undefined) machine.node = extract
    })
  )

/** The keys of a path, which must be one. */
export const checkPath = (path: Path | undefined, value: Value): JqArray =>
  path === undefined || path === noPath
    ? fail(`Invalid path expression with result ${shorten(value, 29)}`)
    : pathKeys(path)

/** Changes a value at each path of an expression, then continues with the result. */
const changePaths = (
  machine: Machine,
  paths: Node,
  change: (state: { root: Value; readonly gone: Array<Value> }, keys: JqArray, before: Then) => void,
  result: Value = null,
): void => {
  const { continuation, frame, path } = machine
  const state: { root: Value; readonly gone: Array<Value> } = { root: machine.value, gone: [] }
  const trace = (tracer: Tracer): void => {
    tracer.value(state.root)
    tracer.value(result)
    tracer.values(state.gone)
    tracer.reach(frame)
    tracer.reach(continuation)
  }
  machine.choose({
    resume: () => {
      machine.frame = frame
      machine.continuation = continuation
      machine.emit(deletePaths(state.root, new JqArray(state.gone)), path === undefined ? undefined : noPath)
    },
    trace,
  })
  machine.continuation = new Then(
    machine,
    (_, value, before, found) => change(state, checkPath(found, value), before),
    trace,
  )
  machine.path = rootPath
  machine.node = paths
}

/** `PATHS = VALUE`. */
export const assign = (paths: Node, value: Node): Node =>
  makeNode((machine) =>
    withResult(machine, value, (_, result, before) => {
      before.restore(machine)
      changePaths(machine, paths, (state, keys) => {
        state.root = setPath(state.root, keys, result)
        machine.back()
      }, result)
    })
  )

/** `PATHS |= CHANGE`: the first result is the new value; without one the path is deleted. */
export const update = (paths: Node, change: Node): Node =>
  makeNode((machine) =>
    changePaths(machine, paths, (state, keys, before) => {
      const value = getPath(state.root, keys)
      const quick = machine.quick(change, value, before.frame)
      if (quick !== undefined) {
        state.root = setPath(state.root, keys, quick)
        return machine.back()
      }
      const { length } = machine.choices
      machine.choose({
        resume: () => {
          state.gone.push(keys)
          machine.back()
        },
        trace: (tracer) => tracer.value(keys),
      })
      machine.continuation = new Then(machine, (_, result) => {
        machine.choices.length = length
        state.root = setPath(state.root, keys, result)
        machine.back()
      })
      machine.evaluate(change, value, before.frame)
    })
  )
