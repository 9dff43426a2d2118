/**
 * Limits how many commands run at once, and queues the others in order.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { callbackLater } from "../base/waits.ts"

/**
 * Limits of {@link Admission}.
 *
 * @stability experimental
 */
export interface AdmissionOptions {
  /** Commands that run at once. Default: 4. */
  readonly concurrencyLimit: number
  /** Commands that wait, in order. Default: 1,000. */
  readonly queueLimit: number
}

/** Admits commands: some run, some wait in order. */
export class Admission {
  readonly options: AdmissionOptions
  readonly #waiting = new Set<() => void>()
  #running = 0

  constructor(options: AdmissionOptions) {
    this.options = options
  }

  /** Commands that run. */
  get running(): number {
    return this.#running
  }

  /** Commands that wait. */
  get queued(): number {
    return this.#waiting.size
  }

  /** Acquires a slot if one is free and no command waits. Each slot is released once, by {@link release}. */
  tryAcquire(): boolean {
    if (this.#running >= this.options.concurrencyLimit || this.#waiting.size > 0) return false
    this.#running++
    return true
  }

  /** Waits in order for a slot; interruptible. The caller checks `queueLimit` before. */
  readonly acquire: Effect.Effect<void> = callbackLater((resume) => {
    const go = (): void => resume(Effect.void)
    this.#waiting.add(go)
    return Effect.sync(() => {
      // Interrupted after it had got its slot: the next one takes it.
      if (!this.#waiting.delete(go)) this.release()
    })
  })

  /** Releases a slot; the command that has waited longest takes it over. */
  release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#running--
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
