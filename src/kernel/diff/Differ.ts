/**
 * Finds a shortest list of changes between two texts, or a short one where that takes long. Ours because the npm packages (diff,
 * fast-diff) compute whole edit scripts synchronously; this one yields to other processes. Source: Eugene Myers, "An O(ND)
 * Difference Algorithm and Its Variations", the linear form, with the limits that GNU diff and git have.
 */
import type { DiffSide } from "./DiffSide.ts"

/** Diagonals that are extended between two pauses. */
const workPerPause = 32_768
const snakeLength = 20
const heuristicCost = 256
const heuristicFactor = 4

export interface DifferSettings {
  /** Differences from which on a short list is enough, at the least. */
  readonly minCost: number
  /** Whether a long run of equal lines may end the search earlier. */
  readonly endsAtSnakes: boolean
}

/** A power of two near the square root. */
export const roughRoot = (value: number): number => {
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

export class Differ {
  readonly #a: Int32Array
  readonly #b: Int32Array
  readonly #x: DiffSide
  readonly #y: DiffSide
  readonly #forward: Int32Array
  readonly #backward: Int32Array
  readonly #offset: number
  readonly #maxCost: number
  readonly #settings: DifferSettings
  #work = 0
  readonly #pause: () => Promise<void> | void

  constructor(x: DiffSide, y: DiffSide, settings: DifferSettings, pause: () => Promise<void> | void) {
    this.#x = x
    this.#y = y
    this.#a = x.kept
    this.#b = y.kept
    const diagonals = this.#a.length + this.#b.length + 3
    this.#forward = new Int32Array(diagonals + 1)
    this.#backward = new Int32Array(diagonals + 1)
    this.#offset = this.#b.length + 1
    this.#maxCost = Math.max(roughRoot(diagonals), settings.minCost)
    this.#settings = settings
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
      this.#work += fMax - fMin + bMax - bMin
      if (this.#work > workPerPause) {
        this.#work = 0
        await this.#pause()
      }
      if (isExact) continue
      if (hasSnake && this.#settings.endsAtSnakes && cost > heuristicCost) {
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
