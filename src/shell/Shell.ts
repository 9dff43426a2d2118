/**
 * Declares the `Shell` service, operators that run commands on the shell of the context (events, bytes, lines, text,
 * JSON, exit codes, pipelines), and the constructor of shell services.
 *
 * Not a library of processes such as execa or Effect's `ChildProcess`: a leaf need not start processes, every end is one
 * typed event or fault, and back-pressure, admission and the end of whole trees are part of the contract.
 */
import * as Channel from "effect/Channel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { listAdvice } from "../command/argumentsHint.ts"
import { CommandId } from "../command/CommandId.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import { ShellExec as PlainExec } from "../command/plain/ShellExec.ts"
import { ShellFault as PlainFault, withFaultFields } from "../command/plain/ShellFault.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { type CheckedShellRun, failOnExit, type ShellRun } from "./failOnExit.ts"
import type { ShellExitError } from "./ShellExitError.ts"
import { type PipelineOptions, runPipeline } from "./runPipeline.ts"
import { makeCapabilities } from "./ShellCapabilities.ts"
import type { ShellBytes, ShellImplementation, ShellRunOptions, ShellService } from "./ShellService.ts"
import { takeShellOutput } from "./takeShellOutput.ts"
import { refusePortableScripts } from "./portableShell.ts"
import { refuseTerminals } from "./refuseTerminal.ts"

const Base: Context.ServiceClass<Shell, "@sluice/shell/Shell", ShellService> = Context.Service<Shell, ShellService>()(
  "@sluice/shell/Shell",
)

/**
 * Runs commands. The layer decides where: a leaf such as `LocalShell.layer`, or a shell around one.
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
 * console.log(chunk?._tag === "ShellOutputChunk" && chunk.content) // hello
 * console.log(output?._tag === "ShellOutput" && output.exitCode) // 0
 * ```
 */
export class Shell extends Base {
  /** Runs one command on the shell of the context: see {@link ShellService.exec}. */
  static exec(
    exec: ShellExec,
    options?: ShellRunOptions,
  ): Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault, Shell> {
    return advised(exec, onShell((shell) => shell.exec(exec, options)))
  }

  /**
   * Runs one command on the shell of the context, without decoding. The elements may be kept: each has a copy of its
   * bytes, while an element of {@link ShellService.bytes} is valid only until the next one.
   */
  static bytes(exec: ShellExec, options?: ShellRunOptions): Stream.Stream<ShellBytes | ShellOutput, ShellFault, Shell> {
    return Stream.map(
      advised(exec, onShell((shell) => shell.bytes(exec, options))),
      (event) => event._tag === "ShellBytes" ? { ...event, bytes: event.bytes.slice() } : event,
    )
  }

  /**
   * Runs one command to its end; the whole output is in the result, within the budget.
   *
   * @example
   * ```ts
   * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
   * import { Effect } from "effect"
   *
   * const run = Shell.run(ShellExec.shell("echo out; echo err >&2; exit 3")).pipe(Effect.provide(LocalShell.layer))
   * const { exitCode, stderr, stdout } = await Effect.runPromise(run)
   * console.log([exitCode, stdout, stderr]) // [ 3, 'out\n', 'err\n' ]
   * ```
   */
  static run(exec: ShellExec, options?: ShellRunOptions): Effect.Effect<ShellOutput, ShellFault, Shell> {
    const whole = exec.streamOutput ? new PlainExec({ ...exec, streamOutput: false }) : exec
    const run = Effect.flatMap(Shell, (shell) => takeShellOutput(shell.exec(whole, options)))
    return isLine(exec) ? Effect.mapError(run, adviseOn(exec)) : run
  }

  /**
   * The lines of a command's stdout, without their ends; stderr is read and dropped.
   *
   * @example
   * ```ts
   * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
   * import { Effect, Stream } from "effect"
   *
   * const lines = Shell.lines(ShellExec.make("printf", ["a\\nb\\n"])).pipe(Stream.runCollect, Effect.provide(LocalShell.layer))
   * console.log((await Effect.runPromise(lines)).join()) // a,b
   * ```
   */
  static lines(exec: ShellExec, options?: ShellRunOptions): Stream.Stream<string, ShellFault, Shell> {
    return Shell.exec(exec, options).pipe(
      Stream.map((event) => event._tag === "ShellOutputChunk" && event.stream === "stdout" ? event.content : ""),
      Stream.splitLines,
    )
  }

