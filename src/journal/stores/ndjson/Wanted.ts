/**
 * What a filter asks of a stretch of the file.
 *
 * @module
 */
import type { Filter } from "../../Entry.ts"
import type { Kinds } from "./Kinds.ts"
import { nameHash } from "./nameHash.ts"
import type { Sketch } from "./Sketch.ts"

/** A filter, made ready to be held against many stretches. */
export class Wanted {
  readonly #filter: Filter
  readonly #kinds: Kinds
  readonly #id: number | undefined
  #mask = 0
  #count = -1

  constructor(filter: Filter, kinds: Kinds) {
    this.#filter = filter
    this.#kinds = kinds
    this.#id = filter.correlationId === undefined ? undefined : nameHash(filter.correlationId)
  }

  /** Whether an entry that is meant may be among those with such kinds and ids. */
  mayBeIn(kinds: number, ids: Sketch): boolean {
    // Others may meet new kinds while this one is under way.
    if (this.#count !== this.#kinds.count) {
      this.#count = this.#kinds.count
      this.#mask = this.#kinds.mask(this.#filter.branch, this.#filter.tags)
    }
    return (kinds & this.#mask) !== 0 && (this.#id === undefined || ids.mayHold(this.#id))
  }
}

/** `undefined` when a filter asks for nothing in particular. */
export const wantedBy = (filter: Filter | undefined, kinds: Kinds): Wanted | undefined =>
  filter === undefined ||
    (filter.branch === undefined && filter.correlationId === undefined && filter.tags === undefined)
    ? undefined
    : new Wanted(filter, kinds)
