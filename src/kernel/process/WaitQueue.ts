/**
 * Wakes the processes that wait for one condition, in order, and hands bytes directly to waiting readers.
 *
 * @module
 */
import type { StopWaiting } from "../OpenFile.ts"

/** One who waits to read, and can be given bytes where they are to lie. */
export interface DirectReader {
  /** Where they are to lie. */
  readonly bytes: Uint8Array
  /** So many lie there now: the wait is over. */
  readonly complete: (count: number) => void
}

/** Wakes are called once each, in the order in which they came. */
export class WaitQueue {
  readonly #wakes = new Map<() => void, DirectReader | undefined>()

  /** Whether nobody waits. */
  get idle(): boolean {
    return this.#wakes.size === 0
  }

  add(wake: () => void, takeDirectReader?: DirectReader): StopWaiting {
    this.#wakes.set(wake, takeDirectReader)
    return () => void this.#wakes.delete(wake)
  }

  wakeAll(): void {
    if (this.#wakes.size === 0) return
    const wakes = [...this.#wakes.keys()]
    this.#wakes.clear()
    for (const wake of wakes) wake()
  }

  /** Who waits first, if so many bytes fill what he has for them. He waits no longer. */
  taker(most: number): DirectReader | undefined {
    for (const [wake, taker] of this.#wakes) {
      if (taker === undefined || taker.bytes.length > most) return undefined
      this.#wakes.delete(wake)
      return taker
    }
    return undefined
  }
}
