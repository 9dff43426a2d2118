/**
 * Waiting for the first of several things.
 *
 * Source: poll(2).
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import type { StopWaiting } from "../OpenFile.ts"
import type { Subscription } from "../System.ts"
import type { FdTable } from "./FdTable.ts"
import type { KernelClock } from "./KernelClock.ts"
import type { Scheduler } from "./Scheduler.ts"
import { type AbortableWait, Wait } from "./Wait.ts"

type Answer = ReadonlyArray<number> | number

/** A descriptor that is not open is ready: the call that follows says so. */
const ready = (fds: FdTable, subscription: Subscription): boolean =>
  subscription._tag === "Readable"
    ? fds.file(subscription.fd)?.readable() ?? true
    : subscription._tag === "Writable"
    ? fds.file(subscription.fd)?.writable() ?? true
    : subscription.ms <= 0

/** Which of them are ready now. */
export const readyNow = (fds: FdTable, subscriptions: ReadonlyArray<Subscription>): ReadonlyArray<number> =>
  subscriptions.flatMap((subscription, index) => ready(fds, subscription) ? [index] : [])

/** The wait itself. */
export class Poll extends Wait<Answer> {
  readonly #scheduler: Scheduler
  readonly #clock: KernelClock
  readonly #fds: FdTable
  readonly #subscriptions: ReadonlyArray<Subscription>
  readonly #rung = new Set<number>()
  #stops: Array<StopWaiting> = []
  #timers: Array<StopWaiting> = []

  constructor(
    among: Set<AbortableWait>,
    scheduler: Scheduler,
    clock: KernelClock,
    fds: FdTable,
    subscriptions: ReadonlyArray<Subscription>,
  ) {
    super(among, -Errno.EINTR)
    this.#scheduler = scheduler
    this.#clock = clock
    this.#fds = fds
    this.#subscriptions = subscriptions
    this.stop = () => {
      this.#unwatch()
      for (const stop of this.#timers.splice(0)) stop()
    }
  }

  /** The slice is used up: looks again in a macrotask. */
  yield(): Promise<Answer> {
    this.#timed()
    this.#scheduler.later(this.#look)
    return this.promise
  }

  wait(): Promise<Answer> {
    this.#timed()
    this.#watch()
    return this.promise
  }

  #timed(): void {
    this.#subscriptions.forEach((subscription, index) => {
      if (subscription._tag !== "After" || subscription.ms <= 0) return
      this.#timers.push(this.#clock.after(subscription.ms, () => {
        this.#scheduler.begin()
        this.#rung.add(index)
        this.#look()
      }))
    })
  }

  #watch(): void {
    for (const subscription of this.#subscriptions) {
      if (subscription._tag === "After") continue
      const file = this.#fds.file(subscription.fd)
      if (file === undefined) continue
      this.#stops.push(
        subscription._tag === "Readable" ? file.whenReadable(this.#wake) : file.whenWritable(this.#wake),
      )
    }
  }

  #unwatch(): void {
    for (const stop of this.#stops.splice(0)) stop()
  }

  readonly #wake = (): void => this.#scheduler.soon(this.#look)

  readonly #look = (): void => {
    if (this.done) return
    this.#unwatch()
    const found = this.#subscriptions.flatMap((subscription, index) =>
      this.#rung.has(index) || ready(this.#fds, subscription) ? [index] : []
    )
    if (found.length > 0) this.finish(found)
    else this.#watch()
  }
}
