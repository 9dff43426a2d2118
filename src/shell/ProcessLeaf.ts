/** Implements the runs of a `Shell` service over a leaf that starts processes. */
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { holdSlot } from "./holdSlot.ts"
import { refusePortable } from "./portableShell.ts"
import { Admission, type AdmissionOptions } from "./Admission.ts"
import { admit } from "./admit.ts"
import { abandonStart, awaitStart, endUnread, type PendingStart, type Restore } from "./awaitStart.ts"
import { hybrid } from "./Chunking.ts"
import { cancelledFault } from "./describeFaults.ts"
import { type Outcome, recordEnd, recordStart, setGauge, startSpan } from "./observe.ts"
import {
  encodingOf,
  makeByteSink,
  makeChunkSink,
  makeCollectSink,
  makeRecordedSink,
  type Next,
  type OutputSink,
} from "./OutputSink.ts"
import { type Closing, runProcess } from "./runProcess.ts"
import type { LeafRunOptions, ShellService } from "./ShellService.ts"
import type { ByteWriter, SpawnedProcess } from "./SpawnedProcess.ts"
import { refuseEncoding } from "./validateExec.ts"

/** Descriptors that a process has instead of pipes: this program's, or none. */
export interface InheritedDescriptors {
  /** The stdin of this program. */
  readonly stdin?: "inherit"
  /** The stdout of this program, or none. */
  readonly stdout?: "inherit" | "null"
  /** The stderr of this program, or none. */
  readonly stderr?: "inherit" | "null"
}

/** Settings of a run on a leaf that starts processes of the system. */
export interface ProcessRunOptions extends LeafRunOptions {
  /** The writer that receives stderr instead of the stream, as `stdout`. */
  readonly stderr?: ByteWriter | undefined
  /** Descriptors instead of pipes. Default: pipes, and nothing on stdin. Only the local leaf has them. */
  readonly descriptors?: InheritedDescriptors | undefined
}

/** The operations and settings of a leaf that starts processes. */
export interface ProcessLeaf extends AdmissionOptions {
  /** Timeout of commands without one; `Infinity` for none. */
  readonly timeoutMillis: number
  /** Time between SIGTERM and SIGKILL for commands without a grace period. */
  readonly grace: Duration.Duration
  /** Silence after the exit for which a pipe is kept open. */
  readonly drainGraceMillis: number
  /** Whether the leaf runs scripts for the portable shell; otherwise such scripts fail. Default: `false`. */
  readonly hasPortableShell?: boolean | undefined
  /**
   * Checks and plans a command before it waits for its slot, and returns the function that starts its process once it has it.
   * `stdin`: whether there will be input; `options`: those of the run.
   *
   * A start that takes time is an Effect. It runs under the timeout of the command, and as the acquisition of a resource: only
   * what it marks with `Effect.interruptible` is interrupted with the run. A process that it makes after that is terminated,
   * so a wait for a server is marked, and the step that makes the process is not.
   */
  readonly prepare: (
    exec: ShellExec,
    stdin: boolean,
    options: ProcessRunOptions,
  ) => Result.Result<() => SpawnedProcess | Effect.Effect<SpawnedProcess, ShellFault>, ShellFault>
}

/** The runs of a leaf that starts processes. */
export interface ProcessRuns extends Pick<ShellService, "exec" | "bytes"> {
  /** Runs a command and emits its chunks and its last event. */
  readonly exec: (
    exec: ShellExec,
    options?: ProcessRunOptions,
  ) => Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>
}

