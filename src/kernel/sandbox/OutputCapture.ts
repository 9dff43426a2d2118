/**
 * Collects stdout or stderr of a script in memory for its result, and reports when it exceeds its budget and when its
 * last writer has closed it.
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import { BufferFile, type ByteBudget } from "../process/BufferFile.ts"

/** Keeps what is written until it is stopped; later writes fail with EPIPE. */
export class OutputCapture extends BufferFile {
  readonly #overflow: () => void
  #onClosed: (() => void) | undefined
  /** Number of bytes written. */
  length = 0
  #stopped = false
  #closed = false

  /** `overflow` is called when a write exceeds the budget. */
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

  /** Whether every writer has closed it. */
  get closed(): boolean {
    return this.#closed
  }

  /** Sets the callback for when every writer has closed it. */
  set onClosed(callback: (() => void) | undefined) {
    this.#onClosed = callback
  }

  /** Refuses everything that is written from now on. */
  stop(): void {
    this.#stopped = true
    this.#onClosed = undefined
  }

  protected override close(): void {
    this.#closed = true
    this.#onClosed?.()
  }
}
