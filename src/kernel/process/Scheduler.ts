/**
 * Divides the host's event loop between the processes of a kernel. Promises and suspended WASM stacks continue in
 * microtasks, and no timer of the host fires while microtasks run; after about 4 ms the next call therefore continues
 * in a macrotask.
 *
 * @module
 */
import { isWorkerd } from "./workerd.ts"

/** Milliseconds of microtasks between two macrotasks. */
const slice = 4

/** The clock is read once in so many calls: reading it costs as much as a call. */
const mostCalls = 256

/** Where a clock stands still during a computation (workerd), so many calls are a slice. */
const callsWithoutClock = 8_192

/** Turns that are done, until they are dropped. */
const longestTail = 256

const isFunction = (value: unknown): value is (callback: () => void) => unknown => typeof value === "function"

/** Of what hosts have, the quickest. A timer of 0 ms is a millisecond and more. */
const macrotask = (): (callback: () => void) => void => {
  const immediate: unknown = Reflect.get(globalThis, "setImmediate")
  if (isFunction(immediate)) return (callback) => void immediate(callback)
  // In workerd messages arrive before its event loop turns: while each brings the next one, no timer ever fires.
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

const immediate = macrotask()

/** Whose computing is counted. */
export interface CpuAccount {
  /** Milliseconds, about. */
  spent: number
}

/** One for each kernel. */
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

  /** A macrotask of ours begins: a new slice. */
  begin(): void {
    this.#sliceStart = this.#lastLook = performance.now()
    this.#credits = this.#calls
    this.#stillCalls = 0
  }

  /** Whether the slice is used up: whoever asks should go on by {@link later}. `cost`: in ordinary calls. */
  due(account?: CpuAccount, cost = 1): boolean {
    this.#credits -= cost
    return this.#credits < 0 && this.#look(account) >= slice
  }

  /** Brings an account up to date. */
  charge(account: CpuAccount): void {
    this.#look(account)
  }

  #look(account?: CpuAccount): number {
    const now = performance.now()
    const gone = now - this.#lastLook
    this.#lastLook = now
    this.#spent += gone
    if (account !== undefined) {
      account.spent += this.#spent
      this.#spent = 0
    }
    if (gone === 0) {
      this.#stillCalls += this.#calls
      if (this.#stillCalls >= callsWithoutClock) return slice
    } else this.#stillCalls = 0
    // Looks are to be about half a millisecond apart.
    if (gone > 1) this.#calls = Math.max(1, this.#calls >> 1)
    else if (gone < 0.25) this.#calls = Math.min(mostCalls, this.#calls << 1)
    const used = now - this.#sliceStart
    this.#credits = used >= slice ? 0 : this.#calls
    return used
  }

  /** Calls back in a microtask, or, when the slice is used up, in a macrotask. */
  soon(callback: () => void): void {
    if (this.due()) this.later(callback)
    else queueMicrotask(callback)
  }

  /** Calls back in a macrotask. Those who wait take turns, in order. */
  later(callback: () => void): void {
    this.#queue.push(callback)
    this.#arm()
  }

  #arm(): void {
    if (this.#armed) return
    this.#armed = true
    immediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#armed = false
    this.begin()
    this.#step()
  }

  // One after the other, with what each does in its own microtasks in between: together they have one slice.
  readonly #step = (): void => {
    const callback = this.#queue[this.#next]
    if (callback === undefined) {
      this.#queue = []
      this.#next = 0
      return
    }
    if (this.#look() >= slice) return this.#arm()
    // So that what is done is let go of, even when the queue is never empty.
    if (++this.#next === longestTail) {
      this.#queue.splice(0, longestTail)
      this.#next = 0
    }
    callback()
    queueMicrotask(this.#step)
  }
}
