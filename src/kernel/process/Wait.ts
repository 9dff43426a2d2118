/**
 * Implements one wait of a process: a promise that is resolved, interrupted by a signal, or rejected when the process
 * is killed.
 *
 * @module
 */
import type { StopWaiting } from "../OpenFile.ts"
import { processKilled } from "./ProcessKilledError.ts"

const nothing = (): void => {}

/** A wait as those see it who end it from outside. */
export interface AbortableWait {
  /** Whether a signal with a handler ends it. */
  readonly interruptible: boolean
  /** A signal with a handler came. */
  interrupt(): void
  /** The process was killed. */
  abort(): void
}

/** One wait of one process: a promise that is kept, or broken when the process is killed. */
export class Wait<A> implements AbortableWait {
  readonly promise: Promise<A>
  readonly #among: Set<AbortableWait>
  readonly #interrupted: A | undefined
  #resolve: (value: A) => void = nothing
  #reject: (cause: unknown) => void = nothing
  #stop: StopWaiting = nothing
  #done = false

  /** `interrupted` is what a signal with a handler makes it answer; without one it waits on. */
  constructor(among: Set<AbortableWait>, interrupted?: A) {
    this.#among = among
    this.#interrupted = interrupted
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    among.add(this)
  }

  get done(): boolean {
    return this.#done
  }

  /** What to undo when the wait is over. */
  set stop(stop: StopWaiting) {
    this.#stop = stop
  }

  get interruptible(): boolean {
    return this.#interrupted !== undefined
  }

  finish(value: A): void {
    if (this.#over()) this.#resolve(value)
  }

  interrupt(): void {
    if (this.#interrupted !== undefined) this.finish(this.#interrupted)
  }

  abort(): void {
    if (!this.#over()) return
    // A program may have let go of the promise: that is not the host's trouble.
    this.promise.catch(nothing)
    this.#reject(processKilled)
  }

  #over(): boolean {
    if (this.#done) return false
    this.#done = true
    this.#among.delete(this)
    this.#stop()
    return true
  }
}
