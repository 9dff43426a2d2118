/**
 * Finds the changed ranges between two lists of lines, and moves and joins them as GNU diff does. Ours because the npm packages
 * (diff, fast-diff) compute whole edit scripts synchronously; this one yields to other processes, and stops after 2,000
 * differences. Source: Eugene Myers, "An O(ND) Difference Algorithm and Its Variations".
 */
/** Lines `a` to `aEnd` of the first list were replaced by lines `b` to `bEnd` of the second; ends are exclusive. */
export interface Change {
  readonly a: number
  readonly aEnd: number
  readonly b: number
  readonly bEnd: number
}

/** Maximum number of differences; beyond it everything but the common start and end is one change. */
const maxDifferences = 2_000

/** The changes in order, each as late in the lists as possible. `pause` lets other processes run. */
export const diffLines = async (
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
  pause: () => Promise<void> | void,
): Promise<ReadonlyArray<Change>> => {
  let head = 0
  while (head < one.length && head < two.length && one[head] === two[head]) head++
  let [aEnd, bEnd] = [one.length, two.length]
  while (aEnd > head && bEnd > head && one[aEnd - 1] === two[bEnd - 1]) {
    aEnd--
    bEnd--
  }
  const size = [aEnd - head, bEnd - head] as const
  const same = await matchLines(one, two, head, size, pause)
  const changes: Array<Change> = []
  let [a, b] = [head, head]
  for (const [x, y] of [...same, [aEnd, bEnd] as const]) {
    if (x > a || y > b) changes.push(slideDown({ a, aEnd: x, b, bEnd: y }, one, two))
    ;[a, b] = [x + 1, y + 1]
  }
  return joinAdjacent(changes)
}

/** Pairs of indexes of the unchanged lines; none if there are too many differences. */
const matchLines = async (
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
  head: number,
  [n, m]: readonly [number, number],
  pause: () => Promise<void> | void,
): Promise<Array<readonly [number, number]>> => {
  const limit = Math.min(n + m, maxDifferences)
  const trace: Array<Int32Array> = []
  let far = new Int32Array(3)
  for (let d = 0; d <= limit; d++) {
    // `next[k + d + 2]` is the furthest index in the first list on diagonal k.
    const next = new Int32Array(2 * d + 5)
    for (let k = -d; k <= d; k += 2) {
      const below = far[k + d] ?? 0
      const above = far[k + d + 2] ?? 0
      let x = d === 0 ? 0 : k === -d || (k !== d && below < above) ? above : below + 1
      while (x < n && x - k < m && one[head + x] === two[head + x - k]) x++
      next[k + d + 2] = x
      if (x >= n && x - k >= m) return traceBack(trace, d, head, n, m)
    }
    trace.push(next)
    far = next
    if ((d & 63) === 0) await pause()
  }
  return []
}

/** Follows the recorded diagonals back to the start. */
const traceBack = (
  trace: ReadonlyArray<Int32Array>,
  last: number,
  head: number,
  n: number,
  m: number,
): Array<readonly [number, number]> => {
  const pairs: Array<readonly [number, number]> = []
  let [x, y] = [n, m]
  for (let d = last; d > 0; d--) {
    const far = trace[d - 1]
    const k = x - y
    const below = far?.[k + d] ?? 0
    const above = far?.[k + d + 2] ?? 0
    const down = k === -d || (k !== d && below < above)
    const [px, pk] = down ? [above, k + 1] : [below, k - 1]
    const startX = down ? px : px + 1
    while (x > startX) {
      x--
      y--
      pairs.push([head + x, head + y])
    }
    ;[x, y] = [px, px - pk]
  }
  while (x > 0 && y > 0) {
    x--
    y--
    pairs.push([head + x, head + y])
  }
  return pairs.reverse()
}

/** Moves an insertion or a deletion down past equal lines, as GNU diff does. */
const slideDown = (change: Change, one: ReadonlyArray<string>, two: ReadonlyArray<string>): Change => {
  let { a, aEnd, b, bEnd } = change
  const list = a === aEnd ? two : b === bEnd ? one : undefined
  if (list === undefined) return change
  const [other, at] = list === two ? [one, () => aEnd] as const : [two, () => bEnd] as const
  const [from, to] = list === two ? [() => b, () => bEnd] as const : [() => a, () => aEnd] as const
  while (to() < list.length && at() < other.length && list[from()] === list[to()] && other[at()] === list[to()]) {
    a++
    aEnd++
    b++
    bEnd++
  }
  return { a, aEnd, b, bEnd }
}

const joinAdjacent = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const out: Array<Change> = []
  for (const change of changes) {
    const before = out[out.length - 1]
    if (before !== undefined && (before.aEnd >= change.a || before.bEnd >= change.b)) {
      out[out.length - 1] = { a: before.a, aEnd: change.aEnd, b: before.b, bEnd: change.bEnd }
    } else out.push(change)
  }
  return out
}
