/** Shares one admission slot among the processes of a pipeline or a script. */

/** The admission slot of a pipeline, released when the processes of all stages have been reaped. */
export class SharedSlot {
  #running: number
  #release: (() => void) | undefined

  /** `stages`: the number of processes that share the slot. */
  constructor(stages: number) {
    this.#running = stages
  }

  /** Sets the function that releases the slot, which was acquired; it is called once. */
  take(release: () => void): void {
    this.#release = release
    if (this.#running <= 0) this.close()
  }

  /** Adds a process, while another one holds the slot. */
  join(): void {
    this.#running++
  }

  /** Counts a process that has been reaped, or will not be started. */
  leave(): void {
    this.#running--
    if (this.#running <= 0) this.close()
  }

  /** Releases the slot after all processes have ended. */
  close(): void {
    const release = this.#release
    this.#running = 0
    this.#release = undefined
    release?.()
  }
}
