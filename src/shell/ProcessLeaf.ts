/** Implements the runs of a `Shell` service over a leaf that starts processes. */
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { hasSucceeded } from "../base/hasSucceeded.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { holdSlot } from "./holdSlot.ts"
import { refusePortable } from "./portableShell.ts"
import { Admission, type AdmissionOptions } from "./Admission.ts"
import { admit } from "./admitCommand.ts"
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
   * Checks and plans a command before it waits for its slot; the resulting Effect starts its process. `stdin`: whether
   * there will be input; `options`: those of the run. A returned function is called once the command has its slot. If
   * that function returns an `Exit`, the command starts without a further step of its fiber, which is the fastest way.
   */
  readonly prepare: (
    exec: ShellExec,
    stdin: boolean,
    options: ProcessRunOptions,
  ) => Result.Result<
    Effect.Effect<SpawnedProcess, ShellFault> | (() => Effect.Effect<SpawnedProcess, ShellFault>),
    ShellFault
  >
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
 *     Result.succeed(Effect.sync((): SpawnedProcess => ({
 *       executable: command,
 *       stdout: reader("hello\n"),
 *       stderr: reader(""),
 *       onExit: (done) => done({ exitCode: 0 }),
 *       terminate: () => Effect.succeed([]),
 *     }))),
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
      const refused = leaf.hasPortableShell === true ? undefined : refusePortable(exec)
      if (refused !== undefined) return Effect.fail(refused)
      const { context } = fiber
      const timeoutMillis = exec.timeout === undefined ? leaf.timeoutMillis : Duration.toMillis(exec.timeout)
      const prepared = leaf.prepare(exec, stdin !== undefined || exec.input !== undefined, options)
      if (Result.isFailure(prepared)) return Effect.fail(prepared.failure)
      const launch = (): Effect.Effect<Next<Element>, ShellFault> => {
        // Released when the process has been reaped: a consumer that runs further commands does not wait for itself.
        const releaseSlot = holdSlot(admission, exec, context, { takesSlot, shared: slot })
        const clock = Context.get(context, Clock.Clock)
        const span = startSpan(exec, fiber)
        const observe = (outcome: Outcome): void => {
          releaseSlot()
          recordEnd(span, outcome, clock, context)
        }
        const begin = (spawned: SpawnedProcess): Effect.Effect<Next<Element>> => {
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
            sink: makeSink(clock),
            clock,
            context,
            timeoutMillis,
            drainGraceMillis: leaf.drainGraceMillis,
            grace: exec.grace ?? leaf.grace,
          })
        }
        const starting = typeof prepared.success === "function" ? prepared.success() : prepared.success
        if (hasSucceeded(starting)) return begin(starting.value)
        return Effect.uninterruptible(Effect.flatMap(
          starting.pipe(
            Effect.tapError((fault) => Effect.sync(() => observe(fault))),
            // A start that takes long may be interrupted; its slot is free then, too.
            Effect.onInterrupt(() => Effect.sync(() => observe(undefined))),
          ),
          begin,
        ))
      }
      // One synchronous step of the fiber, from the slot to the started process: nothing can interrupt it.
      if (!takesSlot || admission.tryAcquire(exec)) return launch()
      return Effect.uninterruptibleMask((restore) =>
        Effect.andThen(restore(admit(admission, exec, timeoutMillis, signal, context)), Effect.suspend(launch))
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
