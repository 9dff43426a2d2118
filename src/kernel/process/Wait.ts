/** Implements one wait of a process, which a signal can interrupt and a kill rejects. */
import type { StopWaiting } from "../OpenFile.ts"
import { processKilled } from "./ProcessKilledError.ts"
import type { AbortableWait, ProcessWaits } from "./ProcessWaits.ts"

const nothing = (): void => {}

/** A wait: `promise` is resolved with a value, or rejected when the process is killed. */
export class Wait<A> implements AbortableWait {
  readonly promise: Promise<A>
  readonly #waits: ProcessWaits
  readonly #interrupted: A | undefined
  #resolve: (value: A) => void = nothing
  #reject: (cause: unknown) => void = nothing
  #stop: StopWaiting = nothing
  #done = false

  /** `interrupted`: the value after a signal with a handler; without it such signals do not end the wait. */
  constructor(waits: ProcessWaits, interrupted?: A) {
    this.#waits = waits
    this.#interrupted = interrupted
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    waits.add(this)
    waits.gate?.block()
  }

  get done(): boolean {
    return this.#done
  }

  /** Sets the callback that cleans up when the wait is over. */
  set stop(stop: StopWaiting) {
    this.#stop = stop
  }

  get interruptible(): boolean {
    return this.#interrupted !== undefined
  }

  finish(value: A): void {
    if (!this.#over()) return
    const { gate } = this.#waits
    if (gate === undefined) this.#resolve(value)
    else gate.resume(() => this.#resolve(value))
  }

  interrupt(): void {
    if (this.#interrupted !== undefined) this.finish(this.#interrupted)
  }

  abort(): void {
    if (!this.#over()) return
    // A promise that the program dropped must not be an unhandled rejection.
    this.promise.catch(nothing)
    this.#reject(processKilled)
  }

  #over(): boolean {
    if (this.#done) return false
    this.#done = true
    this.#waits.delete(this)
    this.#stop()
    return true
  }
}
