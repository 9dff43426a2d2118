/** Lets one caller pass in each turn of the event loop. */
import { scheduleNextTurn } from "./scheduleNextTurn.ts"

/**
 * A gate that one caller passes in each turn of the event loop; the others wait in order.
 *
 * The start of a process blocks the loop for up to a few milliseconds. Without a gate, a hundred requests at once start
 * in one turn, and everything else waits for all of them: responses, new connections (Node accepts one a turn), and on
 * Deno the exits of processes, some of which were noticed only after the load had ended.
 */
export class TurnGate {
  readonly #waiting: Array<() => void> = []
  #isOpen = true

  /** Resolves when the caller may pass; `undefined` if it may pass now. */
  pass(): Promise<void> | undefined {
    if (!this.#isOpen) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#closeForTurn()
    return undefined
  }

  #closeForTurn(): void {
    this.#isOpen = false
    scheduleNextTurn(() => {
      const next = this.#waiting.shift()
      if (next === undefined) {
        this.#isOpen = true
        return
      }
      this.#closeForTurn()
      next()
    })
  }
}
