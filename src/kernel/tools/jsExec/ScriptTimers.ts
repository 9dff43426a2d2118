/** Timers of a script, in the order of their times. */
import { Errno } from "../../Errno.ts"
import type { System } from "../../System.ts"

/** Timers that wait at once. */
const maxTimers = 10_000

interface Timer {
  due: number
  readonly millis: number
  readonly repeats: boolean
  /** Whether the script runs until it has fired. */
  isReferenced: boolean
}

export class ScriptTimers {
  readonly #system: Pick<System, "monotonic" | "sleep">
  readonly #timers = new Map<number, Timer>()
  /** The sleep that ends first, of those that are not over. */
  #sleep: { readonly until: number; readonly over: Promise<void> } | undefined

  constructor(system: Pick<System, "monotonic" | "sleep">) {
    this.#system = system
  }

  get isEmpty(): boolean {
    return this.#timers.size === 0
  }

  get keepsAlive(): boolean {
    return this.#timers.values().some(({ isReferenced }) => isReferenced)
  }

  set(id: number, millis: number, repeats: boolean): number {
    if (this.#timers.size >= maxTimers) return -Errno.EAGAIN
    this.#timers.set(id, { due: this.#now() + millis, millis, repeats, isReferenced: true })
    return 0
  }

  clear(id: number): undefined {
    this.#timers.delete(id)
  }

  unref(id: number): undefined {
    const timer = this.#timers.get(id)
    if (timer !== undefined) timer.isReferenced = false
  }

  /** Removes the first timer whose time has come, or sets it anew, and returns its number. */
  takeDue(): number | undefined {
    const first = this.#first()
    const now = this.#now()
    if (first === undefined || first[1].due > now) return undefined
    const [id, timer] = first
    this.#timers.delete(id)
    if (timer.repeats) this.#timers.set(id, { ...timer, due: now + timer.millis })
    return id
  }

  /** Waits until the first timer is due. */
  sleep(): Promise<void> {
    const until = this.#first()?.[1].due ?? this.#now()
    if (this.#sleep !== undefined && this.#sleep.until <= until) return this.#sleep.over
    const over = Promise.resolve(this.#system.sleep(Math.max(0, until - this.#now()))).then(() => {
      if (this.#sleep?.over === over) this.#sleep = undefined
    })
    // Another sleep may be waited for when the process ends.
    over.catch(() => undefined)
    this.#sleep = { until, over }
    return over
  }

  #first(): readonly [number, Timer] | undefined {
    let first: readonly [number, Timer] | undefined
    for (const entry of this.#timers) if (first === undefined || entry[1].due < first[1].due) first = entry
    return first
  }

  #now(): number {
    return Number(this.#system.monotonic()) / 1e6
  }
}
