/**
 * How many commands run at once, and how many wait.
 *
 * @module
 */
import * as Effect from "effect/Effect"

/** Limits of {@link Admission}. */
export interface AdmissionOptions {
  /** Commands that run at once. Default: 4. */
  readonly concurrencyLimit: number
  /** Commands that wait, in order. Default: 1,000. */
  readonly queueLimit: number
}

/** Whether a command may run now. */
export type Admitted = "admitted" | "full"

/** Admits commands: some run, some wait in order, the next is turned away. */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #waiting = new Set<() => void>()
  #running = 0

  constructor(options: AdmissionOptions) {
    this.#options = options
  }

  /** Commands that run. */
  get running(): number {
    return this.#running
  }

  /** Commands that wait. */
  get queued(): number {
    return this.#waiting.size
  }

  /** Takes a place, waiting for one if it must; interruptible while it waits. Each place is given back once. */
  readonly enter: Effect.Effect<Admitted> = Effect.suspend(() => {
    if (this.#running < this.#options.concurrencyLimit && this.#waiting.size === 0) {
      this.#running++
      return Effect.succeed("admitted" as const)
    }
    if (this.#waiting.size >= this.#options.queueLimit) return Effect.succeed("full" as const)
    return Effect.callback<Admitted>((resume) => {
      const go = (): void => resume(Effect.succeed("admitted" as const))
      this.#waiting.add(go)
      return Effect.sync(() => {
        // Interrupted after its turn had come: the place goes to the next.
        if (!this.#waiting.delete(go)) this.leave()
      })
    })
  })

  /** Gives a place back; the longest waiting takes it over. */
  leave(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#running--
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
