/** Connects a started process to its run: pump, input, signals, and the finalizer that closes the run. */
import type * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { onAbort } from "../base/abort.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { describeCancel, describeInputFailure } from "./describeFaults.ts"
import { logEnd, type Outcome } from "./observe.ts"
import { OutputPump } from "./OutputPump.ts"
import type { Next, OutputSink } from "./OutputSink.ts"
import type { LeafRunOptions } from "./ShellService.ts"
import type { ByteWriter, SpawnedProcess } from "./SpawnedProcess.ts"
import { writeInput, writeInputStream } from "./writeInput.ts"

/** Closes a run; set when it has a process. */
export interface Closing {
  run: (() => Effect.Effect<void>) | undefined
}

export interface StartedRun<Element> {
  readonly exec: ShellExec
  readonly options: LeafRunOptions & { readonly stderr?: ByteWriter | undefined }
  readonly closing: Closing
  readonly scope: Scope.Scope
  readonly spawned: SpawnedProcess
  readonly observe: (outcome: Outcome) => void
  readonly releaseSlot: () => void
  readonly sink: OutputSink<Element>
  readonly clock: Clock.Clock
  readonly context: Context.Context<never>
  readonly timeoutMillis: number
  readonly drainGraceMillis: number
  readonly grace: Duration.Duration
}

export const runProcess = <Element>(run: StartedRun<Element>): Effect.Effect<Next<Element>> => {
  const { closing, context, exec, grace, observe, options, scope, spawned } = run
  const { kill, onSpawn, signal, stdin } = options
  let over = false
  let isFed = false
  let ended: Outcome
  let released: void | Promise<void>
  const listeners: Array<() => void> = []
  const terminations: Array<Fiber.Fiber<ReadonlyArray<number>>> = []
  const finish = (outcome: Outcome): void => {
    if (over) return
    over = true
    ended = outcome
    for (const remove of listeners) remove()
    observe(outcome)
    released = spawned.release?.()
  }
  const pump = new OutputPump<Element>({
    ...run,
    idleTimeoutMillis: exec.idleTimeout === undefined ? Infinity : Duration.toMillis(exec.idleTimeout),
    onExit: run.releaseSlot,
    onFinish: finish,
    stdoutTo: options.stdout,
    stderrTo: options.stderr,
  })
  const awaitRelease = Effect.suspend(() =>
    released instanceof Promise ? Effect.promise(async () => await released) : Effect.void
  )
  const close = (): Effect.Effect<void> => {
    if (over && terminations.length === 0) return Effect.andThen(awaitRelease, logEnd(exec, ended))
    return pump.close.pipe(
      Effect.ensuring(Effect.suspend(() => Fiber.awaitAll(terminations))),
      Effect.ensuring(Effect.sync(() => {
        // An interruption, or an `onSpawn` that throws, precedes the input: the pipe of stdin is still open.
        if (!isFed) void spawned.stdin?.end()
        finish(undefined)
      })),
      Effect.ensuring(awaitRelease),
      Effect.andThen(Effect.suspend(() => logEnd(exec, ended))),
    )
  }
  // V8 allocates a closure that is assigned where it is created among old objects, where it keeps the whole run alive
  // after its end.
  closing.run = close
  if (signal !== undefined || kill !== undefined) {
    const abort = (): void => pump.end(...describeCancel(exec))
    const killNow = (): void => {
      abort()
      // Runs in parallel with the termination and its grace period, which then finds no process and ends.
      if (!over) terminations.push(Effect.runForkWith(context)(spawned.terminate(Duration.zero)))
    }
    // Also handles an abort while the command was being started.
    listeners.push(onAbort(signal, abort), onAbort(kill, killNow))
  }
  if (onSpawn !== undefined) {
    const sendSignal = (name: string): void => {
      if (over) return
      // The process itself first, so that its exit status has this signal.
      if (name !== "SIGTERM") spawned.signal?.(name)
      if (name === "SIGTERM" || name === "SIGKILL") {
        const wait = name === "SIGKILL" ? Duration.zero : grace
        terminations.push(Effect.runForkWith(context)(spawned.terminate(wait)))
      }
    }
    onSpawn({
      pid: spawned.pid,
      executable: spawned.executable,
      ...(spawned.signal === undefined ? undefined : { kill: sendSignal, onExit: spawned.onExit }),
      ...(spawned.resize === undefined ? undefined : { resize: spawned.resize }),
    })
  }
  const next = Effect.succeed(pump.next)
  const { stdin: writer } = spawned
  if (writer === undefined) return next
  return Effect.andThen(
    Effect.suspend(() => {
      isFed = true
      return feed(exec, writer, stdin, scope, pump)
    }),
    next,
  )
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
    // Started before the command can have ended: a stream that never started would not be closed either.
    startImmediately: true,
  })
}
