/**
 * Entries as objects in the memory of this process, by position and by correlation id.
 *
 * @module
 */
import { type Entry, type Filter, type Head, matches, noHash, type Position } from "../../Entry.ts"
import { upperBound } from "../../upperBound.ts"
import type { Scan } from "../../JournalStore.ts"
import type { PruneOptions } from "../../PruneOptions.ts"

/** An entry, and how long its body is, about, in UTF-16 units. */
export interface SizedEntry {
  readonly entry: Entry
  readonly length: number
}

/** What an entry takes beside its body, about. */
const entryBytes = 300

/** What {@link PruneOptions} say of it. */
const prunedBytes = 200

const bytesOf = (length: number): number => entryBytes + 2 * length

const firstAfter = (list: ReadonlyArray<SizedEntry>, after: Position): number =>
  upperBound(list.length, (index) => list[index]?.entry.position ?? Infinity, after)

/** Entries in order, without a gap. */
export class EntryList {
  #all: Array<SizedEntry> = []
  readonly #byCorrelation = new Map<string, Array<SizedEntry>>()
  #bytes = 0
  #last: Position = 0

  get count(): number {
    return this.#all.length
  }

  /** What they take, about. */
  get bytes(): number {
    return this.#bytes
  }

  /** The first position that is there; 0 when there is none. */
  get first(): Position {
    return this.#all[0]?.entry.position ?? 0
  }

  get head(): Head {
    return { position: this.#last, hash: noHash }
  }

  /** What so many entries with bodies that long would take. */
  static bytesOf(lengths: ReadonlyArray<number>): number {
    return lengths.reduce((sum, length) => sum + bytesOf(length), 0)
  }

  /** Adds what follows the head. */
  push(weighed: SizedEntry): void {
    this.#all.push(weighed)
    this.#last = weighed.entry.position
    this.#bytes += bytesOf(weighed.length)
    const { correlationId } = weighed.entry
    const list = this.#byCorrelation.get(correlationId)
    if (list === undefined) this.#byCorrelation.set(correlationId, [weighed])
    else list.push(weighed)
  }

  /** As `JournalStore.scan`, of entries. */
  scan({ after = 0, before = Infinity, filter, limit, maxBytes = Infinity, order }: Scan): Array<Entry> {
    const list = this.#listFor(filter)
    const found: Array<Entry> = []
    let length = 0
    const step = order === "backward" ? -1 : 1
    const start = step > 0 ? firstAfter(list, after) : firstAfter(list, before - 1) - 1
    for (let index = start; found.length < limit; index += step) {
      const weighed = list[index]
      if (weighed === undefined) break
      const { entry } = weighed
      if (entry.position >= before || entry.position <= after) break
      if (filter !== undefined && !matches(filter, entry)) continue
      length += weighed.length
      if (found.length > 0 && length > maxBytes) break
      found.push(entry)
    }
    return found
  }

  /** Removes what is up to and with a position. */
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

  /** Takes the bodies of entries out. */
  strip(positions: ReadonlySet<Position>): void {
    const all = this.#all
    this.#all = []
    this.#byCorrelation.clear()
    this.#bytes = 0
    for (const weighed of all) {
      const { entry } = weighed
      this.push(positions.has(entry.position) ? { entry: { ...entry, body: undefined }, length: 0 } : weighed)
    }
  }

  /** The last position that goes when it is pruned so; before the first when none does. `before`: in milliseconds. */
  cut({ keepBytes, keepEntries, keepFrom, through }: PruneOptions, before: number | undefined): Position {
    let cut = through ?? 0
    if (keepEntries !== undefined) cut = Math.max(cut, this.#last - Math.max(1, keepEntries))
    if (before !== undefined) {
      const index = this.#all.findIndex(({ entry }) => entry.time >= before)
      cut = Math.max(cut, (this.#all[index]?.entry.position ?? this.#last + 1) - 1)
    }
    if (keepBytes !== undefined) {
      let left = keepBytes
      const index = this.#all.findLastIndex(({ length }) => (left -= length + prunedBytes) < 0)
      cut = Math.max(cut, this.#all[index]?.entry.position ?? 0)
    }
    return Math.min(cut, this.#last - 1, (keepFrom ?? Infinity) - 1)
  }

  #listFor(filter: Filter | undefined): ReadonlyArray<SizedEntry> {
    return filter?.correlationId === undefined ? this.#all : this.#byCorrelation.get(filter.correlationId) ?? []
  }
}
