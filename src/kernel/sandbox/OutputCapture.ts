/**
 * What a run has written, kept for its result.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { BufferFile, type ByteBudget } from "../process/BufferFile.ts"

/** Keeps what is written until it is stopped; from then on who writes gets EPIPE. */
export class OutputCapture extends BufferFile {
  readonly #overflow: () => void
  #onClosed: (() => void) | undefined
  /** Bytes that were written. */
  length = 0
  #stopped = false
  #closed = false

  /** `overflow` is called when the budget does not take a write whole. */
  constructor(budget: ByteBudget, overflow: () => void) {
    super(budget)
    this.#overflow = overflow
  }

  override write(from: Uint8Array): number {
    if (this.#stopped) return -Errno.EPIPE
    const count = super.write(from)
    this.length += Math.max(0, count)
    if (count < from.length) this.#overflow()
    return count
  }

  override hungUp(): boolean {
    return this.#stopped
  }

  /** Nobody can write to it any more. */
  get closed(): boolean {
    return this.#closed
  }

  /** Calls back when nobody can write to it any more. */
  set onClosed(callback: (() => void) | undefined) {
    this.#onClosed = callback
  }

  /** Nothing that is written from now on is wanted. */
  stop(): void {
    this.#stopped = true
    this.#onClosed = undefined
  }

  protected override close(): void {
    this.#closed = true
    this.#onClosed?.()
  }
}
