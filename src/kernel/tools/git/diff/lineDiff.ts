/**
 * Finds the changed lines of two texts with git's choice among equally short differences. The utility `diff` makes the
 * choice of GNU diff, which places changes differently. Source: Eugene Myers, "An O(ND) Difference Algorithm and Its
 * Variations", the linear form; the limits, the discarding of lines and the indent heuristic are those that git
 * documents for `diff.indentHeuristic`.
 */
import type { Change } from "../../../diff/diffLines.ts"
import { DiffSide } from "./DiffSide.ts"

const maxEqualLines = 1_024
const minCost = 256
const snakeLength = 20
const heuristicCost = 256
const heuristicFactor = 4
const scanWindow = 100
const runFactor = 4

/** A power of two near the square root. */
const roughRoot = (value: number): number => {
  let root = 1
  for (let left = value; left > 0; left = Math.floor(left / 4)) root *= 2
  return root
}

interface Split {
  readonly x: number
  readonly y: number
  readonly exactBefore: boolean
  readonly exactAfter: boolean
}

/** Lines as numbers: equal lines have equal numbers. */
const classify = (
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
  keyOf: (line: string) => string,
): readonly [Int32Array, Int32Array] => {
  const classes = new Map<string, number>()
  const number = (line: string): number => {
    const key = keyOf(line)
    let known = classes.get(key)
    if (known === undefined) classes.set(key, known = classes.size)
    return known
  }
  return [Int32Array.from(one, number), Int32Array.from(two, number)]
}

/** Whether a line that occurs too often is dropped, because it is among lines without any match. */
const isAmongUnmatched = (kinds: Uint8Array, at: number, from: number, to: number): boolean => {
  const scan = (step: number, end: number): readonly [none: number, many: number] => {
    let [none, many] = [0, 1]
    for (let each = at + step; step < 0 ? each >= end : each <= end; each += step) {
      if (kinds[each] === 0) none++
      else if (kinds[each] === 2) many++
      else break
    }
    return [none, many]
  }
  const [noneBefore, manyBefore] = scan(-1, Math.max(from, at - scanWindow))
  if (noneBefore === 0) return false
  const [noneAfter, manyAfter] = scan(1, Math.min(to, at + scanWindow))
  if (noneAfter === 0) return false
  const [none, many] = [noneBefore + noneAfter, manyBefore + manyAfter]
  return many * runFactor < many + none
}

class Differ {
  readonly #a: Int32Array
  readonly #b: Int32Array
  readonly #x: DiffSide
  readonly #y: DiffSide
  readonly #forward: Int32Array
  readonly #backward: Int32Array
  readonly #offset: number
  readonly #maxCost: number
  readonly #pause: () => Promise<void> | void

  constructor(x: DiffSide, y: DiffSide, pause: () => Promise<void> | void) {
    this.#x = x
    this.#y = y
    this.#a = x.kept
    this.#b = y.kept
    const diagonals = this.#a.length + this.#b.length + 3
    this.#forward = new Int32Array(diagonals + 1)
    this.#backward = new Int32Array(diagonals + 1)
    this.#offset = this.#b.length + 1
    this.#maxCost = Math.max(roughRoot(diagonals), minCost)
    this.#pause = pause
  }