  /**
   * Joins commands without a shell: each reads what the one before it writes, with back-pressure. The elements are the
   * chunks of the last command and the stderr of all (`commandId` says whose), then one `ShellOutput` with every stage's
   * exit in `stages`; its exit code is the last stage's, or with `pipefail` that of the last stage that failed. A stage that
   * stops reading ends those before it as SIGPIPE would; a fault in one ends all.
   *
   * @example
   * ```ts
   * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
   * import { Effect, Stream } from "effect"
   *
   * const first = Shell.pipeline([ShellExec.make("yes"), ShellExec.make("head", ["-n", "2"])])
   * const events = await Effect.runPromise(first.pipe(Stream.runCollect, Effect.provide(LocalShell.layer)))
   * const output = events.at(-1)
   * console.log(output?._tag === "ShellOutput" && output.stages?.[0]?.signal) // SIGPIPE
   * ```
   */
  static pipeline(
    stages: readonly [ShellExec, ...ReadonlyArray<ShellExec>],
    options: PipelineOptions = {},
  ): Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault, Shell> {
    // Plain JavaScript can give an empty list, or none.
    if (!Array.isArray(stages) || stages.length === 0) return Stream.fail(noStages())
    return onShell((shell) => runPipeline(shell, stages, options))
  }

  /**
   * Turns exit codes into failures: those for which `isFailure` holds (default: not 0). Applies to the stream of
   * `Shell.exec` and to the result of `Shell.run`, which is the first argument or is piped. No operator but `text` and
   * `json` does this by default.
   *
   * @example
   * ```ts
   * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
   * import { Effect, Stream } from "effect"
   *
   * const strict = Shell.exec(ShellExec.make("sh", ["-c", "exit 3"])).pipe(Shell.failOnExit())
   * const error = await Effect.runPromise(strict.pipe(Stream.runDrain, Effect.flip, Effect.provide(LocalShell.layer)))
   * console.log(error._tag === "ShellExitError" && error.output.exitCode) // 3
   *
   * const found = Shell.run(ShellExec.make("sh", ["-c", "exit 1"])).pipe(
   *   Shell.failOnExit((output) => output.exitCode > 1),
   *   Effect.provide(LocalShell.layer)
   * )
   * console.log((await Effect.runPromise(found)).exitCode) // 1
   * ```
   */
  static readonly failOnExit: {
    (isFailure?: (output: ShellOutput) => boolean): <Run extends ShellRun>(run: Run) => CheckedShellRun<Run>
    <Run extends ShellRun>(run: Run, isFailure?: (output: ShellOutput) => boolean): CheckedShellRun<Run>
  } = dual(
    (args) => Stream.isStream(args[0]) || Effect.isEffect(args[0]),
    <Run extends ShellRun>(run: Run, isFailure?: (output: ShellOutput) => boolean) => failOnExit(isFailure)(run),
  )

  /**
   * The stdout of a command as text, without its last line end. Fails with a {@link ShellExitError} for an exit code other
   * than 0, as the text would hide it; beyond `maxOutputBytes` (64 MiB) the middle of the text is left out.
   *
   * @example
   * ```ts
   * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
   * import { Effect } from "effect"
   *
   * const text = Shell.text(ShellExec.make`echo hello`).pipe(Effect.provide(LocalShell.layer))
   * console.log(await Effect.runPromise(text)) // hello
   * ```
   */
  static text(
    exec: ShellExec,
    options?: ShellRunOptions,
  ): Effect.Effect<string, ShellFault | ShellExitError, Shell> {
    return Effect.map(Shell.#checked(exec, options), ({ stdout }) => stdout.replace(/\r?\n$/, ""))
  }

  /**
   * The stdout of a command as JSON, decoded by a Schema. Fails with a {@link ShellExitError} for an exit code other than
   * 0, with a `SchemaError` for output that is not JSON or does not fit the Schema, and with the fault `ResourceExhausted`
   * for output beyond `maxOutputBytes` (64 MiB).
   *
   * @example
   * ```ts
   * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
   * import { Effect, Schema } from "effect"
   *
   * const Version = Schema.Struct({ major: Schema.Int })
   * const version = Shell.json(ShellExec.make`echo ${'{"major":4}'}`, Version).pipe(Effect.provide(LocalShell.layer))
   * console.log((await Effect.runPromise(version)).major) // 4
   * ```
   */
  static json<S extends Schema.Constraint>(
    exec: ShellExec,
    schema: S,
    options?: ShellRunOptions,
  ): Effect.Effect<
    S["Type"],
    ShellFault | ShellExitError | Schema.SchemaError,
    Shell | S["DecodingServices"]
  > {
    const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(schema))
    return Effect.flatMap(
      Shell.#checked(exec, options),
      (output): Effect.Effect<S["Type"], ShellFault | Schema.SchemaError, S["DecodingServices"]> =>
        output.stdoutBytesOmitted > 0 ? Effect.fail(tooLong(exec, output)) : decode(output.stdout),
    )
  }

