/** Limits the time of many short operations with one timer. */
import { maxTimerMillis } from "../base/maxTimerMillis.ts"

/** A timer that need not keep the program running; in browsers and edge isolates it is a number. */
const unref = (timer: unknown): void => {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") {
    timer.unref()
  }
}

interface Waiting {
  readonly due: number
  readonly expire: () => void
}

/**
 * One time limit for many operations. A single timer waits for the oldest of them: a timer for each took 12 us of a request on
 * Deno. The timer stays when all have ended, and does not keep the program running.
 */
export class SharedTimeout {
  readonly #millis: number
  readonly #waiting = new Set<Waiting>()
  #isSet = false

  constructor(millis: number) {
    this.#millis = millis
  }

  /** Settles as the work does, or resolves with `"late"` after the time. */
  race<A>(work: Promise<A>): Promise<A | "late"> {
    if (!Number.isFinite(this.#millis)) return work
    return new Promise((resolve, reject) => {
      const waiting = { due: performance.now() + this.#millis, expire: () => resolve("late") }
      this.#waiting.add(waiting)
      if (!this.#isSet) this.#set(this.#millis)
      const leave = (): boolean => this.#waiting.delete(waiting)
      work.then((value) => {
        leave()
        resolve(value)
      }, (error: unknown) => {
        leave()
        reject(error)
      })
    })
  }

  #set(millis: number): void {
    this.#isSet = true
    unref(setTimeout(this.#expire, Math.min(Math.ceil(millis), maxTimerMillis)))
  }

  readonly #expire = (): void => {
    this.#isSet = false
    const now = performance.now()
    for (const waiting of this.#waiting) {
      if (waiting.due > now) return this.#set(waiting.due - now)
      this.#waiting.delete(waiting)
      waiting.expire()
    }
  }
}
