/**
 * The Shell service, and the operators over it.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { failOnExit, type ShellExitError } from "./failOnExit.ts"
import { splitStdoutLines } from "./splitStdoutLines.ts"
import { type PipelineOptions, runPipeline } from "./pipeline.ts"
import type { ShellBytes, ShellRunOptions, ShellService } from "./ShellService.ts"

const Base: Context.ServiceClass<Shell, "@sluice/shell/Shell", ShellService> = Context.Service<Shell, ShellService>()(
  "@sluice/shell/Shell",
)

/**
 * Runs commands. Where they run is the layer's business.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const events = Shell.exec(ShellExec.make("echo", ["hello"])).pipe(
 *   Stream.runCollect,
 *   Effect.provide(LocalShell.layer)
 * )
 * const [chunk, output] = await Effect.runPromise(events)
 * console.assert(chunk?._tag === "ShellOutputChunk" && chunk.content === "hello\n")
 * console.assert(output?._tag === "ShellOutput" && output.exitCode === 0)
 * ```
 */
export class Shell extends Base {
  /** Runs one command on the shell of the context: see {@link ShellService.exec}. */
  static exec(
    exec: ShellExec,
    options?: ShellRunOptions,
  ): Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault, Shell> {
    return Stream.unwrap(Effect.map(Shell, (shell) => shell.exec(exec, options)))
  }

  /** Runs one command on the shell of the context, without decoding: see {@link ShellService.bytes}. */
  static bytes(exec: ShellExec, options?: ShellRunOptions): Stream.Stream<ShellBytes | ShellOutput, ShellFault, Shell> {
    return Stream.unwrap(Effect.map(Shell, (shell) => shell.bytes(exec, options)))
  }

  /** Runs one command to its end; the whole output is in the result, within the budget. */
  static run(exec: ShellExec, options?: ShellRunOptions): Effect.Effect<ShellOutput, ShellFault, Shell> {
    const whole = exec.streamOutput ? new ShellExec({ ...exec, streamOutput: false }) : exec
    return Effect.flatMap(Shell, (shell) => lastOutput(shell.exec(whole, options)))
  }

  /** The lines of a command's stdout, without their ends; stderr is read and dropped. */
  static lines(exec: ShellExec, options?: ShellRunOptions): Stream.Stream<string, ShellFault, Shell> {
    return splitStdoutLines(Shell.exec(exec, options))
  }

  /**
   * Joins commands without a shell: each reads what the one before it writes, with back-pressure. The elements are
   * the chunks of the last command and the stderr of all (`commandId` tells whose), then one `ShellOutput` with
   * every stage's exit in `stages`; its exit code is the last stage's, or with `pipefail` that of the last stage
   * that failed. A stage that stops reading ends those before it as SIGPIPE would; a fault in one ends all.
   *
   * @example
   * ```ts
   * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
   * import { Effect, Stream } from "effect"
   *
   * const first = Shell.pipeline([ShellExec.make("yes"), ShellExec.make("head", ["-n", "2"])])
   * const events = await Effect.runPromise(first.pipe(Stream.runCollect, Effect.provide(LocalShell.layer)))
   * const output = events.at(-1)
   * console.assert(output?._tag === "ShellOutput" && output.stages?.[0]?.signal === "SIGPIPE")
   * ```
   */
  static pipeline(
    stages: readonly [ShellExec, ...ReadonlyArray<ShellExec>],
    options: PipelineOptions = {},
  ): Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault, Shell> {
    return Stream.unwrap(Effect.map(Shell, (shell) => runPipeline(shell, stages, options)))
  }

  /**
   * Turns exit codes into failures: those for which `isFailure` holds (default: not 0). Nothing does it unasked.
   *
   * @example
   * ```ts
   * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
   * import { Effect, Stream } from "effect"
   *
   * const strict = Shell.exec(ShellExec.make("sh", ["-c", "exit 3"])).pipe(Shell.failOnExit())
   * const error = await Effect.runPromise(strict.pipe(Stream.runDrain, Effect.flip, Effect.provide(LocalShell.layer)))
   * console.assert(error._tag === "ShellExitError" && error.output.exitCode === 3)
   * ```
   */
  static failOnExit(
    isFailure: (output: ShellOutput) => boolean = (output) => output.exitCode !== 0,
  ): <A, E, R>(self: Stream.Stream<A | ShellOutput, E, R>) => Stream.Stream<A | ShellOutput, E | ShellExitError, R> {
    return failOnExit(isFailure)
  }
}

const lastOutput = (
  events: Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>,
): Effect.Effect<ShellOutput, ShellFault> =>
  Effect.flatMap(
    Stream.runLast(events),
    (last) =>
      last._tag === "Some" && last.value._tag === "ShellOutput"
        ? Effect.succeed(last.value)
        : Effect.die(new Error("a run ends with its ShellOutput")),
  )
