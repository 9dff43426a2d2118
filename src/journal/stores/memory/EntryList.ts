/**
 * Keeps entries in memory as objects, ordered by position and indexed by correlation id.
 *
 * @module
 */
import { type Entry, type Filter, type Head, matches, noHash, type Position } from "../../Entry.ts"
import { upperBound } from "../../upperBound.ts"
import type { Scan } from "../../JournalStore.ts"
import type { PruneOptions } from "../../PruneOptions.ts"

/** An entry and the approximate length of its body in UTF-16 units. */
export interface SizedEntry {
  readonly entry: Entry
  readonly length: number
}

/** Approximate memory of an entry without its body. */
const entryBytes = 300

/** The size of an entry without its body, as `keepBytes` of {@link PruneOptions} counts it. */
const countedBytes = 200

const bytesOf = (length: number): number => entryBytes + 2 * length

const firstAfter = (list: ReadonlyArray<SizedEntry>, after: Position): number =>
  upperBound(list.length, (index) => list[index]?.entry.position ?? Infinity, after)

/** Entries at consecutive positions. */
export class EntryList {
  #all: Array<SizedEntry> = []
  readonly #byCorrelation = new Map<string, Array<SizedEntry>>()
  #bytes = 0
  #last: Position = 0

  /** The number of entries. */
  get count(): number {
    return this.#all.length
  }

  /** Approximate memory of all entries. */
  get bytes(): number {
    return this.#bytes
  }

  /** The first position; 0 when there is no entry. */
  get first(): Position {
    return this.#all[0]?.entry.position ?? 0
  }

  /** The last position, also after its entry was removed. */
  get head(): Head {
    return { position: this.#last, hash: noHash }
  }

  /** Approximate memory of entries with bodies of these lengths. */
  static bytesOf(lengths: ReadonlyArray<number>): number {
    return lengths.reduce((sum, length) => sum + bytesOf(length), 0)
  }

  /** Adds the entry after the head. */
  push(sized: SizedEntry): void {
    this.#all.push(sized)
    this.#last = sized.entry.position
    this.#bytes += bytesOf(sized.length)
    const { correlationId } = sized.entry
    const list = this.#byCorrelation.get(correlationId)
    if (list === undefined) this.#byCorrelation.set(correlationId, [sized])
    else list.push(sized)
  }

  /** As `JournalStore.scan`, of entries. */
  scan({ after = 0, before = Infinity, filter, limit, maxBytes = Infinity, order }: Scan): Array<Entry> {
    const list = this.#candidates(filter)
    const found: Array<Entry> = []
    let length = 0
    const step = order === "backward" ? -1 : 1
    const start = step > 0 ? firstAfter(list, after) : firstAfter(list, before - 1) - 1
    for (let index = start; found.length < limit; index += step) {
      const sized = list[index]
      if (sized === undefined) break
      const { entry } = sized
      if (entry.position >= before || entry.position <= after) break
      if (filter !== undefined && !matches(filter, entry)) continue
      length += sized.length
      if (found.length > 0 && length > maxBytes) break
      found.push(entry)
    }
    return found
  }

  /** Removes the entries up to a position, inclusive. */
  removeThrough(position: Position): void {
    const count = firstAfter(this.#all, position)
    const ids = new Set<string>()
    for (const { entry, length } of this.#all.slice(0, count)) {
      this.#bytes -= bytesOf(length)
      ids.add(entry.correlationId)
    }
    this.#all = this.#all.slice(count)
    for (const id of ids) {
      const list = this.#byCorrelation.get(id) ?? []
      const rest = list.slice(firstAfter(list, position))
      if (rest.length === 0) this.#byCorrelation.delete(id)
      else this.#byCorrelation.set(id, rest)
    }
  }

  /** Removes the bodies of entries. */
  strip(positions: ReadonlySet<Position>): void {
    const all = this.#all
    this.#all = []
    this.#byCorrelation.clear()
    this.#bytes = 0
    for (const sized of all) {
      const { entry } = sized
      this.push(positions.has(entry.position) ? { entry: { ...entry, body: undefined }, length: 0 } : sized)
    }
  }

  /** The last position that a prune removes; before the first when none is. `before`: milliseconds since 1970. */
  findPruneLimit({ keepBytes, keepEntries, keepFrom, through }: PruneOptions, before: number | undefined): Position {
    let limit = through ?? 0
    if (keepEntries !== undefined) limit = Math.max(limit, this.#last - Math.max(1, keepEntries))
    if (before !== undefined) {
      const index = this.#all.findIndex(({ entry }) => entry.time >= before)
      limit = Math.max(limit, (this.#all[index]?.entry.position ?? this.#last + 1) - 1)
    }
    if (keepBytes !== undefined) {
      let left = keepBytes
      const index = this.#all.findLastIndex(({ length }) => (left -= length + countedBytes) < 0)
      limit = Math.max(limit, this.#all[index]?.entry.position ?? 0)
    }
    return Math.min(limit, this.#last - 1, (keepFrom ?? Infinity) - 1)
  }

  #candidates(filter: Filter | undefined): ReadonlyArray<SizedEntry> {
    return filter?.correlationId === undefined ? this.#all : this.#byCorrelation.get(filter.correlationId) ?? []
  }
}
