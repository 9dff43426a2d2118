/** Simulates a process in memory, which performs the steps of a script. */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { callbackLater } from "../../base/waits.ts"
import { encodeUtf8 } from "../../base/bytes.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { exitCodeOfSignal } from "../../command/signals.ts"
import type { ByteReader, ByteWriter, ExitStatus, SpawnedProcess } from "../../shell/SpawnedProcess.ts"
import { MockInput } from "./MockInput.ts"
import { MockOutputs, type OutputWriteEnds } from "./MockOutputs.ts"
import type { MockProcess } from "./MockProcess.ts"

export interface ScriptedProcessOptions {
  readonly exec: ShellExec
  readonly executable: string
  readonly stdin: boolean
  /** The context of the run, whose clock times the waits of steps. */
  readonly context: Context.Context<never>
  /** Called once when a step fails the process, before it ends. */
  readonly onFail: (reason: FaultReason, message: string) => void
}

export const exitBySignal = (signal: string): ExitStatus => ({ exitCode: exitCodeOfSignal(signal), signal })

export class ScriptedProcess implements SpawnedProcess {
  readonly executable: string
  readonly stdout: ByteReader
  readonly stderr: ByteReader | undefined
  readonly stdin: ByteWriter | undefined
  readonly #options: ScriptedProcessOptions
  readonly #input: MockInput
  readonly #outputs: MockOutputs
  readonly #ownEnds: OutputWriteEnds
  readonly #signals: Array<string> = []
  readonly #background = new Set<Fiber.Fiber<void>>()
  readonly #onIdle = new Set<() => void>()
  #main: Fiber.Fiber<void> | undefined
  #trap: Effect.Effect<void> | "ignore" | undefined
  #status: ExitStatus | undefined
  #listener: ((status: ExitStatus) => void) | undefined

  constructor(options: ScriptedProcessOptions) {
    this.#options = options
    this.#input = new MockInput(options.stdin)
    this.#outputs = new MockOutputs(options.exec.mergeStreams === true)
    this.#ownEnds = this.#outputs.open()
    this.executable = options.executable
    this.stdout = this.#outputs.stdout
    this.stderr = this.#outputs.stderr
    this.stdin = this.#input.writer
  }

  get status(): ExitStatus | undefined {
    return this.#status
  }

