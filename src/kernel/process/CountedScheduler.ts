/**
 * Runs the processes of a kernel one at a time, in an order that depends only on their calls, and keeps a virtual
 * clock. When all processes wait, the time advances at once to the next timer. Each reading of the clock takes a
 * microsecond, so that no two are the same, and 10,000 calls take 10 ms: a loop that waits for a time ends, but most
 * scripts take no time to compute.
 *
 * Between the runs of the host, everything stands still.
 *
 * A process that runs keeps the turn until it waits in a call. It also keeps it while it waits for a promise of the host, such as
 * the import of a module, so that the time this takes changes nothing.
 */
import { maxTimerMillis } from "../../base/maxTimerMillis.ts"
import type { StopWaiting } from "../OpenFile.ts"
import type { KernelClock } from "./KernelClock.ts"
import type { WaitGate } from "./ProcessWaits.ts"
import { type CpuAccount, queueMacrotask, Scheduler } from "./Scheduler.ts"

/** Calls in a time slice. */
const callsPerSlice = 2_000

/**
 * Number of calls for which a step of a long computation counts: such a step is a call of infinite cost and takes about
 * a millisecond.
 */
const callsPerStep = 1_000

/**
 * Number of calls by which the clock advances at once, so that a change in a utility's number of calls is rarely
 * visible.
 */
const callsPerTick = 10_000

const nanosPerTick = 10_000_000n
const nanosPerReading = 1_000n

/**
 * Number of turns, and milliseconds of the host, between two macrotasks, in which timers and input of the host are
 * served.
 */
const maxTurns = 1_024
const maxMillis = 4

/** Maximum time of a timer, about 31,700 years, in milliseconds. */
const maxMillisAhead = 1e15

interface Timer {
  readonly due: bigint
  readonly wake: () => void
}

const once = (callback: () => void): StopWaiting => {
  let called = false
  return () => {
    if (!called) callback()
    called = true
  }
}

export class CountedScheduler extends Scheduler {
  /** The virtual clock, by which processes tell the time and sleep. */
  readonly clock: KernelClock
  readonly #timers: Array<Timer> = []
  #ready: Array<() => void> = []
  #nextReady = 0
  #calls = 0
  #skippedNanos = 0n
  #left = callsPerSlice
  #running = 0
  #hostWaits = 0
  #activities = 0
  #armed = false
  #turns = 0
  #lastMacrotask = 0
  #hostTimer: ReturnType<typeof setTimeout> | undefined
  #hostTimerStart = 0

  /** `startTime`: nanoseconds since 1970. */
  constructor(startTime: bigint) {
    super()
    this.clock = {
      now: () => startTime + this.#read(),
      monotonic: () => this.#read(),
      resolution: nanosPerReading,
      after: (milliseconds, wake) => this.#after(milliseconds, wake),
    }
  }