  async run(): Promise<void> {
    const open: Array<readonly [number, number, number, number, boolean]> = [[
      0,
      this.#a.length,
      0,
      this.#b.length,
      false,
    ]]
    for (let steps = 0, next = open.pop(); next !== undefined; next = open.pop(), steps++) {
      let [x, xEnd, y, yEnd] = next
      while (x < xEnd && y < yEnd && this.#a[x] === this.#b[y]) [x, y] = [x + 1, y + 1]
      while (x < xEnd && y < yEnd && this.#a[xEnd - 1] === this.#b[yEnd - 1]) [xEnd, yEnd] = [xEnd - 1, yEnd - 1]
      if (x === xEnd) { for (; y < yEnd; y++) this.#y.markKept(y) }
      else if (y === yEnd) { for (; x < xEnd; x++) this.#x.markKept(x) }
      else {
        const split = await this.#split(x, xEnd, y, yEnd, next[4])
        open.push([split.x, xEnd, split.y, yEnd, split.exactAfter], [x, split.x, y, split.y, split.exactBefore])
      }
      if ((steps & 255) === 0) await this.#pause()
    }
  }

  /** The middle of a shortest path; beyond the limits, a point of a path that is long enough. */
  async #split(x0: number, x1: number, y0: number, y1: number, isExact: boolean): Promise<Split> {
    const [a, b, far, near, offset] = [this.#a, this.#b, this.#forward, this.#backward, this.#offset]
    const [min, max] = [x0 - y1, x1 - y0]
    const [fMid, bMid] = [x0 - y0, x1 - y1]
    const isOdd = ((fMid - bMid) & 1) !== 0
    let [fMin, fMax, bMin, bMax] = [fMid, fMid, bMid, bMid]
    far[fMid + offset] = x0
    near[bMid + offset] = x1
    const at = (list: Int32Array, diagonal: number): number => list[diagonal + offset] ?? 0
    for (let cost = 1;; cost++) {
      let hasSnake = false
      if (fMin > min) far[--fMin - 1 + offset] = -1
      else fMin++
      if (fMax < max) far[++fMax + 1 + offset] = -1
      else fMax--
      for (let d = fMax; d >= fMin; d -= 2) {
        let x = at(far, d - 1) >= at(far, d + 1) ? at(far, d - 1) + 1 : at(far, d + 1)
        const start = x
        while (x < x1 && x - d < y1 && a[x] === b[x - d]) x++
        if (x - start > snakeLength) hasSnake = true
        far[d + offset] = x
        if (isOdd && bMin <= d && d <= bMax && at(near, d) <= x) {
          return { x, y: x - d, exactBefore: true, exactAfter: true }
        }
      }
      if (bMin > min) near[--bMin - 1 + offset] = 0x7fffffff
      else bMin++
      if (bMax < max) near[++bMax + 1 + offset] = 0x7fffffff
      else bMax--
      for (let d = bMax; d >= bMin; d -= 2) {
        let x = at(near, d - 1) < at(near, d + 1) ? at(near, d - 1) : at(near, d + 1) - 1
        const start = x
        while (x > x0 && x - d > y0 && a[x - 1] === b[x - d - 1]) x--
        if (start - x > snakeLength) hasSnake = true
        near[d + offset] = x
        if (!isOdd && fMin <= d && d <= fMax && x <= at(far, d)) {
          return { x, y: x - d, exactBefore: true, exactAfter: true }
        }
      }
      if ((cost & 63) === 0) await this.#pause()
      if (isExact) continue
      if (hasSnake && cost > heuristicCost) {
        const found = this.#longSnake(x0, x1, y0, y1, [fMin, fMax, fMid], [bMin, bMax, bMid], cost)
        if (found !== undefined) return found
      }
      if (cost >= this.#maxCost) return this.#furthest(x0, x1, y0, y1, [fMin, fMax], [bMin, bMax])
    }
  }

  #longSnake(
    x0: number,
    x1: number,
    y0: number,
    y1: number,
    [fMin, fMax, fMid]: readonly [number, number, number],
    [bMin, bMax, bMid]: readonly [number, number, number],
    cost: number,
  ): Split | undefined {
    const [a, b] = [this.#a, this.#b]
    let best = 0
    let found: Split | undefined
    for (let d = fMax; d >= fMin; d -= 2) {
      const x = this.#forward[d + this.#offset] ?? 0
      const y = x - d
      const value = x - x0 + (y - y0) - Math.abs(d - fMid)
      if (value <= heuristicFactor * cost || value <= best) continue
      if (x0 + snakeLength > x || x >= x1 || y0 + snakeLength > y || y >= y1) continue
      let length = 0
      while (length < snakeLength && a[x - length - 1] === b[y - length - 1]) length++
      if (length < snakeLength) continue
      best = value
      found = { x, y, exactBefore: true, exactAfter: false }
    }
    if (found !== undefined) return found
    for (let d = bMax; d >= bMin; d -= 2) {
      const x = this.#backward[d + this.#offset] ?? 0
      const y = x - d
      const value = x1 - x + (y1 - y) - Math.abs(d - bMid)
      if (value <= heuristicFactor * cost || value <= best) continue
      if (x0 >= x || x > x1 - snakeLength || y0 >= y || y > y1 - snakeLength) continue
      let length = 0
      while (length < snakeLength && a[x + length] === b[y + length]) length++
      if (length < snakeLength) continue
      best = value
      found = { x, y, exactBefore: false, exactAfter: true }
    }
    return found
  }

  #furthest(
    x0: number,
    x1: number,
    y0: number,
    y1: number,
    [fMin, fMax]: readonly [number, number],
    [bMin, bMax]: readonly [number, number],
  ): Split {
    let [forward, forwardX] = [-1, -1]
    for (let d = fMax; d >= fMin; d -= 2) {
      let x = Math.min(this.#forward[d + this.#offset] ?? 0, x1)
      if (x - d > y1) x = y1 + d
      if (forward < 2 * x - d) [forward, forwardX] = [2 * x - d, x]
    }
    let [backward, backwardX] = [Infinity, 0]
    for (let d = bMax; d >= bMin; d -= 2) {
      let x = Math.max(x0, this.#backward[d + this.#offset] ?? 0)
      if (x - d < y0) x = y0 + d
      if (2 * x - d < backward) [backward, backwardX] = [2 * x - d, x]
    }
    return x1 + y1 - backward < forward - (x0 + y0)
      ? { x: forwardX, y: forward - forwardX, exactBefore: true, exactAfter: false }
      : { x: backwardX, y: backward - backwardX, exactBefore: false, exactAfter: true }
  }
}

/** Drops lines that the other side does not have, or has too often. */
const discard = (side: DiffSide, other: DiffSide): void => {
  const counts = new Map<number, number>()
  for (const line of other.ids) counts.set(line, (counts.get(line) ?? 0) + 1)
  const limit = Math.min(roughRoot(side.ids.length), maxEqualLines)
  const kinds = new Uint8Array(side.ids.length + 1)
  for (let at = side.from; at < side.to; at++) {
    const matches = counts.get(side.ids[at] ?? -1) ?? 0
    kinds[at] = matches === 0 ? 0 : matches >= limit ? 2 : 1
  }
  side.keepLines((at) => kinds[at] === 1 || (kinds[at] === 2 && !isAmongUnmatched(kinds, at, side.from, side.to - 1)))
}

/**
 * The changes between two lists of lines in order. `keyOf` returns the text to compare, such as a line without its
 * blanks.
 */
export const diffTexts = async (
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
  pause: () => Promise<void> | void,
  keyOf: (line: string) => string = (line) => line,
): Promise<ReadonlyArray<Change>> => {
  const [a, b] = classify(one, two, keyOf)
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let [aEnd, bEnd] = [a.length, b.length]
  while (aEnd > head && bEnd > head && a[aEnd - 1] === b[bEnd - 1]) [aEnd, bEnd] = [aEnd - 1, bEnd - 1]
  const x = new DiffSide(one, a, head, aEnd)
  const y = new DiffSide(two, b, head, bEnd)
  discard(x, y)
  discard(y, x)
  await new Differ(x, y, pause).run()
  x.compact(y)
  y.compact(x)
  const changes: Array<Change> = []
  for (let [i, j] = [0, 0]; i <= a.length || j <= b.length; i++, j++) {
    const [from, otherFrom] = [i, j]
    while (x.isChanged(i)) i++
    while (y.isChanged(j)) j++
    if (i > from || j > otherFrom) changes.push({ a: from, aEnd: i, b: otherFrom, bEnd: j })
  }
  return changes
}
