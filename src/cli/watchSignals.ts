/** Counts received SIGINT, SIGTERM and SIGHUP: the first asks the program to end, the second to end at once. */
import type * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { exitStatusOfFault } from "./exitStatus.ts"
import type { CliProcess, EndSignal } from "./CliProcess.ts"

/** The signals that were received. */
export interface ReceivedSignals {
  /** Completes at the first signal. */
  readonly first: Effect.Effect<void>
  /** Completes at the second signal. */
  readonly second: Effect.Effect<void>
  /** The first signal that was received. */
  readonly by: () => EndSignal | undefined
  /** The exit status of a server: 0, or after a second signal that of the first. */
  readonly status: () => number
}

/** Listens for SIGINT, SIGTERM and SIGHUP; calls `onFirst` at the first. */
export const watchSignals = (cli: CliProcess, onFirst: () => void = () => {}): ReceivedSignals => {
  const first = Latch.makeUnsafe()
  const second = Latch.makeUnsafe()
  let by: EndSignal | undefined
  cli.onSignal((signal) => {
    if (by !== undefined) second.openUnsafe()
    else {
      by = signal
      onFirst()
      first.openUnsafe()
    }
  })
  return {
    first: first.await,
    second: second.await,
    by: () => by,
    status: () => second.isOpen() ? exitStatusOfFault({ _tag: "Cancelled" }, by) : 0,
  }
}
