/**
 * The time of processes.
 *
 * @module
 */
import type { StopWaiting } from "../OpenFile.ts"

/** Gives the time and wakes. Another one may be given to the kernel: one that tests turn by hand. */
export interface KernelClock {
  /** Nanoseconds since 1970. */
  readonly now: () => bigint
  /** Nanoseconds since some moment; it never goes back. */
  readonly monotonic: () => bigint
  /** Calls `wake` once, after so many milliseconds; never before it has returned. */
  readonly after: (milliseconds: number, wake: () => void) => StopWaiting
  /** The smallest step, in nanoseconds. */
  readonly resolution: bigint
}

/** What a timer of the host can count: more makes it fire at once. */
const longest = 2 ** 31 - 1

const nanoseconds = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1e6))

/** The clock of the machine. */
export const systemClock: KernelClock = {
  now: () => BigInt(Date.now()) * 1_000_000n,
  monotonic: () => nanoseconds(performance.now()),
  resolution: 1_000n,
  after: (milliseconds, wake) => {
    let left = Math.max(0, milliseconds)
    let timer: ReturnType<typeof setTimeout> | undefined
    const next = (): void => {
      const part = Math.min(left, longest)
      left -= part
      // A timer of the host takes whole milliseconds, and drops what is more: nobody is to wake early.
      timer = setTimeout(left > 0 ? next : wake, Math.ceil(part))
    }
    if (left !== Infinity) next()
    return () => clearTimeout(timer)
  },
}