  /**
   * The exit code of a command; its output is read and dropped.
   *
   * @example
   * ```ts
   * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
   * import { Effect } from "effect"
   *
   * const code = Shell.exitCode(ShellExec.shell("exit 3")).pipe(Effect.provide(LocalShell.layer))
   * console.log(await Effect.runPromise(code)) // 3
   * ```
   */
  static exitCode(exec: ShellExec, options?: ShellRunOptions): Effect.Effect<number, ShellFault, Shell> {
    const quiet = new PlainExec({ ...exec, maxOutputBytes: 0 })
    return Effect.map(Shell.run(quiet, options), (output) => output.exitCode)
  }

  /**
   * Makes a shell service from its two runs; a capability that is left out counts as missing. Such a leaf keeps compiling
   * and working when a capability is added.
   *
   * @example
   * ```ts
   * import { Shell, ShellExec } from "@sluice/shell"
   * import { Effect, Layer, Stream } from "effect"
   *
   * const output = (exec: ShellExec) => ({
   *   _tag: "ShellOutput" as const, commandId: exec.commandId, exitCode: 0, stdout: exec.command, stderr: "",
   *   duration: 0, completed: 0, drain: "eof" as const, executable: exec.command,
   *   stdoutBytes: 0, stderrBytes: 0, stdoutBytesOmitted: 0, stderrBytesOmitted: 0
   * })
   * const echo = Shell.make({
   *   exec: (exec) => Stream.succeed(output(exec)),
   *   bytes: (exec) => Stream.succeed(output(exec)),
   *   capabilities: { leaf: "echo" }
   * })
   * const run = Shell.text(ShellExec.make("hi")).pipe(Effect.provide(Layer.succeed(Shell, echo)))
   * console.log((await Effect.runPromise(run)) === "hi" && !echo.capabilities.pty) // true
   * ```
   *
   * @stability experimental
   */
  static make({ capabilities, ...service }: ShellImplementation): ShellService {
    return refusePortableScripts(refuseTerminals({ ...service, capabilities: makeCapabilities(capabilities) }))
  }

  static #checked(
    exec: ShellExec,
    options: ShellRunOptions | undefined,
  ): Effect.Effect<ShellOutput, ShellFault | ShellExitError, Shell> {
    return Shell.failOnExit(Shell.run(exec, options))
  }
}

/** The stream of the shell of the context: the same as `Stream.unwrap`, without its two extra steps per command. */
const onShell = <A>(
  run: (shell: ShellService) => Stream.Stream<A, ShellFault>,
): Stream.Stream<A, ShellFault, Shell> =>
  Stream.fromChannel(
    Channel.contextWith((context: Context.Context<Shell>) => Stream.toChannel(run(Context.get(context, Shell)))),
  )

/** Whether the program of a command may be a whole command line: only that fault needs advice. */
const isLine = ({ command, useShell }: ShellExec): boolean => !useShell && /\s/.test(command)

const adviseOn = (exec: ShellExec) => (fault: ShellFault): ShellFault => {
  const advice = listAdvice(fault.reason, exec)
  return advice === undefined ? fault : withFaultFields(fault, { message: `${fault.message}; ${advice}` })
}

const advised = <A>(
  exec: ShellExec,
  events: Stream.Stream<A, ShellFault, Shell>,
): Stream.Stream<A, ShellFault, Shell> => isLine(exec) ? Stream.mapError(events, adviseOn(exec)) : events

const noStages = (): ShellFault =>
  PlainFault.because(
    CommandId.make(),
    { _tag: "InvalidRequest", field: "command", code: "EINVAL" },
    "exec: a pipeline is a list of commands, at least one (EINVAL)",
  )

const tooLong = (exec: ShellExec, output: ShellOutput): ShellFault => {
  const kept = output.stdoutBytes - output.stdoutBytesOmitted
  const message = `exec: ${exec.command} wrote ${output.stdoutBytes} bytes, and ${kept} of them were kept: ` +
    "raise maxOutputBytes (ENOBUFS)"
  return PlainFault.because(exec.commandId, { _tag: "ResourceExhausted", resource: "output", code: "ENOBUFS" }, message)
}
