/**
 * How many bytes may come out of the kernel.
 *
 * @module
 */

/** One budget may be shared by several files: all that one command writes, on either stream. */
export class OutputBudget {
  #left: number

  /** Default: no limit. */
  constructor(bytes: number = Infinity) {
    this.#left = bytes
  }

  /** Bytes that may still come. */
  get left(): number {
    return this.#left
  }

  /** Takes as much as is left of a wish; answers with how much that is. */
  take(wish: number): number {
    const taken = Math.min(wish, this.#left)
    this.#left -= taken
    return taken
  }
}
