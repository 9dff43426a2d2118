/** Stores the elements of an indexed shell array: the first ones in a list, those after a gap in a map. */

/** Elements by index; elements may be unset. */
export class IndexedArray {
  /** The elements from 0 on, with holes but never one at the end. */
  #dense: Array<string | undefined>
  #holes = 0
  /** Elements after the first gap. */
  #sparse: Map<number, string> | undefined
  #lastSparse = -1

  constructor(values: Iterable<string> = []) {
    this.#dense = [...values]
  }

  clone(): IndexedArray {
    const copy = new IndexedArray()
    copy.#dense = this.#dense.slice()
    copy.#holes = this.#holes
    copy.#sparse = this.#sparse && new Map(this.#sparse)
    copy.#lastSparse = this.#lastSparse
    return copy
  }

  get size(): number {
    return this.#dense.length - this.#holes + (this.#sparse?.size ?? 0)
  }

  /** The largest index; -1 if there is none. */
  get last(): number {
    return this.#sparse === undefined ? this.#dense.length - 1 : this.#lastSparse
  }

  get #far(): ReadonlyArray<readonly [number, string]> {
    return this.#sparse === undefined ? [] : [...this.#sparse].sort(([a], [b]) => a - b)
  }

  get indexes(): ReadonlyArray<number> {
    const indexes: Array<number> = []
    for (let index = 0; index < this.#dense.length; index++) {
      if (this.#holes === 0 || this.#dense[index] !== undefined) indexes.push(index)
    }
    for (const [index] of this.#far) indexes.push(index)
    return indexes
  }

  get values(): ReadonlyArray<string> {
    const values = this.#dense.filter((value) => value !== undefined)
    for (const [, value] of this.#far) values.push(value)
    return values
  }

  /** The element of an index; a negative index counts from the end. */
  get(given: number): string | undefined {
    const index = given < 0 ? this.last + 1 + given : given
    return this.#dense[index] ?? this.#sparse?.get(index)
  }

  set(index: number, value: string): void {
    const dense = this.#dense
    if (index > dense.length) {
      this.#sparse ??= new Map()
      this.#sparse.set(index, value)
      this.#lastSparse = Math.max(this.#lastSparse, index)
    } else if (index < dense.length) {
      if (dense[index] === undefined) this.#holes--
      dense[index] = value
    } else {
      dense.push(value)
      // Elements after the gap may now adjoin the list.
      for (let next = this.#sparse?.get(dense.length); next !== undefined; next = this.#sparse?.get(dense.length)) {
        this.#forget(dense.length)
        dense.push(next)
      }
    }
  }

  /** Unsets the element of an index; a negative index counts from the end. */
  delete(given: number): void {
    const index = given < 0 ? this.last + 1 + given : given
    const dense = this.#dense
    if (index >= dense.length) return this.#forget(index)
    if (dense[index] === undefined) return
    dense[index] = undefined
    this.#holes++
    while (dense.length > 0 && dense.at(-1) === undefined) {
      dense.pop()
      this.#holes--
    }
  }

  #forget(index: number): void {
    const sparse = this.#sparse
    if (sparse?.delete(index) !== true) return
    if (sparse.size === 0) {
      this.#sparse = undefined
      this.#lastSparse = -1
    } else if (index === this.#lastSparse) {
      this.#lastSparse = -1
      for (const left of sparse.keys()) if (left > this.#lastSparse) this.#lastSparse = left
    }
  }
}
