/**
 * What Ctrl-C and its kin do to a run.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { listenForEnd } from "./endRequests.ts"
import type { OwnOutput } from "./Output.ts"
import type { EndSignal, OwnProcess } from "./OwnProcess.ts"

/** The wish to stop. */
export interface Stop {
  /** Aborts at the first signal: the command is asked to end, and may still write. */
  readonly signal: AbortSignal
  /** The first signal that came. */
  readonly by: () => EndSignal | undefined
  /**
   * Ends when nothing is to be waited for any more. After a second signal the tree is killed, and the run has a second
   * to say so; after the first, a reader of our output who does not read for a second is not waited for.
   */
  readonly now: Effect.Effect<void>
}

/** Listens to SIGINT, SIGTERM and SIGHUP. */
export const stopSignals = (own: OwnProcess, output: OwnOutput, killAll: Effect.Effect<void>): Stop => {
  const controller = new AbortController()
  const end = listenForEnd(own, () => controller.abort())
  const unread = Effect.gen(function* () {
    for (;;) {
      const { written } = output
      yield* Effect.sleep("1 second")
      if (output.pending && output.written === written) return
    }
  })
  return {
    signal: controller.signal,
    by: end.by,
    now: Effect.andThen(
      end.first,
      Effect.raceFirst(Effect.andThen(Effect.andThen(end.second, killAll), Effect.sleep("1 second")), unread),
    ),
  }
}
