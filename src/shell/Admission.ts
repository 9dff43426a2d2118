/** Limits how many commands run at once, and queues the others in order. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../base/waits.ts"
import type { ShellExec } from "../command/ShellExec.ts"

/** Limits of {@link Admission}. */
export interface AdmissionOptions {
  /** Commands that run at once. Default: 4. */
  readonly maxConcurrency: number
  /** Commands that wait, in order. Default: 1,000. */
  readonly maxQueued: number
}

/** Admits commands: some run, some wait in order. */
export class Admission {
  readonly options: AdmissionOptions
  readonly #waiting = new Set<() => void>()
  readonly #running: Array<ShellExec> = []
  #released = 0

  constructor(options: AdmissionOptions) {
    this.options = options
  }

  get running(): number {
    return this.#running.length
  }

  /** Number of slots released so far. A count that stands still shows that commands wait for each other. */
  get released(): number {
    return this.#released
  }

  /** The commands that run, longest first. */
  get runningCommands(): ReadonlyArray<ShellExec> {
    return this.#running
  }

  /** Commands that wait. */
  get queued(): number {
    return this.#waiting.size
  }

  /** Acquires a slot if one is free and no command waits. Each slot is released once, by {@link release}. */
  tryAcquire(exec: ShellExec): boolean {
    if (this.running >= this.options.maxConcurrency || this.#waiting.size > 0) return false
    this.#running.push(exec)
    return true
  }

  /** Waits in order for a slot; interruptible. The caller checks `maxQueued` before. */
  acquire(exec: ShellExec): Effect.Effect<void> {
    return callbackLater((resume) => {
      const go = (): void => {
        this.#running.push(exec)
        resume(Effect.void)
      }
      this.#waiting.add(go)
      return Effect.sync(() => {
        // The command was interrupted after it got its slot: the next one in the queue takes the slot.
        if (!this.#waiting.delete(go)) this.release(exec)
      })
    })
  }

  /** Releases the slot of a command; the command that has waited longest takes it over. */
  release(exec: ShellExec): void {
    this.#released++
    // The same command value may run several times at once; its slots are interchangeable.
    this.#running.splice(this.#running.indexOf(exec), 1)
    const [next] = this.#waiting
    if (next === undefined) return
    this.#waiting.delete(next)
    next()
  }
}
