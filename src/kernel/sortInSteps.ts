/** Sorts a long list, stably, by merging runs, so that other processes run meanwhile. */
import type { Coroutine } from "./Coroutine.ts"

const runLength = 512
const comparisonsPerStep = 4_096

export function* sortInSteps<A>(items: ReadonlyArray<A>, order: (a: A, b: A) => number): Coroutine<Array<A>> {
  let runs: Array<Array<A>> = []
  for (let at = 0; at < items.length; at += runLength) {
    runs.push(items.slice(at, at + runLength).sort(order))
    yield
  }
  let steps = 0
  while (runs.length > 1) {
    const merged: Array<Array<A>> = []
    for (let at = 0; at < runs.length; at += 2) {
      const [left = [], right = []] = runs.slice(at, at + 2)
      const out: Array<A> = []
      for (let a = 0, b = 0; a < left.length || b < right.length;) {
        const [first, second] = [left[a], right[b]]
        const takesLeft = b >= right.length ||
          (a < left.length && first !== undefined && second !== undefined && order(first, second) <= 0)
        const taken = takesLeft ? first : second
        if (taken !== undefined) out.push(taken)
        if (takesLeft) a++
        else b++
        if (++steps % comparisonsPerStep === 0) yield
      }
      merged.push(out)
    }
    runs = merged
  }
  return runs[0] ?? []
}
