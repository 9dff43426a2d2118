/** Waits for an admission slot for a command, within its timeout; warns of a long wait. */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { aborted } from "../base/abort.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import type { Admission } from "./Admission.ts"
import { cancelledFault } from "./describeFaults.ts"
import { formatCommandLine } from "./formatCommandLine.ts"
import { setGauge } from "./observe.ts"

/**
 * The time without a released slot after which a waiting command logs a warning; a queue that moves is no reason to
 * warn.
 */
const warnAfter = "1 second"

/** Maximum number of commands that a warning lists, and of characters of each. */
const maxListed = 3
const maxLine = 40

const describe = (exec: ShellExec): string => {
  const line = formatCommandLine(exec)
  return line.length > maxLine ? `${line.slice(0, maxLine)}…` : line
}

/**
 * Logs which commands hold the slots, since commands that never end hold theirs for ever. Effect adds the log to the
 * span of the caller, too.
 */
const warn = (exec: ShellExec, { options: { maxConcurrency }, runningCommands }: Admission): Effect.Effect<void> => {
  const others = runningCommands.length - maxListed
  const first = runningCommands.slice(0, maxListed).map(describe).join(", ")
  return Effect.logWarning(
    `exec: ${describe(exec)} (${exec.commandId}) waits: at most ${maxConcurrency} commands run at once ` +
      `(maxConcurrency), first ${first}${others > 0 ? ` and ${others} more` : ""}; end one, or raise it, as in ` +
      `LocalShell.layerWith({ maxConcurrency: ${2 * maxConcurrency} })`,
  )
}

/** Acquires a slot. Fails if the queue is full, the timeout expires or the signal is aborted. */
export const admit = (
  admission: Admission,
  exec: ShellExec,
  timeoutMillis: number,
  signal: AbortSignal | undefined,
  context: Context.Context<never>,
): Effect.Effect<void, ShellFault> => {
  if (admission.tryAcquire(exec)) return Effect.void
  const { maxConcurrency, maxQueued } = admission.options
  if (admission.queued >= maxQueued) {
    return Effect.fail(ShellFault.because(
      exec.commandId,
      { _tag: "Throttled", maxConcurrency, maxQueued },
      `exec: ${maxConcurrency} commands run (maxConcurrency) and ${maxQueued} wait (maxQueued); ` +
        "try again later, or raise these options of the leaf (THROTTLED)",
    ))
  }
  const acquired = Effect.as(admission.acquire(exec), "admitted" as const)
  const cancellable = signal === undefined
    ? acquired
    : Effect.raceFirst(acquired, Effect.as(aborted(signal), "cancelled" as const))
  const timed = timeoutMillis === Infinity
    ? cancellable
    : Effect.timeoutOrElse(cancellable, { duration: timeoutMillis, orElse: () => Effect.succeed("late" as const) })
  const count = Effect.sync(() => setGauge("queued", admission.queued, context))
  const warning: Effect.Effect<void> = Effect.suspend(() => {
    const { released } = admission
    const next = Effect.suspend(() => admission.released === released ? warn(exec, admission) : warning)
    return Effect.andThen(Effect.sleep(warnAfter), next)
  })
  return Effect.raceFirst(timed, Effect.andThen(warning, Effect.never)).pipe(
    Effect.ensuring(count),
    Effect.flatMap((outcome) =>
      outcome === "admitted" ? Effect.void : Effect.fail(
        outcome === "cancelled" ? cancelledFault(exec) : ShellFault.because(
          exec.commandId,
          { _tag: "Timeout", kind: "queue", afterMillis: timeoutMillis },
          `exec: ${exec.command} waited ${Duration.format(Duration.millis(timeoutMillis))} for one of the ` +
            `${maxConcurrency} slots of the leaf (maxConcurrency), and was not started (TIMEOUT)`,
        ),
      )
    ),
  )
}
