/** Waits for a process that takes time to start, within the timeout of its command, and ends one that starts too late. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { aborted } from "../base/abort.ts"
import { exitOf } from "../base/waits.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import { cancelledFault, describeLateStart } from "./describeFaults.ts"
import type { Outcome } from "./observe.ts"
import type { LeafRunOptions } from "./ShellService.ts"
import type { SpawnedProcess } from "./SpawnedProcess.ts"

/** Time beyond the grace that an interrupted start has to clean up before its caller goes on without it. */
const cleanUpTime = Duration.seconds(5)

/** Ends a process that no run will read. */
export const endUnread = (
  { release, stderr, stdin, stdout, terminate }: SpawnedProcess,
  grace: Duration.Duration,
): Effect.Effect<void> =>
  Effect.suspend(() => {
    // A process that writes gets EPIPE, and cannot be stuck in a full pipe.
    stdout.release()
    stderr?.release()
    void stdin?.end()
    return terminate(grace)
  }).pipe(
    Effect.ensuring(Effect.promise(async () => await release?.())),
    Effect.asVoid,
  )

/** Makes an Effect as interruptible as its caller was. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export interface PendingStart {
  readonly exec: ShellExec
  readonly options: Pick<LeafRunOptions, "kill" | "signal">
  readonly timeoutMillis: number
  readonly grace: Duration.Duration
  /** Called once if there is no process: when nothing of the start is left. */
  readonly observe: (outcome: Outcome) => void
  /** The start, in an uninterruptible fiber of its own, so that its caller can be interrupted at any time. */
  readonly starting: Fiber.Fiber<SpawnedProcess, ShellFault>
}

/** Interrupts a start where it is interruptible, and ends a process that it makes in spite of that. */
export const abandonStart = (
  { exec, grace, observe, starting }: PendingStart,
  outcome: Outcome,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    starting.interruptUnsafe()
    const ended = exitOf(starting)
    const ending = Effect.flatMap(
      ended,
      (exit) => Exit.isSuccess(exit) ? endUnread(exit.value, grace) : Effect.void,
    )
    const rest = yield* Effect.forkDetach(
      Effect.ensuring(ending, Effect.sync(() => observe(outcome))),
      { startImmediately: true, uninterruptible: true },
    )
    const settled = yield* Effect.timeoutOption(ended, Duration.sum(grace, cleanUpTime))
    if (Option.isSome(settled)) return yield* Effect.asVoid(Fiber.await(rest))
    yield* Effect.logWarning(
      `exec: the start of ${exec.command} goes on although it was interrupted: it keeps its slot until it has ended, ` +
        "and a process that it still starts is ended",
      { commandId: exec.commandId },
    )
  })

/** Waits for a start, and abandons it where its process will not be read. The caller is uninterruptible except by `restore`. */
export const awaitStart = (pending: PendingStart, restore: Restore): Effect.Effect<SpawnedProcess, ShellFault> =>
  Effect.gen(function* () {
    const { exec, observe, options: { kill, signal }, starting, timeoutMillis } = pending
    const stops = [signal, kill].flatMap((each) =>
      each === undefined ? [] : [Effect.map(aborted(each), () => cancelledFault(exec))]
    )
    if (timeoutMillis !== Infinity) {
      stops.push(Effect.map(
        Effect.sleep(timeoutMillis),
        () => ShellFault.because(exec.commandId, ...describeLateStart(exec, timeoutMillis)),
      ))
    }
    const waited = Effect.onInterrupt(
      restore(Effect.raceAllFirst([exitOf(starting), ...stops])),
      () => abandonStart(pending, undefined),
    )
    const first = starting.pollUnsafe() ?? (yield* waited)
    if (!Exit.isExit(first)) {
      yield* abandonStart(pending, first)
      return yield* Effect.fail(first)
    }
    if (Exit.isFailure(first)) observe(Option.getOrUndefined(Exit.findErrorOption(first)))
    return yield* first
  })
