/**
 * Where some of the entries stand in the file: enough to find the others soon, and never many.
 *
 * @module
 */
import type { Position } from "../../Entry.ts"

/** An entry and the offset of its line. */
export interface EntryOffset {
  readonly position: Position
  readonly offset: number
}

/** Most marks; beyond that every second one goes, and the distance doubles. */
const maxMarks = 4_096

/** Most places where somebody stopped reading. */
const maxStops = 64

/** Marks in order, at least a distance apart, and the places where readers stopped last, exactly. */
export class OffsetIndex {
  #marks: Array<EntryOffset> = []
  #distance = 64 * 1024
  readonly #stops = new Map<Position, number>()

  /** How many marks there are. */
  get size(): number {
    return this.#marks.length
  }

  /** Remembers where an entry stands, unless another is near. */
  add(position: Position, offset: number): void {
    const at = this.#firstBeyond(position)
    const before = this.#marks[at - 1]
    const after = this.#marks[at]
    if (before !== undefined && offset - before.offset < this.#distance) return
    if (after !== undefined && after.offset - offset < this.#distance) return
    this.#marks.splice(at, 0, { position, offset })
    if (this.#marks.length <= maxMarks) return
    this.#marks = this.#marks.filter((_, index) => index % 2 === 0)
    this.#distance *= 2
  }

  /** Remembers where somebody stopped: there it goes on soon. */
  addReadEnd(position: Position, offset: number): void {
    this.#stops.delete(position)
    this.#stops.set(position, offset)
    if (this.#stops.size <= maxStops) return
    const [oldest] = this.#stops.keys()
    if (oldest !== undefined) this.#stops.delete(oldest)
  }

  /** The offset of an entry, if it is known exactly. */
  offsetOf(position: Position): number | undefined {
    const stop = this.#stops.get(position)
    if (stop !== undefined) return stop
    const mark = this.#marks[this.#firstBeyond(position) - 1]
    return mark?.position === position ? mark.offset : undefined
  }

  /** The last mark at or before a position, and the first beyond it. */
  neighbours(position: Position): { readonly low: EntryOffset | undefined; readonly high: EntryOffset | undefined } {
    const at = this.#firstBeyond(position)
    return { low: this.#marks[at - 1], high: this.#marks[at] }
  }

  #firstBeyond(position: Position): number {
    let low = 0
    let high = this.#marks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#marks[middle]?.position ?? Infinity) > position) high = middle
      else low = middle + 1
    }
    return low
  }
}
