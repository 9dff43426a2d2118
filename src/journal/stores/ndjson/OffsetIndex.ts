/**
 * Keeps the byte offsets of a bounded number of entries of a journal file and those at which recent scans ended, from
 * which `findOffset` finds the offset of any other entry.
 *
 * @module
 */
import type { Position } from "../../Entry.ts"
import { upperBound } from "../../upperBound.ts"

/** An entry and the offset of its line. */
export interface EntryOffset {
  readonly position: Position
  readonly offset: number
}

/** Maximum number of entries; beyond it every second one is dropped, and the minimum distance doubles. */
const maxEntries = 4_096

/** Maximum number of offsets at which scans ended. */
const maxReadEnds = 64

/** Offsets in ascending order, at least a distance apart, and the offsets at which recent scans ended. */
export class OffsetIndex {
  #entries: Array<EntryOffset> = []
  #minDistance = 64 * 1024
  readonly #readEnds = new Map<Position, number>()

  /** The number of entries. */
  get size(): number {
    return this.#entries.length
  }

  /** Adds an entry, unless another one is near. */
  add(position: Position, offset: number): void {
    const at = this.#indexAfter(position)
    const before = this.#entries[at - 1]
    const after = this.#entries[at]
    if (before !== undefined && offset - before.offset < this.#minDistance) return
    if (after !== undefined && after.offset - offset < this.#minDistance) return
    this.#entries.splice(at, 0, { position, offset })
    if (this.#entries.length <= maxEntries) return
    this.#entries = this.#entries.filter((_, index) => index % 2 === 0)
    this.#minDistance *= 2
  }

  /** Adds the entry at which a scan ended: the next scan probably starts there. The oldest is dropped. */
  addReadEnd(position: Position, offset: number): void {
    this.#readEnds.delete(position)
    this.#readEnds.set(position, offset)
    if (this.#readEnds.size <= maxReadEnds) return
    const [oldest] = this.#readEnds.keys()
    if (oldest !== undefined) this.#readEnds.delete(oldest)
  }

  /** The offset of an entry, if it is in the index. */
  offsetOf(position: Position): number | undefined {
    const readEnd = this.#readEnds.get(position)
    if (readEnd !== undefined) return readEnd
    const entry = this.#entries[this.#indexAfter(position) - 1]
    return entry?.position === position ? entry.offset : undefined
  }

  /** The last entry at or before a position, and the first one after it. */
  neighbours(position: Position): { readonly low: EntryOffset | undefined; readonly high: EntryOffset | undefined } {
    const at = this.#indexAfter(position)
    return { low: this.#entries[at - 1], high: this.#entries[at] }
  }

  #indexAfter(position: Position): number {
    return upperBound(this.#entries.length, (index) => this.#entries[index]?.position ?? Infinity, position)
  }
}
