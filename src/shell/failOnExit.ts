/** Fails a run with a `ShellExitError` for any `ShellOutput` for which a predicate holds. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ShellOutput } from "../command/ShellEvent.ts"
import { ShellExitError as PlainExitError } from "./plain/ShellExitError.ts"
import type { ShellExitError } from "./ShellExitError.ts"
import { isOutput } from "./takeShellOutput.ts"

/** The events of a run, or its result. */
export type ShellRun = Stream.Stream<unknown, unknown, unknown> | Effect.Effect<ShellOutput, unknown, unknown>

/** A {@link ShellRun} that may also fail with a {@link ShellExitError}. */
export type CheckedShellRun<Run> = Run extends Stream.Stream<infer A, infer E, infer R>
  ? Stream.Stream<A, E | ShellExitError, R>
  : Run extends Effect.Effect<infer A, infer E, infer R> ? Effect.Effect<A, E | ShellExitError, R>
  : never

/** Fails the events or the result of a run at a `ShellOutput` for which `isFailure` holds; chunks before it pass. */
export const failOnExit = (
  isFailure: (output: ShellOutput) => boolean = ({ exitCode }) => exitCode !== 0,
): <Run extends ShellRun>(run: Run) => CheckedShellRun<Run> => {
  const check = <A>(output: ShellOutput, value: A): Effect.Effect<A, ShellExitError> =>
    isFailure(output) ? Effect.fail(PlainExitError.because(output)) : Effect.succeed(value)
  function checkRun<Run extends ShellRun>(run: Run): CheckedShellRun<Run>
  function checkRun(run: ShellRun): ShellRun {
    if (!Stream.isStream(run)) return Effect.flatMap(run, (output) => check(output, output))
    return Stream.mapArrayEffect(run, (elements) => {
      const last = elements[elements.length - 1]
      return isOutput(last) ? check(last, elements) : Effect.succeed(elements)
    })
  }
  return checkRun
}
