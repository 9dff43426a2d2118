/** Records the start and the end of a run in a tracer span, in metrics and in the log. */
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as LogLevel from "effect/LogLevel"
import type * as Tracer from "effect/Tracer"
import { display } from "../command/plain/secret.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import {
  commandDuration,
  commandsQueued,
  commandsRunning,
  commandsStarted,
  finishedBy,
  stderrBytes,
  stdoutBytes,
} from "./metrics.ts"

/** The end of a run: with its output, with a fault, or closed by its consumer. */
export type Outcome = ShellOutput | ShellFault | undefined

const reasonOf = (outcome: Outcome): string =>
  outcome === undefined ? "Closed" : outcome._tag === "ShellOutput" ? "Exit" : outcome.reason._tag

/** Counts how many wait and run now. */
export const setGauge = (
  which: "queued" | "running",
  now: number,
  context: Context.Context<never>,
): void => (which === "queued" ? commandsQueued : commandsRunning).updateUnsafe(now, context)

/**
 * Makes the span of a run. Secrets show as `<redacted>`; attribute names are those of OpenTelemetry's processes.
 * Without a tracer no span is made: Effect's own spans would go nowhere, and cost as much as planning a command.
 */
export const startSpan = (exec: ShellExec, fiber: Fiber.Fiber<unknown, unknown>): Tracer.Span | undefined =>
  fiber.cache.tracer === undefined ? undefined : Effect.runSyncWith(fiber.context)(Effect.makeSpan("Shell.exec", {
    attributes: {
      "sluice.command_id": exec.commandId,
      "process.command": exec.command,
      "process.command_args": exec.useShell ? [] : exec.arguments.map(display),
    },
  }))

export const recordStart = (
  span: Tracer.Span | undefined,
  process: { readonly pid?: number | undefined; readonly executable: string },
  context: Context.Context<never>,
): void => {
  span?.attribute("process.executable.path", process.executable)
  if (process.pid !== undefined) span?.attribute("process.pid", process.pid)
  commandsStarted.updateUnsafe(1, context)
}

/** The run is over. */
export const recordEnd = (
  span: Tracer.Span | undefined,
  outcome: Outcome,
  clock: Clock.Clock,
  context: Context.Context<never>,
): void => {
  finishedBy(reasonOf(outcome)).updateUnsafe(1, context)
  if (outcome !== undefined && outcome.stdoutBytes > 0) stdoutBytes.updateUnsafe(outcome.stdoutBytes, context)
  if (outcome !== undefined && outcome.stderrBytes > 0) stderrBytes.updateUnsafe(outcome.stderrBytes, context)
  if (outcome?._tag === "ShellOutput") {
    commandDuration.updateUnsafe(outcome.duration, context)
    span?.attribute("process.exit.code", outcome.exitCode)
    if (outcome.signal !== undefined) span?.attribute("process.exit.signal", outcome.signal)
  }
  if (span === undefined) return
  if (outcome?._tag === "ShellFault") span.attribute("error.type", outcome.reason._tag)
  const exit = outcome === undefined
    ? Exit.interrupt()
    : outcome._tag === "ShellOutput"
    ? Exit.void
    : Exit.fail(outcome)
  span.end(clock.currentTimeNanosUnsafe(), exit)
}

/** The end of a run in the log, at level Debug, annotated with its command id. */
export const logEnd = (exec: ShellExec, outcome: Outcome): Effect.Effect<void> =>
  Effect.withFiber(({ cache }) =>
    LogLevel.isGreaterThan(cache.minimumLogLevel, "Debug") ? Effect.void : Effect.annotateLogs(
      Effect.logDebug(
        outcome === undefined
          ? `${exec.command} was closed`
          : outcome instanceof ShellFault
          ? outcome.message
          : `${exec.command} exited with ${outcome.exitCode}`,
      ),
      { commandId: exec.commandId },
    )
  )
