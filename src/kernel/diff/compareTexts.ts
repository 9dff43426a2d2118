/** Compares two lists of lines: numbers them, leaves out their common ends, and collects the changes. */
import { DiffSide } from "./DiffSide.ts"

/** Lines `a` to `aEnd` of the first list were replaced by lines `b` to `bEnd` of the second; ends are exclusive. */
export interface Change {
  readonly a: number
  readonly aEnd: number
  readonly b: number
  readonly bEnd: number
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

/** Both texts without their common start and end. `keyOf` returns the text to compare, such as a line without its blanks. */
export const makeSides = (
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
  keyOf: (line: string) => string = (line) => line,
): readonly [DiffSide, DiffSide] => {
  const [a, b] = classify(one, two, keyOf)
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let [aEnd, bEnd] = [a.length, b.length]
  while (aEnd > head && bEnd > head && a[aEnd - 1] === b[bEnd - 1]) [aEnd, bEnd] = [aEnd - 1, bEnd - 1]
  return [new DiffSide(one, a, head, aEnd), new DiffSide(two, b, head, bEnd)]
}

/** Number of lines of the other text that equal a line. */
export const matchesIn = ({ ids }: DiffSide, other: DiffSide): (line: number) => number => {
  const counts = new Map<number, number>()
  for (const id of other.ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return (line) => counts.get(ids[line] ?? -1) ?? 0
}

export const collectChanges = (x: DiffSide, y: DiffSide): ReadonlyArray<Change> => {
  const changes: Array<Change> = []
  for (let [i, j] = [0, 0]; i <= x.ids.length || j <= y.ids.length; i++, j++) {
    const [from, otherFrom] = [i, j]
    while (x.isChanged(i)) i++
    while (y.isChanged(j)) j++
    if (i > from || j > otherFrom) changes.push({ a: from, aEnd: i, b: otherFrom, bEnd: j })
  }
  return changes
}
