/**
 * One command, started: its process, and the handle to it.
 *
 * @module
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import type { StandardCommand } from "effect/process/ChildProcess"
import { type ChildProcessHandle, ExitCode, makeHandle, ProcessId } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { ByteReader, ByteWriter } from "../../../shell/Spawned.ts"
import type { Host } from "../Host.ts"
import { newMarker } from "../runMarker.ts"
import type { Resolver } from "../resolve-cache.ts"
import type { Platform } from "../resolve-paths.ts"
import type { Terminator } from "../terminate.ts"
import { ChildTree } from "./ChildTree.ts"
import { inputSink } from "./inputSink.ts"
import { OutputPipe } from "./OutputPipe.ts"
import { outputStream } from "./outputStream.ts"
import { planProcess } from "./planProcess.ts"
import {
  badArgument,
  endedBySignal,
  inputCut,
  killFailed,
  readFailed,
  type Subject,
  writeFailed,
} from "./platformErrors.ts"
import { startProcess } from "./startProcess.ts"
import { additionalFdsOf, type Input, inputOf, outputOf } from "./stdio.ts"

/** What all processes of a spawner share. */
export interface SpawnContext {
  readonly host: Host
  readonly platform: Platform
  readonly terminator: Terminator
  readonly resolve: Resolver
}

/** A command that runs. */
export interface Running {
  readonly handle: ChildProcessHandle
  /** Closes an output unread (`"stdout"`, `"stderr"`, `"all"`, `"fd3"`): the process is told when it writes. */
  readonly closeOutput: (name: string) => void
}

type Bytes = Stream.Stream<Uint8Array, PlatformError.PlatformError>
type BytesSink = Sink.Sink<void, Uint8Array, never, PlatformError.PlatformError>
type OutputSink = Sink.Sink<Uint8Array, Uint8Array, never, PlatformError.PlatformError>

/**
 * How much is read ahead of an output that nobody reads, while another is read or the exit is waited for. Effect's
 * Node spawner takes a little more (340 KB on Linux), and programs that do not read everything have come to need it.
 */
const roomBytes = 262_144

const acquire = (context: SpawnContext, subject: Subject) =>
  Effect.gen(function* () {
    const { host, platform, terminator } = context
    const { command } = subject
    const marker = newMarker()
    const request = yield* Effect.fromResult(planProcess(command, { ...context, marker }))
    const process = yield* startProcess(host, subject, request)
    const tree = new ChildTree({
      host,
      terminator,
      process,
      marker,
      ownsGroup: request.detached && platform === "posix",
      killSignal: command.options.killSignal ?? "SIGTERM",
    })
    const pipes = new Map<string, OutputPipe>()
    const open = (name: string, reader: ByteReader | undefined, failure?: () => unknown): void => {
      if (reader !== undefined) pipes.set(name, new OutputPipe(reader, failure))
    }
    open("stdout", process.stdout)
    open("stderr", process.stderr)
    for (const [fd, { failure, reader }] of process.extra ?? []) open(`fd${fd}`, reader, failure)
    return { process, tree, pipes, isReferenced: true }
  })

type Acquired = Effect.Success<ReturnType<typeof acquire>>

/** What Effect's Node spawner does when the scope closes: see {@link ChildTree}. A process that was unrefed may stay. */
const release = ({ isReferenced, pipes, process, tree }: Acquired, { options }: StandardCommand): Effect.Effect<void> =>
  Effect.suspend(() => {
    const runs = tree.status === undefined
    if (runs && !isReferenced) return Effect.void
    for (const pipe of pipes.values()) pipe.discard()
    const ended = runs || isReferenced || tree.hasFailed ? Effect.ignore(tree.end(options)) : Effect.void
    return Effect.ensuring(
      ended,
      Effect.sync(() => {
        for (const pipe of pipes.values()) pipe.abandon()
        void process.stdin?.end()
      }),
    )
  })