  get signals(): ReadonlyArray<string> {
    return [...this.#signals]
  }

  get input(): string {
    return this.#input.text
  }

  readonly onExit = (done: (status: ExitStatus) => void): void => {
    if (this.#status === undefined) this.#listener = done
    else done(this.#status)
  }

  /** Starts its steps. Exits with 0 after them, unless one exits. */
  run(work: (process: MockProcess) => Effect.Effect<void>): void {
    this.#play(work(this.#processOf(this.#ownEnds)), { exitCode: 0 })
  }

  /**
   * Sends SIGTERM, waits for the grace period of the run's clock, and sends SIGKILL, to it and to its background processes.
   * Succeeds as soon as all have ended.
   */
  readonly terminate = (grace: Duration.Duration): Effect.Effect<ReadonlyArray<number>> =>
    Effect.as(this.#end(grace), [])

  #end(grace: Duration.Duration): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#isIdle()) return Effect.void
      this.#sendTerm()
      if (this.#isIdle()) return Effect.void
      const forced = Effect.sync(() => this.#kill())
      if (Duration.isZero(grace)) return forced
      return Effect.timeoutOrElse(this.#idle, { duration: grace, orElse: () => forced })
    })
  }

  readonly release = (): void => {
    this.#stopAll()
    this.#input.release()
  }

  #isIdle(): boolean {
    return this.#status !== undefined && this.#background.size === 0
  }

  readonly #idle: Effect.Effect<void> = callbackLater<void>((resume) => {
    const go = (): void => resume(Effect.void)
    this.#onIdle.add(go)
    return Effect.sync(() => void this.#onIdle.delete(go))
  })

  #checkIdle(): void {
    if (!this.#isIdle()) return
    for (const go of this.#onIdle) go()
    this.#onIdle.clear()
  }

  #sendTerm(): void {
    this.#signals.push("SIGTERM")
    const trap = this.#trap
    // Children inherit an ignored signal (execve(2)).
    if (trap === "ignore") return
    this.#stopBackground()
    if (this.#status !== undefined) return
    if (trap === undefined) this.#exit(exitBySignal("SIGTERM"))
    else this.#play(trap, exitBySignal("SIGTERM"))
  }

  #kill(): void {
    this.#signals.push("SIGKILL")
    this.#exit(exitBySignal("SIGKILL"))
    this.#stopAll()
  }

  #stopBackground(): void {
    for (const fiber of [...this.#background]) fiber.interruptUnsafe()
  }

  #stopAll(): void {
    this.#main?.interruptUnsafe()
    this.#stopBackground()
  }

  #play(work: Effect.Effect<void>, then: ExitStatus): void {
    const before = this.#main
    this.#main = undefined
    before?.interruptUnsafe()
    const main = this.#fork(Effect.andThen(work, Effect.sync(() => this.#exit(then))))
    if (this.#status === undefined) this.#main = main
    // The steps have exited synchronously: an Effect that exits waits to be interrupted.
    else main.interruptUnsafe()
  }

  #fork(work: Effect.Effect<void>): Fiber.Fiber<void> {
    return Effect.runForkWith(this.#options.context)(
      Effect.onExit(work, (exit) =>
        Effect.sync(() => {
          if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return
          // A defect in the test's script must not look like a command that hangs.
          this.#fail({ _tag: "Unknown", code: "EMOCK" }, `exec: the script failed: ${Cause.pretty(exit.cause)} (EMOCK)`)
        })),
    )
  }

  #exit(status: ExitStatus): void {
    if (this.#status !== undefined) return
    this.#status = status
    this.#outputs.closeAll(this.#ownEnds)
    this.#input.release()
    const main = this.#main
    this.#main = undefined
    this.#listener?.(status)
    this.#checkIdle()
    // Interrupted last, because it may be the running fiber.
    main?.interruptUnsafe()
  }

  #fail(reason: FaultReason, message: string): void {
    if (this.#status !== undefined) return
    this.#options.onFail(reason, message)
    this.#exit(exitBySignal("SIGKILL"))
    this.#stopAll()
  }

  #startBackground(work: (process: MockProcess) => Effect.Effect<void>): void {
    const ends = this.#outputs.open()
    const fiber = this.#fork(
      Effect.ensuring(
        Effect.suspend(() => work(this.#processOf(ends))),
        Effect.sync(() => this.#outputs.closeAll(ends)),
      ),
    )
    if (fiber.pollUnsafe() !== undefined) return
    this.#background.add(fiber)
    fiber.addObserver(() => {
      this.#background.delete(fiber)
      this.#checkIdle()
    })
  }

  #write(ends: OutputWriteEnds, stream: "stdout" | "stderr", content: string | Uint8Array): Effect.Effect<boolean> {
    // A write to a stream that the process has closed (EBADF) is ignored, as programs do.
    if (!ends.has(stream)) return Effect.succeed(true)
    const bytes = typeof content === "string" ? encodeUtf8(content) : content
    return callbackLater<boolean>((resume) => {
      const stop = this.#outputs.pipeOf(stream).write(bytes, (isTaken) => resume(Effect.succeed(isTaken)))
      return Effect.sync(stop)
    })
  }

  #processOf(ends: OutputWriteEnds): MockProcess {
    const exit = (status: ExitStatus): Effect.Effect<never> =>
      Effect.suspend(() => {
        // The exit status of a background process is not observed.
        if (ends !== this.#ownEnds) return Effect.interrupt
        this.#exit(status)
        return Effect.never
      })
    return {
      exec: this.#options.exec,
      read: this.#input.read,
      exit,
      write: (stream, content) =>
        Effect.flatMap(
          Effect.suspend(() => this.#write(ends, stream, content)),
          (isTaken) => isTaken ? Effect.void : exit(exitBySignal("SIGPIPE")),
        ),
      fail: (reason, message) =>
        Effect.suspend(() => {
          this.#fail(reason, message)
          return Effect.never
        }),
      close: (stream) => Effect.sync(() => this.#outputs.close(ends, stream)),
      trap: (handler) => Effect.sync(() => void (this.#trap = handler)),
      background: (work) => Effect.sync(() => this.#startBackground(work)),
    }
  }
}
