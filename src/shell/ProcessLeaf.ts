/**
 * Implements the two runs of a `Shell` service, `exec` and `bytes`, over a leaf that starts processes: admission,
 * stdin, output, signals, and records of each run.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { onAbort } from "../base/abort.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { Admission, type AdmissionOptions } from "./Admission.ts"
import { admit } from "./admitCommand.ts"
import { hybrid } from "./Chunking.ts"
import { cancelledFault, describeCancel, describeInputFailure } from "./describeFaults.ts"
import { writeInput, writeInputStream } from "./writeInput.ts"
import { logEnd, type Outcome, recordEnd, recordStart, setGauge, startSpan } from "./observe.ts"
import { OutputPump } from "./OutputPump.ts"
import { makeByteSink, makeChunkSink, makeCollectSink, type OutputSink } from "./OutputSink.ts"
import type { LeafRunOptions, ShellService } from "./ShellService.ts"
import type { ByteWriter, SpawnedProcess } from "./SpawnedProcess.ts"

/**
 * Descriptors that a process has instead of pipes: those of this program, or none.
 *
 * @stability experimental
 */
export interface Descriptors {
  /** The stdin of this program. */
  readonly stdin?: "inherit"
  /** The stdout of this program, or none. */
  readonly stdout?: "inherit" | "null"
  /** The stderr of this program, or none. */
  readonly stderr?: "inherit" | "null"
}

/**
 * Settings of a run on a leaf that starts processes of the system.
 *
 * @stability experimental
 */
export interface ProcessRunOptions extends LeafRunOptions {
  /** The writer that receives stderr instead of the stream, as `stdout`. */
  readonly stderr?: ByteWriter | undefined
  /** Descriptors instead of pipes. Default: pipes, and nothing on stdin. Only the local leaf has them. */
  readonly descriptors?: Descriptors | undefined
}

/**
 * The operations and settings of a leaf that starts processes.
 *
 * @stability experimental
 */
export interface ProcessLeaf extends AdmissionOptions {
  /** Timeout of commands without one; `Infinity` for none. */
  readonly defaultTimeoutMillis: number
  /** Time between SIGTERM and SIGKILL for commands without a grace period. */
  readonly gracePeriod: Duration.Duration
  /** Silence after the exit for which a pipe is kept open. */
  readonly drainGraceMillis: number
  /**
   * Checks and plans a command before it waits for its slot; the resulting Effect starts its process. `stdin`: whether there
   * will be input; `options`: those of the run.
   */
  readonly prepare: (
    exec: ShellExec,
    stdin: boolean,
    options: ProcessRunOptions,
  ) => Result.Result<Effect.Effect<SpawnedProcess, ShellFault>, ShellFault>
}

/**
 * The runs of a leaf that starts processes.
 *
 * @stability experimental
 */
export interface ProcessRuns extends Pick<ShellService, "exec" | "bytes"> {
  /** Runs a command and emits its chunks and its last event. */
  readonly exec: (
    exec: ShellExec,
    options?: ProcessRunOptions,
  ) => Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>
}

type Elements<Element> = readonly [Element | ShellOutput, ...Array<Element | ShellOutput>]

/**
 * Makes the runs of a leaf: admission, input, output, the span, and the release of all of them.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { type ByteReader, makeProcessRuns, resolveLeafSettings, type SpawnedProcess } from "@sluice/shell/leaf"
 * import { Effect, Layer, Result } from "effect"
 *
 * const reader = (text: string): ByteReader => {
 *   const pieces = text === "" ? [] : [new TextEncoder().encode(text)]
 *   return { read: (done) => done(pieces.shift()), release: () => {} }
 * }
 * const greeter = Shell.make(makeProcessRuns({
 *   ...resolveLeafSettings("greeter", {}),
 *   prepare: ({ command }) =>
 *     Result.succeed(Effect.sync((): SpawnedProcess => ({
 *       executable: command,
 *       stdout: reader("hello\n"),
 *       stderr: reader(""),
 *       onExit: (done) => done({ exitCode: 0 }),
 *       terminate: () => Effect.succeed([]),
 *     }))),
 * }))
 * const program = Shell.text(ShellExec.make("greet")).pipe(Effect.provide(Layer.succeed(Shell, greeter)))
 * console.assert(await Effect.runPromise(program) === "hello")
 * ```
 *
 * @stability experimental
 */
