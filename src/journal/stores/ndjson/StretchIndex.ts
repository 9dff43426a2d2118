/**
 * Which stretches of the file need not be read when entries of some command, branch or tag are asked for.
 *
 * A stretch is some whole lines that follow each other. What is in it was learned when they were written or read; what
 * was never learned is read. Stretches are at least 32 KiB long once their neighbours are known; when there are more
 * than 4,096, neighbours become one and the least length doubles. So the index takes at most 4 MiB: 576 bytes for each
 * stretch that names many commands, and 310 to 420 around them.
 *
 * @module
 */
import type { Filter } from "../../Entry.ts"
import { Kinds } from "./Kinds.ts"
import type { Sketch } from "./Sketch.ts"
import { type Wanted, wantedBy } from "./Wanted.ts"

/** Some whole lines, and what is in them. */
export interface Stretch extends Span {
  /** The bits of their branches and tags. */
  readonly kinds: number
  /** The hashes of their correlation ids. */
  readonly ids: Sketch
}

/** A part of the file, from one offset up to another. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** How fine the index is. */
export interface StretchIndexOptions {
  /** The least length, in bytes, of a stretch that is not joined with the next. Default: 32 KiB. */
  readonly leastBytes?: number
  /** Most stretches. Default: 4,096. */
  readonly most?: number
}

class Known implements Stretch {
  from: number
  to: number
  kinds: number
  readonly ids: Sketch

  constructor({ from, ids, kinds, to }: Stretch) {
    this.from = from
    this.to = to
    this.kinds = kinds
    this.ids = ids
  }

  get length(): number {
    return this.to - this.from
  }

  /** Takes over what is in a neighbour. */
  join({ from, ids, kinds, to }: Stretch): void {
    this.from = Math.min(this.from, from)
    this.to = Math.max(this.to, to)
    this.kinds |= kinds
    this.ids.merge(ids)
  }
}

/** Stretches in order, none over another. */
export class StretchIndex {
  readonly kinds: Kinds = new Kinds()
  readonly #first: number
  readonly #most: number
  #least: number
  #epoch = 0
  #stretches: Array<Known> = []

  constructor({ leastBytes = 32 * 1024, most = 4_096 }: StretchIndexOptions = {}) {
    this.#first = leastBytes
    this.#least = leastBytes
    this.#most = most
  }

  /** How many stretches there are. */
  get size(): number {
    return this.#stretches.length
  }

  /** How often everything was forgotten. */
  get epoch(): number {
    return this.#epoch
  }

  /** The length from which on a stretch is not joined with the next. */
  get leastBytes(): number {
    return this.#least
  }

  /** The stretches, in order. */
  get stretches(): ReadonlyArray<Stretch> {
    return this.#stretches
  }

  /** What a filter asks of stretches; `undefined` when any will do. */
  wanted(filter: Filter | undefined): Wanted | undefined {
    return wantedBy(filter, this.kinds)
  }

  /** Forgets everything: the file may not be what it was. */
  clear(): void {
    this.#epoch++
    this.#stretches = []
    this.#least = this.#first
  }

  /** Remembers what is in some lines; not when something is known of a part of them already. */
  add(stretch: Stretch): void {
    const { from, to } = stretch
    const at = this.#firstBeyond(from)
    const left = this.#stretches[at - 1]
    const right = this.#stretches[at]
    if (from >= to || (left !== undefined && left.to > from) || (right !== undefined && right.from < to)) return
    if (left !== undefined && this.#fits(left, stretch)) {
      left.join(stretch)
      if (right !== undefined && this.#fits(left, right)) {
        left.join(right)
        this.#stretches.splice(at, 1)
      }
    } else if (right !== undefined && this.#fits(stretch, right)) {
      right.join(stretch)
    } else {
      this.#stretches.splice(at, 0, new Known(stretch))
      if (this.size > this.#most) this.#coarsen()
    }
  }

  /** What is around a line that begins at an offset: a stretch that holds it, or the gap in which nothing is known. */
  around(offset: number): Span & { readonly known: boolean } {
    const at = this.#firstBeyond(offset)
    const left = this.#stretches[at - 1]
    if (left !== undefined && offset < left.to) return { from: left.from, to: left.to, known: true }
    return { from: left?.to ?? 0, to: this.#stretches[at]?.from ?? Infinity, known: false }
  }

  /** The next part, from an offset on, that may hold what is wanted; with no more than `most` bytes. */
  ahead(offset: number, end: number, most: number, wanted: Wanted): Span {
    let from = offset
    let at = Math.max(0, this.#firstBeyond(offset) - 1)
    let stretch = this.#stretches[at]
    while (stretch !== undefined && stretch.from <= from) {
      if (from < stretch.to) {
        if (wanted.mayBeIn(stretch.kinds, stretch.ids)) break
        from = stretch.to
      }
      stretch = this.#stretches[++at]
    }
    from = Math.min(from, end)
    let to = Math.min(end, from + most)
    for (; stretch !== undefined && stretch.from < to; stretch = this.#stretches[++at]) {
      if (stretch.from > from && !wanted.mayBeIn(stretch.kinds, stretch.ids)) to = stretch.from
    }
    return { from, to }
  }

  /** The part before an offset that may hold what is wanted. A line begins at its start when `whole`. */
  behind(offset: number, base: number, most: number, wanted: Wanted): Span & { readonly whole: boolean } {
    let to = offset
    // The last that begins before the offset.
    let at = this.#firstBeyond(offset - 1) - 1
    let stretch = this.#stretches[at]
    while (stretch !== undefined && stretch.to >= to) {
      if (wanted.mayBeIn(stretch.kinds, stretch.ids)) break
      to = stretch.from
      stretch = this.#stretches[--at]
    }
    to = Math.max(to, base)
    let from = Math.max(base, to - most)
    let whole = from === base
    for (; stretch !== undefined && stretch.to > from; stretch = this.#stretches[--at]) {
      if (stretch.to >= to || wanted.mayBeIn(stretch.kinds, stretch.ids)) continue
      from = stretch.to
      whole = true
    }
    return { from, to, whole }
  }

  /** Whether two become one: neighbours of which one is short, and that are not long together. */
  #fits(one: Span, next: Span): boolean {
    const shorter = Math.min(one.to - one.from, next.to - next.from)
    return one.to === next.from && shorter < this.#least && next.to - one.from < 2 * this.#least
  }

  /** Makes them fewer: neighbours become one, and those that stand alone and are short go. */
  #coarsen(): void {
    while (this.size > this.#most) {
      this.#least *= 2
      const fewer: Array<Known> = []
      for (const stretch of this.#stretches) {
        const last = fewer.at(-1)
        if (last !== undefined && last.to === stretch.from && last.length < this.#least) last.join(stretch)
        else fewer.push(stretch)
      }
      this.#stretches = fewer.length > this.#most ? fewer.filter(({ length }) => length >= this.#least) : fewer
    }
  }

  /** The first stretch that begins beyond an offset. */
  #firstBeyond(offset: number): number {
    let low = 0
    let high = this.#stretches.length
    // Most often it is the end.
    if ((this.#stretches[high - 1]?.from ?? -1) <= offset) return high
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#stretches[middle]?.from ?? Infinity) > offset) high = middle
      else low = middle + 1
    }
    return low
  }
}
