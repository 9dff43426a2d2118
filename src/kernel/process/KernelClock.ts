/**
 * Declares the clock of processes and implements it with the clock and timers of the machine.
 *
 * @module
 */
import { startTimer } from "../../base/startTimer.ts"
import type { StopWaiting } from "../OpenFile.ts"

/**
 * The time and the timers of processes. Tests may give the kernel a clock that they control.
 *
 * @stability stable
 */
export interface KernelClock {
  /** Returns the nanoseconds since 1970. */
  readonly now: () => bigint
  /** Returns the nanoseconds since a fixed moment; it never goes back. */
  readonly monotonic: () => bigint
  /** Calls `wake` once after the milliseconds, never before `after` has returned. `Infinity`: never. */
  readonly after: (milliseconds: number, wake: () => void) => StopWaiting
  /** Resolution in nanoseconds. */
  readonly resolution: bigint
}

const nanoseconds = (milliseconds: number): bigint => BigInt(Math.round(milliseconds * 1e6))

/**
 * The clock of the machine.
 *
 * @example
 * ```ts
 * import { KernelClock } from "@sluice/shell/kernel"
 *
 * const { after, monotonic } = KernelClock.systemClock
 * const before = monotonic()
 * await new Promise<void>((resolve) => after(5, resolve))
 * console.log(monotonic() > before) // true
 * ```
 */
export const systemClock: KernelClock = {
  now: () => BigInt(Date.now()) * 1_000_000n,
  monotonic: () => nanoseconds(performance.now()),
  resolution: 1_000n,
  after: (milliseconds, wake) => startTimer(Math.max(0, milliseconds), wake),
}