const defaultChunking = /* @__PURE__ */ hybrid()

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
 *     Result.succeed((): SpawnedProcess => ({
 *       executable: command,
 *       stdout: reader("hello\n"),
 *       stderr: reader(""),
 *       onExit: (done) => done({ exitCode: 0 }),
 *       terminate: () => Effect.succeed([]),
 *     })),
 * }))
 * const program = Shell.text(ShellExec.make("greet")).pipe(Effect.provide(Layer.succeed(Shell, greeter)))
 * console.log(await Effect.runPromise(program)) // hello
 * ```
 */
export const makeProcessRuns = (leaf: ProcessLeaf): ProcessRuns => {
  const admission = new Admission(leaf)

  const start = <Element>(
    exec: ShellExec,
    options: ProcessRunOptions,
    closing: Closing,
    scope: Scope.Scope,
    makeSink: (clock: Clock.Clock) => OutputSink<Element>,
  ): Effect.Effect<Next<Element>, ShellFault> =>
    Effect.withFiber((fiber) => {
      const { admission: takesSlot = true, signal, slot, stdin } = options
      if (signal?.aborted === true) return Effect.fail(cancelledFault(exec))
      const refused = (leaf.hasPortableShell === true ? undefined : refusePortable(exec)) ?? refuseEncoding(exec)
      if (refused !== undefined) return Effect.fail(refused)
      const { context } = fiber
      const timeoutMillis = exec.timeout === undefined ? leaf.timeoutMillis : Duration.toMillis(exec.timeout)
      const prepared = leaf.prepare(exec, stdin !== undefined || exec.input !== undefined, options)
      if (Result.isFailure(prepared)) return Effect.fail(prepared.failure)
      const launch = (masked?: Restore): Effect.Effect<Next<Element>, ShellFault> => {
        // Released when the process has been reaped: a consumer that runs further commands does not wait for itself.
        const releaseSlot = holdSlot(admission, exec, context, { takesSlot, shared: slot })
        const clock = Context.get(context, Clock.Clock)
        const span = startSpan(exec, fiber)
        const observe = (outcome: Outcome): void => {
          releaseSlot()
          recordEnd(span, outcome, clock, context)
        }
        const grace = exec.grace ?? leaf.grace
        const begin = (
          spawned: SpawnedProcess,
          sink: OutputSink<Element>,
        ): Effect.Effect<Next<Element>> => {
          try {
            recordStart(span, spawned, context)
            setGauge("running", admission.running, context)
            return runProcess({
              exec,
              options,
              closing,
              scope,
              spawned,
              observe,
              releaseSlot,
              sink,
              clock,
              context,
              timeoutMillis,
              drainGraceMillis: leaf.drainGraceMillis,
              grace,
            })
          } catch (defect) {
            closing.run ??= () => Effect.ensuring(endUnread(spawned, grace), Effect.sync(() => observe(undefined)))
            throw defect
          }
        }
        try {
          // Made first: if it throws, no process has to be ended.
          const sink = makeSink(clock)
          const started = prepared.success()
          if (!Effect.isEffect(started)) return begin(started, sink)
          const starting = Effect.runForkWith(context)(started, { uninterruptible: true })
          const pending: PendingStart = { exec, options, timeoutMillis, grace, observe, starting }
          // A fiber may yield, and be interrupted, before the Effect that it returns.
          closing.run = () => abandonStart(pending, undefined)
          const wait = (restore: Restore): Effect.Effect<Next<Element>, ShellFault> => {
            closing.run = undefined
            return Effect.flatMap(awaitStart(pending, restore), (spawned) => begin(spawned, sink))
          }
          return masked === undefined ? Effect.uninterruptibleMask(wait) : wait(masked)
        } catch (defect) {
          if (closing.run === undefined) observe(undefined)
          throw defect
        }
      }
      // One synchronous step of the fiber, from the slot to the started process: nothing can interrupt it.
      if (!takesSlot || admission.tryAcquire(exec)) return launch()
      return Effect.uninterruptibleMask((restore) =>
        Effect.andThen(
          restore(admit(admission, exec, timeoutMillis, signal, context)),
          Effect.suspend(() => launch(restore)),
        )
      )
    })

  const stream = <Element>(
    exec: ShellExec,
    options: ProcessRunOptions,
    makeSink: (clock: Clock.Clock) => OutputSink<Element>,
  ): Stream.Stream<Element | ShellOutput, ShellFault> =>
    Stream.fromChannel(
      Channel.fromTransform((_, scope) => {
        // Added before the process exists, so that no interruption comes between its start and its finalizer.
        const closing: Closing = { run: undefined }
        return Effect.flatMap(
          Scope.addFinalizerExit(scope, () => closing.run?.() ?? Effect.void),
          () => start(exec, options, closing, scope, makeSink),
        )
      }),
    )

  return {
    exec: (exec, options = {}) => {
      const { chunking = defaultChunking, emitsChunks } = options
      // A replay could not cut recorded text of another encoding where its bytes were cut.
      if (exec.streamOutput || (emitsChunks === true && encodingOf(exec) === "utf-8")) {
        return stream(exec, options, (clock) => {
          const now = (): number => clock.currentTimeMillisUnsafe()
          return exec.streamOutput ? makeChunkSink(exec, chunking, now) : makeRecordedSink(exec, chunking, now)
        })
      }
      return stream(exec, options, () => makeCollectSink(exec))
    },
    bytes: (exec, options = {}) => stream(exec, options, makeByteSink),
  }
}
