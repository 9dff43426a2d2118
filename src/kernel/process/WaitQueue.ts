/** Wakes the processes that wait for one condition, in order, and hands bytes directly to waiting readers. */
import type { StopWaiting } from "../OpenFile.ts"

/** A waiting reader whose buffer can be filled directly. */
export interface DirectReader {
  readonly bytes: Uint8Array
  /** Ends the wait: `count` bytes are in the buffer. */
  readonly complete: (count: number) => void
}

/** Callbacks of waiting processes, each called once, in order. */
export class WaitQueue {
  readonly #wakes = new Map<() => void, DirectReader | undefined>()

  get idle(): boolean {
    return this.#wakes.size === 0
  }

  add(wake: () => void, reader?: DirectReader): StopWaiting {
    this.#wakes.set(wake, reader)
    return () => void this.#wakes.delete(wake)
  }

  wakeAll(): void {
    if (this.#wakes.size === 0) return
    const wakes = [...this.#wakes.keys()]
    this.#wakes.clear()
    for (const wake of wakes) wake()
  }

  /** Dequeues the first waiter if it is a direct reader whose buffer `maxBytes` fill. */
  takeDirectReader(maxBytes: number): DirectReader | undefined {
    for (const [wake, reader] of this.#wakes) {
      if (reader === undefined || reader.bytes.length > maxBytes) return undefined
      this.#wakes.delete(wake)
      return reader
    }
    return undefined
  }
}
