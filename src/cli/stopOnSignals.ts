/** Ends the program on SIGINT, SIGTERM and SIGHUP: the first asks it to end, the second ends it at once. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { Latch } from "../base/waits.ts"
import { exitStatusOfFault } from "./exitStatus.ts"
import type { ProcessOutput } from "./ProcessOutput.ts"
import type { CliProcess, EndSignal } from "./CliProcess.ts"

/** The signals that were received. */
export interface ReceivedSignals {
  readonly first: Effect.Effect<void>
  readonly second: Effect.Effect<void>
  readonly by: () => EndSignal | undefined
  /** The exit status of a server: 0, or after a second signal the status of the first one. */
  readonly status: () => number
}

export const watchSignals = (cli: CliProcess, onFirst: () => void = () => {}): ReceivedSignals => {
  const first = new Latch()
  const second = new Latch()
  let by: EndSignal | undefined
  cli.onSignal((signal) => {
    if (by !== undefined) second.open()
    else {
      by = signal
      onFirst()
      first.open()
    }
  })
  return {
    first: first.await,
    second: second.await,
    by: () => by,
    status: () => second.isOpen() ? exitStatusOfFault({ _tag: "Cancelled" }, by) : 0,
  }
}

/** Completes with the exit status of the first signal that is received. Listens before it returns. */
export const stopped = (cli: CliProcess): Effect.Effect<number> => {
  const { by, first } = watchSignals(cli)
  return Effect.map(first, () => exitStatusOfFault({ _tag: "Cancelled" }, by()))
}

export interface StopRequest {
  /** Aborts at the first signal: the command gets SIGTERM and may still write. */
  readonly signal: AbortSignal
  readonly by: () => EndSignal | undefined
  /**
   * Completes when the program should exit without waiting further. After a second signal the tree is killed, and
   * the run has a second to report it; after the first, output that is not read for a second is abandoned.
   */
  readonly now: Effect.Effect<void>
}

export const stopOnSignals = (cli: CliProcess, output: ProcessOutput, killAll: Effect.Effect<void>): StopRequest => {
  const controller = new AbortController()
  const end = watchSignals(cli, () => controller.abort())
  const stalled = Effect.gen(function* () {
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
      Effect.raceFirst(Effect.andThen(Effect.andThen(end.second, killAll), Effect.sleep("1 second")), stalled),
    ),
  }
}

export const exitStatusOfStop = (stop: StopRequest): number => exitStatusOfFault({ _tag: "Cancelled" }, stop.by())

/** Runs a subcommand until it is done or has to stop, and returns its exit status. */
export const runUntilStopped = <E>(
  work: Effect.Effect<number, E, Scope.Scope>,
  stop: StopRequest,
): Effect.Effect<number, E> =>
  Effect.flatMap(
    // Runs in a fiber of its own, so that a journal or a command that does not respond cannot delay an immediate exit.
    Effect.forkDetach(Effect.scoped(work)),
    (fiber) =>
      Effect.tap(
        Effect.raceFirst(Fiber.join(fiber), Effect.map(stop.now, () => exitStatusOfStop(stop))),
        () => Effect.timeoutOption(Fiber.interrupt(fiber), "1 second"),
      ),
  )