export const makeProcessRuns = (leaf: ProcessLeaf): ProcessRuns => {
  const admission = new Admission(leaf)

  const start = <Element>(
    exec: ShellExec,
    options: ProcessRunOptions,
    scope: Scope.Scope,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>,
    makeSink: (clock: Clock.Clock) => OutputSink<Element>,
  ): Effect.Effect<Pull.Pull<Elements<Element>, ShellFault>, ShellFault> =>
    Effect.gen(function* () {
      const { admission: takesSlot = true, kill, onSpawn, slot, signal, stdin, stdout } = options
      if (signal?.aborted === true) return yield* Effect.fail(cancelledFault(exec))
      const context = yield* Effect.context<never>()
      const clock = Context.get(context, Clock.Clock)
      const timeoutMillis = exec.timeout === undefined ? leaf.defaultTimeoutMillis : Duration.toMillis(exec.timeout)
      const prepared = leaf.prepare(exec, stdin !== undefined || exec.input !== undefined, options)
      if (Result.isFailure(prepared)) return yield* Effect.fail(prepared.failure)
      if (takesSlot) yield* restore(admit(admission, exec, timeoutMillis, signal, context))
      const leave = (): void => {
        admission.release()
        setGauge("running", admission.running, context)
      }
      if (takesSlot) slot?.take(leave)
      let hasSlot = takesSlot || slot !== undefined
      // Released when the process has been reaped: a consumer that runs further commands does not wait for itself.
      const releaseSlot = (): void => {
        if (!hasSlot) return
        hasSlot = false
        if (slot === undefined) leave()
        else slot.leave()
      }
      const span = yield* startSpan(exec)
      const observe = (outcome: Outcome): void => {
        releaseSlot()
        recordEnd(span, outcome, clock, context)
      }
      // A start that takes long may be interrupted; its slot is free then, too.
      const spawned = yield* prepared.success.pipe(
        Effect.tapError((fault) => Effect.sync(() => observe(fault))),
        Effect.onInterrupt(() => Effect.sync(() => observe(undefined))),
      )
      recordStart(span, spawned, context)
      setGauge("running", admission.running, context)

      let over = false
      let ended: Outcome
      const listeners: Array<() => void> = []
      const terminations: Array<Fiber.Fiber<ReadonlyArray<number>>> = []
      const abort = (): void => pump.end(...describeCancel(exec))
      const killNow = (): void => {
        abort()
        // Runs beside the termination with its grace period, which then finds no process and ends.
        if (!over) Effect.runForkWith(context)(spawned.terminate(Duration.zero))
      }
      const finish = (outcome: Outcome): void => {
        if (over) return
        over = true
        ended = outcome
        for (const remove of listeners) remove()
        observe(outcome)
        spawned.release?.()
      }
      const pump = new OutputPump<Element>({
        exec,
        spawned,
        sink: makeSink(clock),
        clock,
        context,
        timeoutMillis,
        idleTimeoutMillis: exec.idleTimeout === undefined ? Infinity : Duration.toMillis(exec.idleTimeout),
        drainGraceMillis: leaf.drainGraceMillis,
        grace: exec.grace ?? leaf.gracePeriod,
        onExit: releaseSlot,
        onFinish: finish,
        stdoutTo: stdout,
        stderrTo: options.stderr,
      })
      yield* Scope.addFinalizer(
        scope,
        pump.close.pipe(
          Effect.ensuring(Effect.suspend(() => Fiber.awaitAll(terminations))),
          Effect.ensuring(Effect.sync(() => finish(undefined))),
          Effect.andThen(Effect.suspend(() => logEnd(exec, ended))),
        ),
      )
      // Also handles an abort while the command was being started.
      listeners.push(onAbort(signal, abort), onAbort(kill, killNow))
      const sendSignal = (name: string): void => {
        if (over) return
        // The process itself first, so that its exit status has this signal.
        if (name !== "SIGTERM") spawned.signal?.(name)
        if (name === "SIGTERM" || name === "SIGKILL") {
          const grace = name === "SIGKILL" ? Duration.zero : exec.grace ?? leaf.gracePeriod
          terminations.push(Effect.runForkWith(context)(spawned.terminate(grace)))
        }
      }
      onSpawn?.({
        pid: spawned.pid,
        executable: spawned.executable,
        ...(spawned.signal === undefined ? undefined : { kill: sendSignal, onExit: spawned.onExit }),
        ...(spawned.resize === undefined ? undefined : { resize: spawned.resize }),
      })
      if (spawned.stdin !== undefined) yield* feed(exec, spawned.stdin, stdin, scope, pump)
      return pump.next
    })

  const stream = <Element>(
    exec: ShellExec,
    options: ProcessRunOptions,
    makeSink: (clock: Clock.Clock) => OutputSink<Element>,
  ): Stream.Stream<Element | ShellOutput, ShellFault> =>
    Stream.fromChannel(
      Channel.fromTransform((_, scope) =>
        Effect.uninterruptibleMask((restore) => start(exec, options, scope, restore, makeSink))
      ),
    )

  return {
    exec: (exec, options = {}) =>
      exec.streamOutput
        ? stream(
          exec,
          options,
          (clock) =>
            makeChunkSink(
              exec,
              options.chunking ?? hybrid(),
              () => clock.currentTimeMillisUnsafe(),
              options.keepsAscii,
            ),
        )
        : stream(exec, options, () => makeCollectSink(exec)),
    bytes: (exec, options = {}) => stream(exec, options, makeByteSink),
  }
}

const feed = <Element>(
  exec: ShellExec,
  writer: ByteWriter,
  stdin: LeafRunOptions["stdin"],
  scope: Scope.Scope,
  pump: OutputPump<Element>,
): Effect.Effect<unknown> => {
  if (stdin === undefined) {
    return Effect.sync(() => {
      if (exec.input !== undefined) void writeInput(writer, exec.input)
    })
  }
  const failed = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
    Effect.sync(() => {
      const failure = describeInputFailure(exec, cause)
      if (failure !== undefined) pump.end(...failure)
    })
  return Effect.forkIn(Effect.interruptible(Effect.catchCause(writeInputStream(writer, stdin), failed)), scope, {
    // Started before the command can be over: a stream that never started would not be closed either.
    startImmediately: true,
  })
}
