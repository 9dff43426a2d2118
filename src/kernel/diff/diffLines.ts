/**
 * Finds the changed ranges between two lists of lines, and moves and joins them as GNU diff does. The npm packages
 * (diff, fast-diff) are not used because they compute whole edit scripts synchronously; this implementation yields to
 * other processes, and stops after 2,000 differences. Source: Eugene Myers, "An O(ND) Difference Algorithm and Its
 * Variations".
 */

/** Lines `a` to `aEnd` of the first list were replaced by lines `b` to `bEnd` of the second; ends are exclusive. */
export interface Change {
  readonly a: number
  readonly aEnd: number
  readonly b: number
  readonly bEnd: number
}

/** Maximum number of differences; beyond it everything except the common start and end is one change. */
const maxDifferences = 2_000

/** Comparisons of lines between two pauses. */
const workPerPause = 65_536

/** The changes in order. `pause` lets other processes run. */
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
  const [removed, added] = [new ChangedLines(one, head, aEnd), new ChangedLines(two, head, bEnd)]
  for (const [x, y] of same) {
    removed.keep(x)
    added.keep(y)
  }
  removed.shift(added)
  added.shift(removed)
  return collectChanges(removed, added)
}

/** Flags of the changed lines of a list. */
class ChangedLines {
  readonly #lines: ReadonlyArray<string>
  /** A flag for each line; the first is for the line before the list. */
  readonly #flags: Uint8Array
  /** Lines outside are common to both lists; no change moves there. */
  readonly #from: number
  readonly #to: number

  constructor(lines: ReadonlyArray<string>, from: number, to: number) {
    this.#lines = lines
    this.#from = from
    this.#to = to
    this.#flags = new Uint8Array(lines.length + 2).fill(1, from + 1, to + 1)
  }

  get length(): number {
    return this.#lines.length
  }

  keep(line: number): void {
    this.#flags[line + 1] = 0
  }

  has(line: number): boolean {
    return this.#flags[line + 1] === 1
  }

  #move(from: number, to: number): void {
    this.#flags[from + 1] = 0
    this.#flags[to + 1] = 1
  }

  /** Moves runs of changes so that they join others, or as far down as possible. Source: GNU diffutils, `shift_boundaries`. */
  shift(other: ChangedLines): void {
    const lines = this.#lines
    const end = this.#to
    let [i, j] = [this.#from, other.#from]
    for (;;) {
      while (i < end && !this.has(i)) {
        while (other.has(j++)) continue
        i++
      }
      if (i === end) return
      let start = i
      while (this.has(++i)) continue
      while (other.has(j)) j++
      let corresponding = end
      let length: number
      do {
        length = i - start
        while (start > this.#from && lines[start - 1] === lines[i - 1]) {
          this.#move(--i, --start)
          while (this.has(start - 1)) start--
          while (other.has(--j)) continue
        }
        corresponding = other.has(j - 1) ? i : end
        while (i !== end && lines[start] === lines[i]) {
          this.#move(start++, i++)
          while (this.has(i)) i++
          while (other.has(++j)) corresponding = i
        }
      } while (length !== i - start)
      while (corresponding < i) {
        this.#move(--i, --start)
        while (other.has(--j)) continue
      }
    }
  }
}

const collectChanges = (removed: ChangedLines, added: ChangedLines): ReadonlyArray<Change> => {
  const changes: Array<Change> = []
  for (let [a, b] = [0, 0]; a < removed.length || b < added.length; a++, b++) {
    const [from, otherFrom] = [a, b]
    while (removed.has(a)) a++
    while (added.has(b)) b++
    if (a > from || b > otherFrom) changes.push({ a: from, aEnd: a, b: otherFrom, bEnd: b })
  }
  return changes
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
  let work = 0
  for (let d = 0; d <= limit; d++) {
    // `next[k + d + 2]` is the furthest index in the first list on diagonal k.
    const next = new Int32Array(2 * d + 5)
    for (let k = -d; k <= d; k += 2) {
      const below = far[k + d] ?? 0
      const above = far[k + d + 2] ?? 0
      let x = d === 0 ? 0 : k === -d || (k !== d && below < above) ? above : below + 1
      const start = x
      while (x < n && x - k < m && one[head + x] === two[head + x - k]) x++
      work += x - start
      next[k + d + 2] = x
      if (x >= n && x - k >= m) return traceBack(trace, d, head, n, m)
    }
    trace.push(next)
    far = next
    work += d
    if (work < workPerPause) continue
    work = 0
    await pause()
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
