/**
 * A cache that does not grow.
 *
 * @module
 */

/** Remembers at least the last `size` that were used, and at most twice as many. */
export class BoundedMap<K, V> {
  readonly #size: number
  #young = new Map<K, V>()
  #old = new Map<K, V>()

  constructor(size: number) {
    this.#size = size
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#size) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  clear(): void {
    this.#young = new Map()
    this.#old = new Map()
  }
}
