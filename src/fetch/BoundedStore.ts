/** Keeps values by key up to a total size; drops the least recently used ones. */
interface Kept<A> {
  readonly value: A
  readonly size: number
}

export class BoundedStore<A> {
  readonly #kept = new Map<string, Kept<A>>()
  readonly #maxSize: number
  readonly #sizeOf: (value: A) => number
  #size = 0

  constructor(maxSize: number, sizeOf: (value: A) => number) {
    this.#maxSize = maxSize
    this.#sizeOf = sizeOf
  }

  /** The value of a key, which counts as used now. */
  get(key: string): A | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) return undefined
    // The map is in the order of the last use.
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    return kept.value
  }

  /** Keeps a value as the one that was used last. */
  set(key: string, value: A): void {
    this.delete(key)
    const size = this.#sizeOf(value)
    this.#kept.set(key, { value, size })
    this.#size += size
    for (const [oldest] of this.#kept) {
      if (this.#size <= this.#maxSize) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0
    this.#kept.delete(key)
  }
}
