/**
 * Declares `ShellExitError`, and fails the stream or the result of a run with it for any `ShellOutput` for which a
 * predicate holds.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ShellOutput } from "../command/ShellEvent.ts"
import { isOutput } from "./takeShellOutput.ts"

const Base: Schema.Class<
  ShellExitError,
  Schema.TaggedStruct<
    "ShellExitError",
    {
      readonly message: Schema.String
      readonly command: Schema.optionalKey<Schema.String>
      readonly output: typeof ShellOutput
    }
  >,
  Cause.YieldableError
> = Schema.TaggedError<ShellExitError>()("ShellExitError", {
  message: Schema.String,
  command: Schema.optionalKey(Schema.String),
  output: ShellOutput,
})

/** Lines and characters of stderr that a message shows at most. */
const shownLines = 10
const shownLength = 2_000

const lastLines = (text: string): string => text.slice(-shownLength).trimEnd().split("\n").slice(-shownLines).join("\n")

/**
 * A command ended with an exit code or signal that the caller treats as a failure. `output` is its last event.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const strict = Shell.run(ShellExec.shell("echo no >&2; exit 3")).pipe(Shell.failOnExit(), Effect.flip)
 * const error = await Effect.runPromise(Effect.provide(strict, LocalShell.layer))
 * console.assert(error._tag === "ShellExitError" && error.exitCode === 3 && error.stderr === "no\n")
 * ```
 *
 * @stability stable
 */
export class ShellExitError extends Base {
  /** The exit code of {@link ShellExitError.output}. */
  get exitCode(): number {
    return this.output.exitCode
  }

  /** The signal that ended it, if one did. */
  get signal(): string | undefined {
    return this.output.signal
  }

  /** Its stdout, if that was captured. */
  get stdout(): string {
    return this.output.stdout
  }

  /** Its stderr, if that was captured. */
  get stderr(): string {
    return this.output.stderr
  }

  /** Milliseconds from the spawn. */
  get duration(): number {
    return this.output.duration
  }

  /**
   * Makes the error of an output. Its message contains the command (default: the executed file), the exit code or signal, the
   * duration, and the last lines of `stderr` (default: that of the output).
   */
  static because(
    output: ShellOutput,
    shown: { readonly command?: string | undefined; readonly stderr?: string | undefined } = {},
  ): ShellExitError {
    const { command, stderr = output.stderr } = shown
    const how = output.signal === undefined ? `exited with ${output.exitCode}` : `was ended by ${output.signal}`
    const after = Duration.format(Duration.millis(Math.max(1, Math.round(output.duration))))
    const last = lastLines(stderr)
    return new ShellExitError({
      message: `exec: ${command ?? output.executable} ${how} after ${after} (EXIT)${last === "" ? "" : `\n${last}`}`,
      ...(command === undefined ? undefined : { command }),
      output,
    })
  }
}

/**
 * The events of a run, or its result.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec, type ShellRun } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const runs: ReadonlyArray<ShellRun> = [Shell.run(ShellExec.make`true`), Shell.exec(ShellExec.make`true`)]
 * console.assert(Effect.isEffect(runs[0]) && Stream.isStream(runs[1]))
 * ```
 *
 * @stability stable
 */
export type ShellRun = Stream.Stream<unknown, unknown, unknown> | Effect.Effect<ShellOutput, unknown, unknown>

/**
 * A {@link ShellRun} that may also fail with a {@link ShellExitError}.
 *
 * @example
 * ```ts
 * import { type CheckedShellRun, LocalShell, Shell, ShellExec, type ShellFault, type ShellOutput } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const checked: CheckedShellRun<Effect.Effect<ShellOutput, ShellFault, Shell>> = Shell.run(ShellExec.make`true`).pipe(
 *   Shell.failOnExit(),
 * )
 * console.assert((await Effect.runPromise(Effect.provide(checked, LocalShell.layer))).exitCode === 0)
 * ```
 *
 * @stability stable
 */
export type CheckedShellRun<Run> = Run extends Stream.Stream<infer A, infer E, infer R>
  ? Stream.Stream<A, E | ShellExitError, R>
  : Run extends Effect.Effect<infer A, infer E, infer R> ? Effect.Effect<A, E | ShellExitError, R>
  : never

/** Fails the events or the result of a run at a `ShellOutput` for which `isFailure` holds; chunks before it pass. */
export const failOnExit = (
  isFailure: (output: ShellOutput) => boolean,
): <Run extends ShellRun>(run: Run) => CheckedShellRun<Run> => {
  const check = <A>(output: ShellOutput, value: A): Effect.Effect<A, ShellExitError> =>
    isFailure(output) ? Effect.fail(ShellExitError.because(output)) : Effect.succeed(value)
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
