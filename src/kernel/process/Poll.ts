/** Waits for the first of several descriptors and timers that is ready. Source: poll(2). */
import { Errno } from "../Errno.ts"
import type { StopWaiting } from "../OpenFile.ts"
import type { Subscription } from "../System.ts"
import type { FdTable } from "./FdTable.ts"
import type { KernelClock } from "./KernelClock.ts"
import type { Scheduler } from "./Scheduler.ts"
import type { ProcessWaits } from "./ProcessWaits.ts"
import { Wait } from "./Wait.ts"

type PollResult = ReadonlyArray<number> | number

/** A descriptor that is not open is ready: the next call on it fails. */
const ready = (fds: FdTable, subscription: Subscription): boolean =>
  subscription._tag === "Readable"
    ? fds.file(subscription.fd)?.readable() ?? true
    : subscription._tag === "Writable"
    ? fds.file(subscription.fd)?.writable() ?? true
    : subscription.ms <= 0

export const findReady = (fds: FdTable, subscriptions: ReadonlyArray<Subscription>): ReadonlyArray<number> =>
  subscriptions.flatMap((subscription, index) => ready(fds, subscription) ? [index] : [])

export class Poll extends Wait<PollResult> {
  readonly #scheduler: Scheduler
  readonly #clock: KernelClock
  readonly #fds: FdTable
  readonly #subscriptions: ReadonlyArray<Subscription>
  readonly #expired = new Set<number>()
  #stops: Array<StopWaiting> = []
  #timers: Array<StopWaiting> = []

  constructor(
    waits: ProcessWaits,
    scheduler: Scheduler,
    clock: KernelClock,
    fds: FdTable,
    subscriptions: ReadonlyArray<Subscription>,
  ) {
    super(waits, -Errno.EINTR)
    this.#scheduler = scheduler
    this.#clock = clock
    this.#fds = fds
    this.#subscriptions = subscriptions
    this.stop = () => {
      this.#unwatch()
      for (const stop of this.#timers.splice(0)) stop()
    }
  }

  /** Polls again in a macrotask: the time slice is used up. */
  yield(): Promise<PollResult> {
    this.#startTimers()
    this.#scheduler.later(this.#check)
    return this.promise
  }

  wait(): Promise<PollResult> {
    this.#startTimers()
    this.#watch()
    return this.promise
  }

  #startTimers(): void {
    this.#subscriptions.forEach((subscription, index) => {
      if (subscription._tag !== "After" || subscription.ms <= 0) return
      this.#timers.push(this.#clock.after(subscription.ms, () => {
        this.#scheduler.begin()
        this.#expired.add(index)
        this.#check()
      }))
    })
  }

  #watch(): void {
    for (const subscription of this.#subscriptions) {
      if (subscription._tag === "After") continue
      const file = this.#fds.file(subscription.fd)
      if (file === undefined) continue
      if (file.servedByHost) this.#stops.push(this.#scheduler.hostWait())
      this.#stops.push(
        subscription._tag === "Readable" ? file.whenReadable(this.#wake) : file.whenWritable(this.#wake),
      )
    }
  }

  #unwatch(): void {
    for (const stop of this.#stops.splice(0)) stop()
  }

  readonly #wake = (): void => this.#scheduler.soon(this.#check)

  readonly #check = (): void => {
    if (this.done) return
    this.#unwatch()
    const found = this.#subscriptions.flatMap((subscription, index) =>
      this.#expired.has(index) || ready(this.#fds, subscription) ? [index] : []
    )
    if (found.length > 0) this.finish(found)
    else this.#watch()
  }
}
