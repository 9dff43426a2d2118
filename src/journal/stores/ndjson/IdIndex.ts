/**
 * Keeps in which segments of a journal file each correlation id occurs, so that a scan for one id reads only those.
 *
 * It is made by scans for ids once they have read the same bytes many times, so a file that is read rarely has none. It
 * may name a segment too many, and never one too few.
 *
 * @module
 */
import type { Position } from "../../Entry.ts"
import type { Block } from "./BlockReader.ts"

/** Entries from one position to another, both included. */
export interface Segment {
  readonly first: Position
  readonly last: Position
}

/** Minimum size of a segment, in bytes. */
const segmentBytes = 64 * 1024

/** Maximum number of pairs of an id and a segment, some 40 bytes of memory each; entries after them are not covered. */
const maxPairs = 500_000

/** How often scans have read what is not covered before it is indexed. */
const readsBeforeIndexing = 8

// Neither can stand within a name: its quotes would be escaped there.
const idKey = `,"correlationId":"`
const idEnd = `","tag":"`

/** FNV-1a of a part of a text, as a small integer. */
const hashOf = (text: string, from: number, to: number): number => {
  let hash = 0x811c9dc5
  for (let index = from; index < to; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 2
}

/** An index of the first lines of a file, which grows line by line: it takes the lines of a walk. */
export class IdIndex {
  /** The first position of each segment. */
  readonly #firsts: Array<Position> = []
  readonly #segmentsById = new Map<number, number | Array<number>>()
  #pairs = 0
  #covered: Position = 0
  #coveredBytes = 0
  #lastSegmentBytes = Infinity
  /** Bytes that scans for ids have read beyond what is covered. */
  #readBytes = 0
  #isStopped = false

  /** The last position that is covered; 0 when none is. */
  get covered(): Position {
    return this.#covered
  }

  /** Whether the index takes no more lines. */
  get isDone(): boolean {
    return this.#isStopped
  }

  readonly isFull: boolean = false

  readonly missing: number = Infinity

  /** Covers no more than now. */
  stop(): void {
    this.#isStopped = true
  }

  /** Counts bytes that a scan for an id has read beyond what is covered. */
  addRead(bytes: number): void {
    this.#readBytes += bytes
  }

  /** Whether the index is to grow now; `bytes` is the size of all entries. Then only one of several scans is told so. */
  startGrowing(bytes: number): boolean {
    const uncovered = bytes - this.#coveredBytes
    const isDue = uncovered >= segmentBytes && this.#readBytes >= readsBeforeIndexing * uncovered
    if (!isDue || this.#isStopped) return false
    this.#readBytes = 0
    return true
  }

  /** Every line is taken. */
  mayMatch(): boolean {
    return true
  }

  /** Adds a line of a block. Those that are covered are passed over, and after a line that is no entry none is taken. */
  addLine({ text }: Block, at: number, end: number, position: Position): void {
    if (position <= this.#covered) return
    const from = text.indexOf(idKey, at) + idKey.length
    const to = text.indexOf(idEnd, from)
    if (from < idKey.length || to < 0 || to > end || this.#pairs >= maxPairs) return this.stop()
    if (this.#lastSegmentBytes >= segmentBytes) {
      this.#firsts.push(position)
      this.#lastSegmentBytes = 0
    }
    this.#addId(hashOf(text, from, to))
    const length = end - at + 1
    this.#lastSegmentBytes += length
    this.#coveredBytes += length
    this.#covered = position
  }

  /** The segments that may have an id, in order. The id is given as it stands in a line. */
  segmentsOf(id: string): Array<Segment> {
    const found = this.#segmentsById.get(hashOf(id, 0, id.length)) ?? []
    return (typeof found === "number" ? [found] : found).map((index) => ({
      first: this.#firsts[index] ?? 0,
      last: (this.#firsts[index + 1] ?? this.#covered + 1) - 1,
    }))
  }

  #addId(hash: number): void {
    const segment = this.#firsts.length - 1
    const known = this.#segmentsById.get(hash)
    if (known === undefined) this.#segmentsById.set(hash, segment)
    else if (typeof known === "number") {
      if (known === segment) return
      this.#segmentsById.set(hash, [known, segment])
    } else if (known.at(-1) === segment) return
    else known.push(segment)
    this.#pairs++
  }
}
