/**
 * Divides the host's event loop between the processes of a kernel, and counts their CPU time: continues them in microtasks,
 * during which no timer of the host fires, or in a macrotask once about 4 ms are used up.
 */
import type { StopWaiting } from "../OpenFile.ts"
import type { WaitGate } from "./ProcessWaits.ts"
import { isWorkerd } from "./isWorkerd.ts"

/** Time slice: milliseconds of microtasks between two macrotasks. */
const sliceMillis = 4

/** Maximum number of calls between two reads of the clock, which costs as much as a call. */
const maxCallsPerLook = 256

/** Number of calls that count as a slice where the clock stands still during a computation (workerd). */
const callsWithoutClock = 8_192

/** Maximum number of finished callbacks in the queue before they are dropped. */
const maxFinishedCallbacks = 256

const nothing: StopWaiting = () => {}

const isFunction = (value: unknown): value is (callback: () => void) => unknown => typeof value === "function"

/** Returns the host's fastest way to queue a macrotask. A timer of 0 ms takes a millisecond or more. */
const findMacrotask = (): (callback: () => void) => void => {
  const immediate: unknown = Reflect.get(globalThis, "setImmediate")
  if (isFunction(immediate)) return (callback) => void immediate(callback)
  // In workerd messages arrive before the event loop turns: a chain of messages would keep every timer from firing.
  if (isWorkerd || typeof MessageChannel !== "function") return (callback) => void setTimeout(callback, 0)
  return (callback) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      callback()
    }
    port2.postMessage(0)
  }
}

/** Calls back in a macrotask. */
export const queueMacrotask: (callback: () => void) => void = findMacrotask()

export interface CpuAccount {
  spent: number
}

export class Scheduler {
  #queue: Array<() => void> = []
  #next = 0
  #armed = false
  #sliceStart = 0
  #lastLook = 0
  #credits = 0
  #calls = 8
  #stillCalls = 0
  #spent = 0
  /** Milliseconds that all processes have computed. */
  busyMillis = 0

  /** Starts a new slice, at the start of a macrotask. */
  begin(): void {
    this.#sliceStart = this.#lastLook = performance.now()
    this.#credits = this.#calls
    this.#stillCalls = 0
  }

  /** Whether the slice is used up; the caller should then continue by {@link later}. `cost`: in ordinary calls. */
  due(account?: CpuAccount, cost = 1): boolean {
    this.#credits -= cost
    return this.#credits < 0 && this.#look(account) >= sliceMillis
  }

  /** Adds the CPU time since the last measurement to an account. */
  charge(account: CpuAccount): void {
    this.#look(account)
  }

  #look(account?: CpuAccount): number {
    const now = performance.now()
    const gone = now - this.#lastLook
    this.#lastLook = now
    this.#spent += gone
    this.busyMillis += gone
    if (account !== undefined) {
      account.spent += this.#spent
      this.#spent = 0
    }
    if (gone === 0) {
      this.#stillCalls += this.#calls
      if (this.#stillCalls >= callsWithoutClock) return sliceMillis
    } else this.#stillCalls = 0
    // Reads of the clock should be about half a millisecond apart.
    if (gone > 1) this.#calls = Math.max(1, this.#calls >> 1)
    else if (gone < 0.25) this.#calls = Math.min(maxCallsPerLook, this.#calls << 1)
    const used = now - this.#sliceStart
    this.#credits = used >= sliceMillis ? 0 : this.#calls
    return used
  }

  /** Returns the gate of a new process; `undefined` when processes continue as soon as they can. */
  gate(): WaitGate | undefined {
    return undefined
  }

  /** Records that the host waits for a process, until the returned function is called. */
  activity(): StopWaiting {
    return nothing
  }

  /** Records that a process waits for the host, until the returned function is called. */
  hostWait(): StopWaiting {
    return nothing
  }

  /** Calls back in a microtask, or in a macrotask if the slice is used up. */
  soon(callback: () => void): void {
    if (this.due()) this.later(callback)
    else queueMicrotask(callback)
  }

  /** Calls back in a macrotask, in order. */
  later(callback: () => void): void {
    this.#queue.push(callback)
    this.#arm()
  }

  #arm(): void {
    if (this.#armed) return
    this.#armed = true
    queueMacrotask(this.#turn)
  }

  readonly #turn = (): void => {
    this.#armed = false
    this.begin()
    this.#step()
  }

  // Runs the callbacks one after the other, each with its own microtasks; all share one slice.
  readonly #step = (): void => {
    const callback = this.#queue[this.#next]
    if (callback === undefined) {
      this.#queue = []
      this.#next = 0
      return
    }
    if (this.#look() >= sliceMillis) return this.#arm()
    // Frees finished callbacks even if the queue is never empty.
    if (++this.#next === maxFinishedCallbacks) {
      this.#queue.splice(0, maxFinishedCallbacks)
      this.#next = 0
    }
    callback()
    queueMicrotask(this.#step)
  }
}
