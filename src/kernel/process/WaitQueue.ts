/**
 * Those who wait for one thing.
 *
 * @module
 */
import type { StopWaiting } from "../OpenFile.ts"

/** Wakes are called once each, in the order in which they came. */
export class WaitQueue {
  readonly #wakes = new Set<() => void>()

  /** Whether nobody waits. */
  get idle(): boolean {
    return this.#wakes.size === 0
  }

  add(wake: () => void): StopWaiting {
    this.#wakes.add(wake)
    return () => void this.#wakes.delete(wake)
  }

  wakeAll(): void {
    if (this.#wakes.size === 0) return
    const wakes = [...this.#wakes]
    this.#wakes.clear()
    for (const wake of wakes) wake()
  }
}
