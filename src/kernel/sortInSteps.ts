/** Sorts long lists, stably, by merging sorted ones, so that other processes run meanwhile. */
import type { Coroutine } from "./Coroutine.ts"

const runLength = 512
const comparisonsPerStep = 4_096

/** Merges two sorted lists; of equal items those of the first come first. */
function* merge<A>(
  left: Array<A>,
  right: Array<A>,
  order: (a: A, b: A) => number,
): Coroutine<Array<A>> {
  const [last, first] = [left.at(-1), right[0]]
  // Lists that are in order already.
  if (last === undefined || first === undefined || order(last, first) <= 0) return left.concat(right)
  const out: Array<A> = []
  for (let a = 0, b = 0; a < left.length || b < right.length;) {
    const one = left[a]
    const two = right[b]
    const takesLeft = two === undefined || (one !== undefined && order(one, two) <= 0)
    const taken = takesLeft ? one : two
    if (taken !== undefined) out.push(taken)
    if (takesLeft) a++
    else b++
    if (out.length % comparisonsPerStep === 0) yield
  }
  return out
}

/** Merges sorted lists, of which equal items keep the order of the lists. */
export function* mergeInSteps<A>(
  lists: ReadonlyArray<Array<A>>,
  order: (a: A, b: A) => number,
): Coroutine<Array<A>> {
  let runs = lists
  while (runs.length > 1) {
    const merged: Array<Array<A>> = []
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? [], order))
      yield
    }
    runs = merged
  }
  return runs[0] ?? []
}

/** Sorts a list. */
export function* sortInSteps<A>(
  items: ReadonlyArray<A>,
  order: (a: A, b: A) => number,
): Coroutine<Array<A>> {
  const runs: Array<Array<A>> = []
  for (let at = 0; at < items.length; at += runLength) {
    runs.push(items.slice(at, at + runLength).sort(order))
    yield
  }
  return yield* mergeInSteps(runs, order)
}
