/** Sorts, groups and picks values by keys, step by step. */
import { type Coroutine, stepsPerYield } from "../../Coroutine.ts"
import { JqArray, type Value, weigh } from "./values.ts"
import { compare, equals } from "./compare.ts"
import { failType, failTypes } from "./operators.ts"

/** The order of keys: a stable merge sort that lets other processes run. */
function* sortedOrder(keys: ReadonlyArray<Value>): Coroutine<ReadonlyArray<number>> {
  let order: ReadonlyArray<number> = Array.from(keys, (_, at) => at)
  const chunk = 512
  let steps = 0
  const less = (a: number, b: number): number => compare(keys[a] ?? null, keys[b] ?? null) || a - b
  const runs: Array<ReadonlyArray<number>> = []
  for (let at = 0; at < order.length; at += chunk) {
    runs.push(order.slice(at, at + chunk).sort(less))
    yield
  }
  let sorted = runs
  while (sorted.length > 1) {
    const merged: Array<ReadonlyArray<number>> = []
    for (let at = 0; at < sorted.length; at += 2) {
      const left = sorted[at] ?? []
      const right = sorted[at + 1] ?? []
      const out: Array<number> = []
      for (let a = 0, b = 0; a < left.length || b < right.length;) {
        const first = left[a]
        const second = right[b]
        const takesLeft = second === undefined || first !== undefined && less(first, second) <= 0
        out.push((takesLeft ? first : second) ?? 0)
        if (takesLeft) a++
        else b++
        // Keys of long texts or arrays take longer to compare.
        steps += 4 + Math.min(weigh(keys[first ?? 0] ?? null), weigh(keys[second ?? 0] ?? null)) / 16
        if (steps < stepsPerYield) continue
        steps = 0
        yield
      }
      merged.push(out)
    }
    sorted = merged
  }
  order = sorted[0] ?? []
  return order
}

const bothArrays = (value: Value, keys: Value): readonly [items: ReadonlyArray<Value>, keys: ReadonlyArray<Value>] =>
  value instanceof JqArray && keys instanceof JqArray && value.length === keys.length
    ? [value.items, keys.items]
    : failTypes(value, keys, "cannot be sorted, as they are not both arrays")

export function* sort(value: Value): Coroutine<Value> {
  return value instanceof JqArray
    ? yield* sortBy(value, value)
    : failType(value, "cannot be sorted, as it is not an array")
}

export function* sortBy(value: Value, by: Value): Coroutine<Value> {
  const [items, keys] = bothArrays(value, by)
  const order = yield* sortedOrder(keys)
  return new JqArray(order.map((at) => items[at] ?? null))
}

export function* groupBy(value: Value, by: Value): Coroutine<Value> {
  const [items, keys] = bothArrays(value, by)
  const groups: Array<Array<Value>> = []
  let last: Value | undefined
  for (const at of yield* sortedOrder(keys)) {
    const key = keys[at] ?? null
    if (last === undefined || !equals(last, key)) groups.push([])
    last = key
    groups.at(-1)?.push(items[at] ?? null)
  }
  return new JqArray(groups.map((group) => new JqArray(group)))
}

/** The least or the greatest item by its key; of equal items, the first least or the last greatest. */
export const extreme = (value: Value, by: Value, isLeast: boolean): Value => {
  if (!(value instanceof JqArray && by instanceof JqArray)) return failTypes(value, by, "cannot be iterated over")
  if (value.length !== by.length) return failTypes(value, by, "have wrong length")
  let best = 0
  for (let at = 1; at < value.length; at++) {
    if (compare(by.items[at] ?? null, by.items[best] ?? null) < 0 === isLeast) best = at
  }
  return value.items[best] ?? null
}
