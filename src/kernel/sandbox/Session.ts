/**
 * Runs scripts one after the other in a shell that keeps its state, with their output collected or streamed. Kills a
 * script at a timeout, an output limit, a failure of its input or an interruption.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { millisOf } from "../../base/duration.ts"
import { type OptionError, requireCount } from "../../base/OptionError.ts"
import { quoteOnOneLine } from "../../shell-language/quoteWord.ts"
import { errnoName, errnoText } from "../Errno.ts"
import type { Kernel, ProcessHandle } from "../mod.ts"
import type { OpenFile } from "../OpenFile.ts"
import type { CountedScheduler } from "../process/CountedScheduler.ts"
import { ShellSession } from "../shell/ShellSession.ts"
import { Signal, type WaitStatus } from "../System.ts"
import { OutputCapture, untilClosed } from "./OutputCapture.ts"
import { makeHostReader } from "./hostPipeEnds.ts"
import { inputFile } from "./inputFile.ts"
import {
  type RunStream,
  type ScriptBytes,
  scriptEndOf,
  type ScriptExit,
  type ScriptOptions,
  ScriptResult,
  type ScriptText,
  textOf,
} from "./Script.ts"
import { ScriptOutputPump } from "./ScriptOutputPump.ts"
import { SandboxError } from "./SandboxError.ts"

export interface SessionOptions {
  readonly env: ReadonlyArray<readonly [string, string]>
  readonly cwd: string
  /** Timeout of runs that name none; `Infinity` for none. */
  readonly timeoutMillis: number
  /** Output limit of runs that name none. */
  readonly maxOutputBytes: number
  readonly isClosed: () => boolean
  /** Continues the processes of a sandbox with a seed. */
  readonly scheduler: CountedScheduler | undefined
}

/** The outputs of a run, and how it is ended. */
interface Outputs {
  readonly stdout: OpenFile
  readonly stderr: OpenFile
  readonly fail: (error: SandboxError) => void
  /** Whether it has ended by itself; its background processes then keep running. */
  readonly isOver: () => boolean
}

export const closed = (): SandboxError => SandboxError.because({ _tag: "Closed" }, "it has been closed", "CLOSED")

const timedOut = (millis: number, written?: { readonly stdout: string; readonly stderr: string }): SandboxError =>
  SandboxError.because(
    { _tag: "Timeout", afterMillis: millis },
    `the script ran for more than ${millis} ms and was killed`,
    "TIMEOUT",
    written,
  )

const inputFailed = (why: string): SandboxError =>
  SandboxError.because({ _tag: "InputFailed" }, `the stdin of the script failed: ${why}`, "ESTDIN")

/** Sets the script's arguments on its first line, so that line numbers stay the same. */
const withArguments = (script: string, args: ReadonlyArray<string> | undefined): string =>
  args === undefined ? script : `set -- ${args.map((word) => quoteOnOneLine(word, "$'\\n'")).join(" ")}; ${script}`

const errorOf = ({ reason }: WaitStatus): SandboxError | undefined => reason?._tag === "Closed" ? closed() : undefined

/**
 * A shell that keeps its state between runs. Its runs wait for each other; other sessions of the sandbox run
 * concurrently.
 */
export class Session {
  readonly #kernel: Kernel
  readonly #shell: ShellSession
  readonly #turn: Semaphore.Semaphore = Semaphore.makeUnsafe(1)
  readonly #options: SessionOptions

  constructor(kernel: Kernel, options: SessionOptions, shell: ShellSession = new ShellSession()) {
    this.#kernel = kernel
    this.#options = options
    this.#shell = shell
  }

  /** Copies the state of the shell between two runs, and passes it to a function before the next run starts. */
  forkShell<A, E, R>(use: (shell: ShellSession) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.#turn.withPermits(1)(Effect.suspend(() => use(this.#shell.fork())))
  }

