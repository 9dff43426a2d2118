/** Lets one caller pass in each turn of the event loop. */
import { scheduleNextTurn } from "./scheduleNextTurn.ts"

/**
 * A gate that one caller passes in each turn of the event loop; the others wait in order.
 *
 * The start of a process blocks the loop for up to some milliseconds. Without a gate, a hundred requests at once start in one
 * turn, and everything else waits for all of them: answers, new connections (Node accepts one a turn), and on Deno the
 * exits of processes, some of which were seen only when the load was over.
 */
export class TurnGate {
  readonly #waiting: Array<() => void> = []
  #isOpen = true

  /** Resolves when it is the caller's turn; `undefined` when that is now. */
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
