/** Implements the system calls of a process that may wait, and those on clocks and random bytes. */
import { Errno } from "../Errno.ts"
import type { Directory } from "../OpenFile.ts"
import type { Later, Subscription } from "../System.ts"
import type { KernelContext } from "./KernelContext.ts"
import type { FdTable } from "./FdTable.ts"
import { FifoReader, FifoWriter } from "./Fifo.ts"
import { FileCalls } from "./FileCalls.ts"
import { findReady, Poll } from "./Poll.ts"
import type { CpuAccount } from "./Scheduler.ts"
import { ProcessWaits } from "./ProcessWaits.ts"
import { Wait } from "./Wait.ts"

export abstract class WaitCalls extends FileCalls implements CpuAccount {
  /** Approximate CPU time in milliseconds. */
  spent: number = 0
  /** Whether its WASM program cannot be suspended: it never waits, and pipes buffer more of its output. */
  sequential: boolean = false
  protected readonly waits: ProcessWaits
  readonly #core: KernelContext

  constructor(core: KernelContext, fds: FdTable, directory: Directory, umask: number) {
    super(core.files, core.programFiles, fds, directory, umask)
    this.#core = core
    this.waits = new ProcessWaits(core.scheduler.gate())
  }

  abstract write(fd: number, from: Uint8Array): Later<number>

  /** Whether the time slice is used up. A process that cannot wait ignores it. */
  protected due(cost?: number): boolean {
    return this.#core.scheduler.due(this, cost) && !this.sequential
  }

  writeAll(fd: number, from: Uint8Array): Later<number> {
    for (let at = 0; at < from.length;) {
      const count = this.write(fd, at === 0 ? from : from.subarray(at))
      if (typeof count !== "number") {
        const rest = this.#writeRest(fd, from, at, count)
        // As with a wait, a promise that a killed program dropped must not be an unhandled rejection.
        rest.catch(() => {})
        return rest
      }
      if (count < 0) return count
      at += count
    }
    return 0
  }

  async #writeRest(fd: number, from: Uint8Array, start: number, first: Promise<number>): Promise<number> {
    let count = await first
    for (let at = start; count >= 0; count = await this.write(fd, from.subarray(at))) {
      at += count
      if (at >= from.length) return 0
    }
    return count
  }

  opened(fd: number): Later<number> {
    this.enter()
    const file = this.fds.file(fd)
    if (!(file instanceof FifoReader || file instanceof FifoWriter) || file.hasMet || this.sequential) return 0
    const wait = new Wait<number>(this.waits, -Errno.EINTR)
    const stopWaiting = file.retain().whenOpened(() => this.#core.scheduler.soon(() => wait.finish(0)))
    // A second reader does not count as the other end: then the wait starts again.
    wait.stop = () => {
      stopWaiting()
      file.release()
    }
    return wait.promise.then((code) => code < 0 || file.hasMet ? code : this.opened(fd))
  }

  poll(subscriptions: ReadonlyArray<Subscription>): Later<ReadonlyArray<number> | number> {
    this.enter()
    const { clock, scheduler } = this.#core
    if (this.sequential) return this.#pollNow(subscriptions)
    const poll = () => new Poll(this.waits, scheduler, clock, this.fds, subscriptions)
    if (this.due()) return poll().yield()
    const found = findReady(this.fds, subscriptions)
    return found.length > 0 ? found : poll().wait()
  }

  /** Polls without waiting: the earliest timer counts as expired; without timers it is a deadlock. */
  #pollNow(subscriptions: ReadonlyArray<Subscription>): ReadonlyArray<number> | number {
    const found = findReady(this.fds, subscriptions)
    if (found.length > 0) return found
    const times = subscriptions.map((subscription) => subscription._tag === "After" ? subscription.ms : Infinity)
    const nearest = times.reduce((min, time) => Math.min(min, time), Infinity)
    return nearest === Infinity ? -Errno.EDEADLK : [times.indexOf(nearest)]
  }

  sleep(ms: number): Later<number> {
    this.enter()
    const wait = new Wait<number>(this.waits, -Errno.EINTR)
    const { clock, scheduler } = this.#core
    if (ms <= 0) scheduler.later(() => wait.finish(0))
    else {
      wait.stop = clock.after(ms, () => {
        scheduler.begin()
        wait.finish(0)
      })
    }
    return wait.promise
  }

  yield(cost?: number): Later<void> {
    this.enter()
    if (!this.due(cost)) return
    const wait = new Wait<void>(this.waits)
    this.#core.scheduler.later(() => wait.finish(undefined))
    return wait.promise
  }

  now(): bigint {
    return this.#core.clock.now()
  }

  monotonic(): bigint {
    return this.#core.clock.monotonic() - this.#core.started
  }

  cpuTime(): bigint {
    this.#core.scheduler.charge(this)
    return BigInt(Math.round(this.spent * 1e6))
  }

  random(into: Uint8Array): void {
    this.#core.random(into)
  }

  get clockResolution(): bigint {
    return this.#core.clock.resolution
  }
}
