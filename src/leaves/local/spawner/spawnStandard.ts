/** Starts one command, feeds its inputs, and makes its `ChildProcessHandle`. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import type { StandardCommand } from "effect/process/ChildProcess"
import { type ChildProcessHandle, ExitCode, makeHandle, ProcessId } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { completeLater } from "../../../base/waits.ts"
import type { ByteWriter } from "../../../shell/SpawnedProcess.ts"
import { inputSink } from "./inputSink.ts"
import { outputStream } from "./outputStream.ts"
import {
  badArgument,
  endedBySignal,
  inputCut,
  killFailed,
  type ProcessDescription,
  readFailed,
  writeFailed,
} from "./platformErrors.ts"
import { acquireProcess, type ScopedProcess, type SpawnerContext } from "./ScopedProcess.ts"
import { type Input, resolveAdditionalFds, resolveInput, resolveOutput } from "./stdio.ts"

/** A running command. */
export interface SpawnedStage {
  readonly handle: ChildProcessHandle
  /** Closes an output unread (`"stdout"`, `"stderr"`, `"all"`, `"fd3"`); later writes of the process fail. */
  readonly closeOutput: (name: string) => void
}

type Bytes = Stream.Stream<Uint8Array, PlatformError.PlatformError>
type BytesSink = Sink.Sink<void, Uint8Array, never, PlatformError.PlatformError>
type OutputSink = Sink.Sink<Uint8Array, Uint8Array, never, PlatformError.PlatformError>
type InputFailure = Deferred.Deferred<never, PlatformError.PlatformError>

const isOutputSink = (u: unknown): u is OutputSink => Sink.isSink(u)

const through = (stream: Bytes, sink: unknown): Bytes => isOutputSink(sink) ? Stream.transduce(stream, sink) : stream

const streamOf = (scoped: ScopedProcess, subject: ProcessDescription, ...names: ReadonlyArray<string>): Bytes => {
  const pipes = names.flatMap((name) => scoped.pipes.get(name) ?? [])
  return pipes.length === 0 ? Stream.empty : outputStream({
    pipes,
    onRun: () => scoped.makeRoom(),
    onError: (error) => readFailed(subject, names.join(), error),
  })
}

const outputsOf = (
  scoped: ScopedProcess,
  subject: ProcessDescription,
): Pick<ChildProcessHandle, "stdout" | "stderr" | "all"> => {
  const [toStdout, toStderr] = [
    resolveOutput(subject.command.options.stdout),
    resolveOutput(subject.command.options.stderr),
  ]
  const stdout = through(streamOf(scoped, subject, "stdout"), toStdout)
  const stderr = through(streamOf(scoped, subject, "stderr"), toStderr)
  const all = isOutputSink(toStdout) || isOutputSink(toStderr)
    ? Stream.merge(stdout, stderr)
    : streamOf(scoped, subject, "stdout", "stderr")
  return { stdout, stderr, all }
}

const sinkOf = (
  { tree }: ScopedProcess,
  subject: ProcessDescription,
  name: string,
  writer: ByteWriter | undefined,
  { encoding, endOnDone }: Omit<Input, "stream">,
): BytesSink =>
  writer === undefined ? Sink.drain : inputSink({
    writer,
    encoding,
    endOnDone,
    exited: tree.exited,
    onBroken: () => writeFailed(subject, name),
    onCut: () => inputCut(subject, name),
  })

/** Feeds a sink with a stream in the background. A failure of the stream truncates the input and is kept. */
const feed = (stream: Bytes, sink: BytesSink, failure: InputFailure): Effect.Effect<unknown, never, Scope.Scope> =>
  Effect.forkScoped(
    Stream.run(Stream.tapError(stream, (error) => Effect.sync(() => completeLater(failure, Effect.fail(error)))), sink),
  )

const descriptorsOf = (
  scoped: ScopedProcess,
  subject: ProcessDescription,
  failure: InputFailure,
): Effect.Effect<Pick<ChildProcessHandle, "getInputFd" | "getOutputFd">, PlatformError.PlatformError, Scope.Scope> =>
  Effect.gen(function* () {
    const inputs = new Map<number, BytesSink>()
    const outputs = new Map<number, Bytes>()
    for (const { config, fd } of resolveAdditionalFds(subject.command.options)) {
      const name = `fd${fd}`
      const pipe = scoped.process.extra?.get(fd)
      if (pipe === undefined) {
        return yield* Effect.fail(badArgument(`this runtime gives a process no descriptor ${fd}`))
      }
      if (config.type !== "input") outputs.set(fd, through(streamOf(scoped, subject, name), config.sink))
      if (config.type !== "output") {
        const sink = sinkOf(scoped, subject, name, pipe.writer, { encoding: "utf-8", endOnDone: true })
        inputs.set(fd, sink)
        if (config.stream !== undefined) yield* feed(config.stream, sink, failure)
      }
    }
    return {
      getInputFd: (fd) => inputs.get(fd) ?? Sink.drain,
      getOutputFd: (fd) => outputs.get(fd) ?? Stream.empty,
    }
  })

const exitCodeOf = (
  scoped: ScopedProcess,
  subject: ProcessDescription,
  failure: InputFailure,
): Effect.Effect<ExitCode, PlatformError.PlatformError> =>
  Effect.suspend(() => {
    scoped.makeRoom()
    return Effect.flatMap(
      Effect.raceFirst(scoped.tree.exited, Deferred.await(failure)),
      ({ exitCode, signal }): Effect.Effect<ExitCode, PlatformError.PlatformError> => {
        // A failed input was truncated, even if the process succeeded.
        if (Deferred.isDoneUnsafe(failure)) return Deferred.await(failure)
        return signal === undefined ? Effect.succeed(ExitCode(exitCode)) : Effect.fail(endedBySignal(subject, signal))
      },
    )
  })

/** Starts one command, whose process ends with the scope. */
export const spawnStandard = (
  context: SpawnerContext,
  command: StandardCommand,
): Effect.Effect<SpawnedStage, PlatformError.PlatformError, Scope.Scope> =>
  Effect.gen(function* () {
    const subject: ProcessDescription = { command, platform: context.platform }
    const scoped = yield* acquireProcess(context, subject)
    const { pipes, process, tree } = scoped
    const failure: InputFailure = Deferred.makeUnsafe()
    const input = resolveInput(command.options)
    const stdin = sinkOf(scoped, subject, "stdin", process.stdin, input)
    if (Stream.isStream(input.stream)) yield* feed(input.stream, stdin, failure)
    const descriptors = yield* descriptorsOf(scoped, subject, failure)
    const reref = Effect.sync(() => scoped.setReferenced(true))
    const handle = makeHandle({
      pid: ProcessId(process.pid),
      exitCode: exitCodeOf(scoped, subject, failure),
      isRunning: Effect.sync(() => tree.status === undefined),
      kill: (options = {}) => Effect.mapError(tree.end(options), (why) => killFailed(subject, why)),
      stdin,
      ...outputsOf(scoped, subject),
      ...descriptors,
      unref: Effect.sync(() => {
        scoped.setReferenced(false)
        return reref
      }),
    })
    return {
      handle,
      closeOutput: (name) => {
        for (const each of name === "all" ? ["stdout", "stderr"] : [name]) pipes.get(each)?.release()
      },
    }
  })