  #read(): bigint {
    this.#skippedNanos += nanosPerReading
    return this.#elapsed()
  }

  #elapsed(): bigint {
    return this.#skippedNanos + BigInt(Math.floor(this.#calls / callsPerTick)) * nanosPerTick
  }

  override begin(): void {
    this.#left = callsPerSlice
  }

  override due(account?: CpuAccount, cost = 1): boolean {
    const calls = Number.isFinite(cost) ? Math.ceil(cost) : callsPerStep
    this.#calls += calls
    this.#left -= calls
    this.busyMillis += calls / 1_000
    if (account !== undefined) account.spent += calls / 1_000
    return this.#left < 0
  }

  /** Does nothing: {@link due} has charged each call. */
  override charge(): void {}

  override soon(callback: () => void): void {
    this.later(callback)
  }

  override later(callback: () => void): void {
    this.#stopHostTimer()
    this.#ready.push(callback)
    this.#arm()
  }

  override gate(): WaitGate {
    let state: "new" | "started" | "ended" = "new"
    let waits = 0
    let hostWaits = 0
    let stopHostWait: StopWaiting | undefined
    /** A function of the host that waits for a call of its process does not stop the time. */
    const update = (): void => {
      const isForHost = state === "started" && hostWaits > 0 && hostWaits === waits
      if (isForHost) stopHostWait ??= this.hostWait()
      else {
        stopHostWait?.()
        stopHostWait = undefined
      }
    }
    return {
      start: () => {
        state = "started"
        this.#running++
      },
      block: () => {
        if (state === "started" && waits++ === 0) this.#pause()
        update()
      },
      resume: (resolve) => {
        if (state !== "started") return resolve()
        this.later(() => {
          if (state === "started" && --waits === 0) this.#running++
          update()
          resolve()
        })
      },
      end: () => {
        if (state === "started" && waits === 0) this.#pause()
        state = "ended"
        update()
      },
      hostWait: () => {
        hostWaits++
        update()
        return once(() => {
          hostWaits--
          update()
        })
      },
    }
  }

  override activity(): StopWaiting {
    this.#activities++
    this.#arm()
    return once(() => {
      this.#activities--
      this.#stopHostTimer()
    })
  }

  override hostWait(): StopWaiting {
    this.#hostWaits++
    return once(() => {
      this.#hostWaits--
      this.#stopHostTimer()
      this.#arm()
    })
  }

  #pause(): void {
    this.#running--
    this.#arm()
  }

  #after(milliseconds: number, wake: () => void): StopWaiting {
    if (milliseconds === Infinity) return () => {}
    const nanos = BigInt(Math.ceil(Math.min(Math.max(0, milliseconds), maxMillisAhead) * 1e6))
    const timer: Timer = { due: this.#elapsed() + nanos, wake }
    const later = this.#timers.findIndex(({ due }) => due > timer.due)
    this.#timers.splice(later < 0 ? this.#timers.length : later, 0, timer)
    this.#stopHostTimer()
    this.#arm()
    return () => {
      const at = this.#timers.indexOf(timer)
      if (at >= 0) this.#timers.splice(at, 1)
    }
  }

  #arm(): void {
    if (this.#armed || this.#running > 0 || this.#activities === 0) return
    this.#armed = true
    queueMicrotask(this.#turn)
  }

  readonly #turn = (): void => {
    const isLate = ++this.#turns >= maxTurns || performance.now() - this.#lastMacrotask >= maxMillis
    if (isLate) return queueMacrotask(this.#firstTurn)
    this.#armed = false
    if (this.#running === 0 && this.#activities > 0) this.#step()
  }

  readonly #firstTurn = (): void => {
    this.#turns = 0
    this.#lastMacrotask = performance.now()
    this.#turn()
  }

  /** Runs the callback of a due timer, else the next callback, else advances to the time of the next timer. */
  #step(): void {
    const [timer] = this.#timers
    let callback: (() => void) | undefined
    if (timer !== undefined && timer.due <= this.#elapsed()) callback = this.#takeTimer()
    else if (this.#nextReady < this.#ready.length) callback = this.#takeReady()
    else if (timer !== undefined && this.#hostWaits === 0) {
      this.#skippedNanos += timer.due - this.#elapsed()
      callback = this.#takeTimer()
    } else if (timer !== undefined) return this.#startHostTimer(timer)
    if (callback === undefined) return
    this.begin()
    callback()
    this.#arm()
  }

  #takeTimer(): (() => void) | undefined {
    return this.#timers.shift()?.wake
  }

  #takeReady(): (() => void) | undefined {
    const callback = this.#ready[this.#nextReady++]
    if (this.#nextReady === this.#ready.length) {
      this.#ready = []
      this.#nextReady = 0
    } else if (this.#nextReady === maxTurns) {
      this.#ready.splice(0, maxTurns)
      this.#nextReady = 0
    }
    return callback
  }

  /**
   * While a process waits for the host, the time passes like that of the host, because the timer may be the process's
   * timeout.
   */
  #startHostTimer({ due }: Timer): void {
    if (this.#hostTimer !== undefined) return
    const millis = Number((due - this.#elapsed()) / 1_000_000n) + 1
    this.#hostTimerStart = performance.now()
    this.#hostTimer = setTimeout(() => {
      this.#stopHostTimer()
      this.#arm()
    }, Math.min(millis, maxTimerMillis))
  }

  #stopHostTimer(): void {
    if (this.#hostTimer === undefined) return
    clearTimeout(this.#hostTimer)
    this.#hostTimer = undefined
    this.#skippedNanos += BigInt(Math.ceil((performance.now() - this.#hostTimerStart) * 1e6))
  }
}