  /** The working directory, as the last run left it. */
  readonly cwd: Effect.Effect<string> = Effect.sync(() => this.#shell.cwd ?? this.#options.cwd)

  /** The environment of programs, as the last run left it. */
  readonly env: Effect.Effect<Readonly<Record<string, string>>> = Effect.sync(() =>
    Object.fromEntries(this.#shell.cwd === undefined ? this.#options.env : this.#shell.environment)
  )

  /**
   * Runs a script to its end; an exit code other than 0 is a result, not an error. Interruption kills everything that
   * it started. Fails with `Timeout`, `InputFailed`, `NotStarted` or `Closed`, and with an `OptionError` for an invalid
   * timeout or limit.
   */
  readonly run = (
    script: string,
    options: ScriptOptions = {},
  ): Effect.Effect<ScriptResult, SandboxError | OptionError> =>
    this.#turn.withPermits(1)(Effect.scoped(this.#collect(script, options)))

  /**
   * Runs a script as a stream of text, its exit last. Output is read only as the consumer pulls: a slow consumer blocks
   * the processes. Closing the stream kills them. The next run of the session waits until the stream is closed.
   *
   * @example
   * ```ts
   * import { Sandbox } from "@sluice/shell/sandbox"
   * import { Effect, Stream } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   const sandbox = yield* Sandbox.make()
   *   // `yes` never ends by itself; `take` ends it.
   *   return yield* sandbox.stream("yes").pipe(Stream.take(1), Stream.runCollect)
   * })
   * const [first] = await Effect.runPromise(Effect.scoped(program))
   * console.log(first?._tag === "ScriptText" && first.text.startsWith("y\ny\n")) // true
   * ```
   */
  readonly stream = (
    script: string,
    options: ScriptOptions = {},
  ): Stream.Stream<ScriptText | ScriptExit, SandboxError | OptionError> =>
    this.#pulled<ScriptText>(script, options, () => {
      const decoder = () => new TextDecoder("utf-8", { ignoreBOM: true })
      const decoders = { stdout: decoder(), stderr: decoder() }
      return (stream, bytes) => {
        const text = decoders[stream].decode(bytes, { stream: bytes !== undefined })
        return text === "" ? undefined : { _tag: "ScriptText", stream, text }
      }
    })

