/**
 * Learns what is in stretches of the file, line by line, while the lines are written or read for another reason.
 *
 * @module
 */
import type { Row } from "../../Entry.ts"
import type { Block } from "./BlockReader.ts"
import { nameHash } from "./nameHash.ts"
import { NameReader } from "./NameReader.ts"
import { Sketch } from "./Sketch.ts"
import type { Span, StretchIndex } from "./StretchIndex.ts"

const nothing: Span & { readonly known: boolean } = { from: 0, to: 0, known: false }

/** Follows one who writes or reads lines, in either direction. */
export class Learner {
  readonly #index: StretchIndex
  readonly #names: NameReader
  /** What is around the line that came last. */
  #around = nothing
  /** The lines that were learned and are not in the index yet. */
  #from = 0
  #to = 0
  #kinds = 0
  #ids: Sketch | undefined
  #epoch = 0
  /** The names of the last row. */
  #branch: string | undefined
  #id: string | undefined
  #tag: string | undefined
  #kind = 0
  #hash = 0

  constructor(index: StretchIndex) {
    this.#index = index
    this.#names = new NameReader(index.kinds)
  }

  /** Learns a line of a block, at an index of it, that stands in the file from one offset up to another. */
  line(block: Block, at: number, from: number, to: number): void {
    if (!this.#isNew(from, to)) return
    // It may be no entry: who reads it is told so, each time.
    if (this.#names.read(block, at, at + to - from)) this.#take(from, to, this.#names.hash, this.#names.kind)
    else this.done()
  }

  /** Learns a row that was written. */
  row({ branch, correlationId, tag }: Row, from: number, to: number): void {
    if (!this.#isNew(from, to)) return
    if (correlationId !== this.#id) {
      this.#id = correlationId
      this.#hash = nameHash(correlationId)
    }
    if (tag !== this.#tag || branch !== this.#branch) {
      this.#branch = branch
      this.#tag = tag
      this.#kind = this.#index.kinds.bit(branch, tag)
    }
    this.#take(from, to, this.#hash, this.#kind)
  }

  /** Puts what was learned into the index. */
  done(): void {
    const ids = this.#ids
    if (ids === undefined) return
    // What was forgotten meanwhile is not what the file has now.
    if (this.#epoch === this.#index.epoch) this.#index.add({ from: this.#from, to: this.#to, kinds: this.#kinds, ids })
    this.#ids = undefined
    this.#kinds = 0
    this.#around = nothing
  }

  /** Whether nothing is known of a line. */
  #isNew(from: number, to: number): boolean {
    if (from < this.#around.from || from >= this.#around.to) {
      this.done()
      this.#around = this.#index.around(from)
    }
    // One that reaches into what is known was not there when that was learned.
    return !this.#around.known && to <= this.#around.to
  }

  #take(from: number, to: number, hash: number, kind: number): void {
    if (this.#ids !== undefined && from !== this.#to && to !== this.#from) this.done()
    if (this.#ids === undefined) {
      this.#ids = new Sketch()
      this.#epoch = this.#index.epoch
      this.#from = from
      this.#to = to
    } else {
      this.#from = Math.min(from, this.#from)
      this.#to = Math.max(to, this.#to)
    }
    this.#ids.add(hash)
    this.#kinds |= kind
    if (this.#to - this.#from >= this.#index.leastBytes) this.done()
  }
}