/** Starts one command. Its process ends with the scope. */
export const spawnStandard = (
  context: SpawnContext,
  command: StandardCommand,
): Effect.Effect<Running, PlatformError.PlatformError, Scope.Scope> =>
  Effect.gen(function* () {
    const subject: Subject = { command, platform: context.platform }
    const running = yield* Effect.acquireRelease(acquire(context, subject), (acquired) => release(acquired, command))
    const { pipes, process, tree } = running
    const inputFailure = Deferred.makeUnsafe<never, PlatformError.PlatformError>()

    const makeRoom = (): void => {
      for (const pipe of pipes.values()) pipe.makeRoom(roomBytes)
    }
    const streamOf = (...names: ReadonlyArray<string>): Bytes => {
      const open = names.flatMap((name) => pipes.get(name) ?? [])
      return open.length === 0
        ? Stream.empty
        : outputStream({ pipes: open, onRun: makeRoom, onError: (error) => readFailed(subject, names.join(), error) })
    }
    const through = (stream: Bytes, sink: unknown): Bytes =>
      isOutputSink(sink) ? Stream.transduce(stream, sink) : stream
    const sinkOf = (
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
    const feed = (stream: Bytes, sink: BytesSink): Effect.Effect<unknown, never, Scope.Scope> =>
      Effect.forkScoped(Stream.run(Stream.tapError(stream, (error) => Deferred.fail(inputFailure, error)), sink))

    const input = inputOf(command.options)
    const stdin = sinkOf("stdin", process.stdin, input)
    if (Stream.isStream(input.stream)) yield* feed(input.stream, stdin)

    const inputs = new Map<number, BytesSink>()
    const outputs = new Map<number, Bytes>()
    for (const { config, fd } of additionalFdsOf(command.options)) {
      const pipe = process.extra?.get(fd)
      if (pipe === undefined) {
        return yield* Effect.fail(badArgument(`The runtime gives the process no descriptor ${fd}`))
      }
      if (config.type !== "input") outputs.set(fd, through(streamOf(`fd${fd}`), config.sink))
      if (config.type !== "output") {
        const sink = sinkOf(`fd${fd}`, pipe.writer, { encoding: "utf-8", endOnDone: true })
        inputs.set(fd, sink)
        if (config.stream !== undefined) yield* feed(config.stream, sink)
      }
    }

    const [toStdout, toStderr] = [outputOf(command.options.stdout), outputOf(command.options.stderr)]
    const stdout = through(streamOf("stdout"), toStdout)
    const stderr = through(streamOf("stderr"), toStderr)
    const all = isOutputSink(toStdout) || isOutputSink(toStderr)
      ? Stream.merge(stdout, stderr)
      : streamOf("stdout", "stderr")

    const exitCode = Effect.suspend(() => {
      makeRoom()
      return Effect.flatMap(
        Effect.raceFirst(tree.exited, Deferred.await(inputFailure)),
        (status): Effect.Effect<ExitCode, PlatformError.PlatformError> => {
          // An input that failed was cut short, whatever the process made of it.
          if (Deferred.isDoneUnsafe(inputFailure)) return Deferred.await(inputFailure)
          return status.signal === undefined
            ? Effect.succeed(ExitCode(status.exitCode))
            : Effect.fail(endedBySignal(subject, status.signal))
        },
      )
    })

    const setReferenced = (isReferenced: boolean): void => {
      if (running.isReferenced === isReferenced) return
      running.isReferenced = isReferenced
      process.setRef(isReferenced)
    }
    const reref = Effect.sync(() => setReferenced(true))

    return {
      handle: makeHandle({
        pid: ProcessId(process.pid),
        exitCode,
        isRunning: Effect.sync(() => tree.status === undefined),
        kill: (options = {}) => Effect.mapError(tree.end(options), (why) => killFailed(subject, why)),
        stdin,
        stdout,
        stderr,
        all,
        getInputFd: (fd) => inputs.get(fd) ?? Sink.drain,
        getOutputFd: (fd) => outputs.get(fd) ?? Stream.empty,
        unref: Effect.sync(() => {
          setReferenced(false)
          return reref
        }),
      }),
      closeOutput: (name) => {
        for (const each of name === "all" ? ["stdout", "stderr"] : [name]) pipes.get(each)?.release()
      },
    }
  })

const isOutputSink = (u: unknown): u is OutputSink => Sink.isSink(u)