  /** As {@link stream}, without decoding; see {@link ScriptBytes} for how long the bytes are valid. */
  readonly bytes = (
    script: string,
    options: ScriptOptions = {},
  ): Stream.Stream<ScriptBytes | ScriptExit, SandboxError | OptionError> =>
    this.#pulled<ScriptBytes>(
      script,
      options,
      () => (stream, bytes) => bytes === undefined ? undefined : { _tag: "ScriptBytes", stream, bytes },
    )

  /** Reads the timeout and the output limit of a run, with defaults. */
  #limitsOf({ maxOutputBytes, timeout }: ScriptOptions, defaultOutputBytes: number) {
    return attemptOptions(() => ({
      maxOutputBytes: requireCount("sandbox.run", "maxOutputBytes", maxOutputBytes ?? defaultOutputBytes, { min: 0 }),
      timeoutMillis: millisOf("timeout", timeout ?? this.#options.timeoutMillis),
    }))
  }

  #collect(
    script: string,
    options: ScriptOptions,
  ): Effect.Effect<ScriptResult, SandboxError | OptionError, Scope.Scope> {
    return Effect.gen({ self: this }, function* () {
      const { maxOutputBytes, timeoutMillis } = yield* this.#limitsOf(options, this.#options.maxOutputBytes)
      let truncated = false
      let over = false
      let fault: SandboxError | undefined
      // Output and input may fail while the shell is being started.
      let handle: ProcessHandle | undefined
      const overflow = (): void => {
        truncated = true
        handle?.endAll(Signal.SIGXFSZ)
      }
      const budget = { left: maxOutputBytes }
      const out = new OutputCapture(budget, overflow)
      const err = new OutputCapture(budget, overflow)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          out.stop()
          err.stop()
        })
      )
      const fail = (error: SandboxError): void => {
        fault ??= error
        handle?.endAll()
      }
      const started = handle = yield* this.#start(script, options, {
        stdout: out,
        stderr: err,
        fail,
        isOver: () => over,
      })
      if (truncated) started.endAll(Signal.SIGXFSZ)
      if (fault !== undefined) started.endAll()
      const exited = Effect.promise(() => started.exited)
      const ended = Effect.andThen(
        exited,
        (status) => Effect.as(untilClosed([out, err], this.#options.scheduler?.clock), status),
      )
      const written = () => ({ stdout: textOf(out.bytes), stderr: textOf(err.bytes) })
      const status = yield* timeoutMillis === Infinity ? ended : Effect.timeoutOrElse(ended, {
        duration: timeoutMillis,
        orElse: () => Effect.suspend(() => Effect.fail(timedOut(timeoutMillis, written()))),
      })
      fault ??= errorOf(status)
      if (fault !== undefined) {
        const { message, reason } = fault
        return yield* Effect.fail(new SandboxError({ reason, message, ...written() }))
      }
      over = true
      return new ScriptResult(scriptEndOf(status, truncated), out.bytes, err.bytes)
    })
  }

  #pulled<Element>(
    script: string,
    options: ScriptOptions,
    makeElement: () => (stream: RunStream, bytes: Uint8Array | undefined) => Element | undefined,
  ): Stream.Stream<Element | ScriptExit, SandboxError | OptionError> {
    const started: Effect.Effect<ScriptOutputPump<Element>, SandboxError | OptionError, Scope.Scope> = Effect.gen(
      { self: this },
      function* () {
        const { maxOutputBytes, timeoutMillis } = yield* this.#limitsOf(options, Infinity)
        yield* this.#turn.takeScoped(1)
        const [stdout, stderr] = [this.#kernel.pipe(), this.#kernel.pipe()]
        const readers = { stdout: makeHostReader(stdout.reader), stderr: makeHostReader(stderr.reader) }
        let pump: ScriptOutputPump<Element> | undefined
        // The input may fail while the shell is being started.
        let fault: SandboxError | undefined
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            pump?.close()
            for (const reader of Object.values(readers)) reader.release()
          })
        )
        const handle = yield* this.#start(script, options, {
          stdout: stdout.writer,
          stderr: stderr.writer,
          fail: (error) => pump === undefined ? fault ??= error : pump.fail(error),
          isOver: () => pump?.over === true,
        })
        const made = pump = new ScriptOutputPump<Element>({
          handle,
          ...readers,
          element: makeElement(),
          maxOutputBytes,
          errorOf,
        })
        if (fault !== undefined) made.fail(fault)
        if (timeoutMillis !== Infinity) {
          const late = Effect.sync(() => made.fail(timedOut(timeoutMillis)))
          yield* Effect.forkScoped(Effect.andThen(Effect.sleep(timeoutMillis), late))
        }
        return made
      },
    )
    return Stream.unwrap(Effect.map(started, ({ next }) => Stream.fromPull(Effect.succeed(next))))
  }

  /** Starts the shell. Takes over the references of the outputs, even if it fails. */
  #start(
    script: string,
    options: ScriptOptions,
    { fail, isOver, stderr, stdout }: Outputs,
  ): Effect.Effect<ProcessHandle, SandboxError, Scope.Scope> {
    const { cwd, env, isClosed, scheduler } = this.#options
    const start = (stdin: OpenFile): Effect.Effect<ProcessHandle, SandboxError> =>
      Effect.suspend(() => {
        const handle = this.#kernel.start({
          program: this.#shell.program(withArguments(script, options.args)),
          args: ["bash"],
          env,
          cwd,
          fds: { 0: stdin, 1: stdout, 2: stderr },
        })
        if (typeof handle !== "number") return Effect.succeed(handle)
        if (isClosed()) return Effect.fail(closed())
        const code = errnoName(handle)
        const what = `the shell could not be started: ${errnoText(handle)}`
        return Effect.fail(SandboxError.because({ _tag: "NotStarted", code }, what, code))
      })
    return Effect.acquireRelease(
      Effect.flatMap(inputFile(options.input, (why) => fail(inputFailed(why))), start),
      (handle) => Effect.sync(() => isOver() ? undefined : handle.endAll()),
    ).pipe(
      // The time that background processes have after the shell is part of the run.
      Effect.tap(
        Effect.acquireRelease(Effect.sync(() => scheduler?.activity()), (stop) => Effect.sync(() => stop?.())),
      ),
      Effect.tap((handle) =>
        Effect.sync(() => options.onStart?.({ kill: (signal = "SIGTERM") => handle.signalAll(Signal[signal]) }))
      ),
    )
  }
}
