/**
 * Reference-counted admission slot that all processes of a pipeline share.
 *
 * @module
 */

/**
 * The place of a pipeline: given back when the processes of all its stages have been reaped.
 *
 * @stability experimental
 */
export class SharedSlot {
  #running: number
  #giveBack: (() => void) | undefined

  /** `stages`: how many processes share the place. */
  constructor(stages: number) {
    this.#running = stages
  }

  /** The place has been taken; `giveBack` is called once. */
  take(giveBack: () => void): void {
    this.#giveBack = giveBack
    if (this.#running <= 0) this.close()
  }

  /** One of the processes has been reaped, or will not be started. */
  leave(): void {
    this.#running--
    if (this.#running <= 0) this.close()
  }

  /** All of them are over. */
  close(): void {
    const giveBack = this.#giveBack
    this.#running = 0
    this.#giveBack = undefined
    giveBack?.()
  }
}
