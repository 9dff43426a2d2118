/** Collects an output of a script in memory within its budget, and waits until its writers have closed it. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../../base/waits.ts"
import { Errno } from "../Errno.ts"
import type { KernelClock } from "../process/KernelClock.ts"
import { BufferFile, type ByteBudget } from "../process/BufferFile.ts"
import { drainGraceMillis } from "./drainGraceMillis.ts"

/** Keeps written bytes until it is stopped; later writes fail with EPIPE. */
export class OutputCapture extends BufferFile {
  readonly #overflow: () => void
  #onClosed: (() => void) | undefined
  length = 0
  #stopped = false
  #closed = false

  /** `overflow` is called when a write exceeds the budget. */
  constructor(budget: ByteBudget, overflow: () => void) {
    super(budget)
    this.#overflow = overflow
  }

  override write(from: Uint8Array): number {
    if (this.#stopped) return -Errno.EPIPE
    const count = super.write(from)
    this.length += Math.max(0, count)
    if (count < from.length) this.#overflow()
    return count
  }

  override hungUp(): boolean {
    return this.#stopped
  }

  get closed(): boolean {
    return this.#closed
  }

  set onClosed(callback: (() => void) | undefined) {
    this.#onClosed = callback
  }

  /** Refuses all further writes. */
  stop(): void {
    this.#stopped = true
    this.#onClosed = undefined
  }

  protected override close(): void {
    this.#closed = true
    this.#onClosed?.()
  }
}

/**
 * Waits until every writer has closed the outputs, or nothing was written for a while, because background processes may
 * hold them. `clock` measures that time; `undefined` means the clock of the host.
 */
export const untilClosed = (captures: ReadonlyArray<OutputCapture>, clock?: KernelClock): Effect.Effect<void> =>
  Effect.suspend(() => {
    const open = captures.filter((capture) => !capture.closed)
    if (open.length === 0) return Effect.void
    const size = open.reduce((sum, capture) => sum + capture.length, 0)
    const closedByAll = callbackLater<void>((resume) => {
      for (const capture of open) capture.onClosed = () => resume(untilClosed(captures, clock))
    })
    const late = Effect.suspend(() =>
      open.reduce((sum, capture) => sum + capture.length, 0) > size ? untilClosed(captures, clock) : Effect.void
    )
    if (clock === undefined) {
      return Effect.timeoutOrElse(closedByAll, { duration: drainGraceMillis, orElse: () => late })
    }
    const grace = callbackLater<void>((resume) => {
      const stop = clock.after(drainGraceMillis, () => resume(late))
      return Effect.sync(stop)
    })
    return Effect.raceFirst(closedByAll, grace)
  })
