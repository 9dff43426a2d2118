/**
 * Stops a run on Ctrl-C, SIGTERM or SIGHUP: gracefully at the first signal, at once at the second.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { watchSignals } from "./watchSignals.ts"
import type { ProcessOutput } from "./ProcessOutput.ts"
import type { CliProcess, EndSignal } from "./CliProcess.ts"

/** The wish to stop. */
export interface StopRequest {
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
export const stopOnSignals = (own: CliProcess, output: ProcessOutput, killAll: Effect.Effect<void>): StopRequest => {
  const controller = new AbortController()
  const end = watchSignals(own, () => controller.abort())
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
