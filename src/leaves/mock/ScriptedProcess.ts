/**
 * A process that is none: it does what its script says, and is ended as others are.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { exitCodeOfSignal } from "../../command/signals.ts"
import type { ByteReader, ByteWriter, ExitStatus, SpawnedProcess } from "../../shell/SpawnedProcess.ts"
import { MockInput } from "./MockInput.ts"
import { type Holder, MockOutputs } from "./MockOutputs.ts"
import type { MockProcess } from "./MockProcess.ts"

/** What a scripted process needs. */
export interface ScriptedProcessOptions {
  readonly exec: ShellExec
  readonly executable: string
  /** Whether it has a stdin that is not closed. */
  readonly stdin: boolean
  /** The context of the run: its clock is the one that steps wait by. */
  readonly context: Context.Context<never>
  /** Told once when the process fails as a whole, before anything of it ends. */
  readonly onFail: (reason: FaultReason, message: string) => void
}

const encoder = new TextEncoder()

/** The exit of a process that a signal ended. */
export const exitBySignal = (signal: string): ExitStatus => ({ exitCode: exitCodeOfSignal(signal), signal })

/** A process that a script plays. */
export class ScriptedProcess implements SpawnedProcess {
  readonly executable: string
  readonly stdout: ByteReader
  readonly stderr: ByteReader | undefined
  readonly stdin: ByteWriter | undefined
  readonly #options: ScriptedProcessOptions
  readonly #input: MockInput
  readonly #outputs: MockOutputs
  readonly #self: Holder
  readonly #signals: Array<string> = []
  readonly #beside = new Set<Fiber.Fiber<void>>()
  readonly #onIdle = new Set<() => void>()
  #main: Fiber.Fiber<void> | undefined
  #trap: Effect.Effect<void> | "ignore" | undefined
  #status: ExitStatus | undefined
  #listener: ((status: ExitStatus) => void) | undefined

  constructor(options: ScriptedProcessOptions) {
    this.#options = options
    this.#input = new MockInput(options.stdin)
    this.#outputs = new MockOutputs(options.exec.mergeStreams === true)
    this.#self = this.#outputs.hold()
    this.executable = options.executable
    this.stdout = this.#outputs.stdout
    this.stderr = this.#outputs.stderr
    this.stdin = this.#input.writer
  }

  /** How it ended; `undefined` while it runs. */
  get status(): ExitStatus | undefined {
    return this.#status
  }

  /** The signals that it was sent, in order. */
  get signals(): ReadonlyArray<string> {
    return [...this.#signals]
  }

  /** What it has read of its stdin, as text: the first megabyte. */
  get heard(): string {
    return this.#input.heard
  }

  readonly onExit = (done: (status: ExitStatus) => void): void => {
    if (this.#status === undefined) this.#listener = done
    else done(this.#status)
  }

  /** Starts what it does. It exits with 0 when that is over and it has not exited otherwise. */
  run(work: (process: MockProcess) => Effect.Effect<void>): void {
    this.#play(work(this.#processOf(this.#self)), { exitCode: 0 })
  }

  /**
   * SIGTERM, the grace, SIGKILL: to it and to those that it started beside it. Over as soon as all have ended, by the
   * clock of the run.
   */
  readonly terminate = (grace: Duration.Duration): Effect.Effect<ReadonlyArray<number>> =>
    Effect.as(this.#end(grace), [])

  #end(grace: Duration.Duration): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#isIdle()) return Effect.void
      this.#askToEnd()
      if (this.#isIdle()) return Effect.void
      const forced = Effect.sync(() => this.#kill())
      if (Duration.isZero(grace)) return forced
      return Effect.timeoutOrElse(this.#idle, { duration: grace, orElse: () => forced })
    })
  }

  /** Nothing of it goes on: what it left behind as little as itself. */
  readonly release = (): void => {
    this.#stopAll()
    this.#input.release()
  }

  #isIdle(): boolean {
    return this.#status !== undefined && this.#beside.size === 0
  }

  readonly #idle: Effect.Effect<void> = Effect.callback<void>((resume) => {
    const go = (): void => resume(Effect.void)
    this.#onIdle.add(go)
    return Effect.sync(() => void this.#onIdle.delete(go))
  })

  #checkIdle(): void {
    if (!this.#isIdle()) return
    for (const go of this.#onIdle) go()
    this.#onIdle.clear()
  }

  #askToEnd(): void {
    this.#signals.push("SIGTERM")
    const trap = this.#trap
    // An ignored signal is ignored by those too that were started after (execve(2)).
    if (trap === "ignore") return
    this.#stopBeside()
    if (this.#status !== undefined) return
    if (trap === undefined) this.#exit(exitBySignal("SIGTERM"))
    else this.#play(trap, exitBySignal("SIGTERM"))
  }

  #kill(): void {
    this.#signals.push("SIGKILL")
    this.#exit(exitBySignal("SIGKILL"))
    this.#stopAll()
  }

  #stopBeside(): void {
    for (const fiber of [...this.#beside]) fiber.interruptUnsafe()
  }

  #stopAll(): void {
    this.#main?.interruptUnsafe()
    this.#stopBeside()
  }

  /** Does `work` instead of what it does now, and then exits. */
  #play(work: Effect.Effect<void>, then: ExitStatus): void {
    const before = this.#main
    this.#main = undefined
    before?.interruptUnsafe()
    const main = this.#fork(Effect.andThen(work, Effect.sync(() => this.#exit(then))))
    if (this.#status === undefined) this.#main = main
    // It has exited before it was known: what comes after an exit waits for its end.
    else main.interruptUnsafe()
  }

  #fork(work: Effect.Effect<void>): Fiber.Fiber<void> {
    return Effect.runForkWith(this.#options.context)(
      Effect.onExit(work, (exit) =>
        Effect.sync(() => {
          if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return
          // A mistake in the test: it must not look like a command that hangs.
          this.#fail({ _tag: "Unknown", code: "EMOCK" }, `exec: the script failed: ${Cause.pretty(exit.cause)} (EMOCK)`)
        })),
    )
  }

  #exit(status: ExitStatus): void {
    if (this.#status !== undefined) return
    this.#status = status
    this.#outputs.drop(this.#self)
    this.#input.release()
    const main = this.#main
    this.#main = undefined
    this.#listener?.(status)
    this.#checkIdle()
    // Last: it may be the fiber that is running this.
    main?.interruptUnsafe()
  }

  #fail(reason: FaultReason, message: string): void {
    if (this.#status !== undefined) return
    this.#options.onFail(reason, message)
    this.#exit(exitBySignal("SIGKILL"))
    this.#stopAll()
  }

  #startBeside(work: (process: MockProcess) => Effect.Effect<void>): void {
    const holder = this.#outputs.hold()
    const fiber = this.#fork(
      Effect.ensuring(
        Effect.suspend(() => work(this.#processOf(holder))),
        Effect.sync(() => this.#outputs.drop(holder)),
      ),
    )
    if (fiber.pollUnsafe() !== undefined) return
    this.#beside.add(fiber)
    fiber.addObserver(() => {
      this.#beside.delete(fiber)
      this.#checkIdle()
    })
  }

  #write(holder: Holder, stream: "stdout" | "stderr", content: string | Uint8Array): Effect.Effect<boolean> {
    // A stream that it has closed itself: EBADF, which programs take no notice of.
    if (!holder.has(stream)) return Effect.succeed(true)
    const bytes = typeof content === "string" ? encoder.encode(content) : content
    return Effect.callback<boolean>((resume) => {
      const stop = this.#outputs.pipeOf(stream).write(bytes, (wanted) => resume(Effect.succeed(wanted)))
      return Effect.sync(stop)
    })
  }

  /** The process as one of its holders sees it: itself, or one that was started beside it. */
  #processOf(holder: Holder): MockProcess {
    const exit = (status: ExitStatus): Effect.Effect<never> =>
      Effect.suspend(() => {
        // Who was started beside it has no exit that anybody asks for.
        if (holder !== this.#self) return Effect.interrupt
        this.#exit(status)
        return Effect.never
      })
    return {
      exec: this.#options.exec,
      read: this.#input.read,
      exit,
      write: (stream, content) =>
        Effect.flatMap(
          Effect.suspend(() => this.#write(holder, stream, content)),
          (wanted) => wanted ? Effect.void : exit(exitBySignal("SIGPIPE")),
        ),
      fail: (reason, message) =>
        Effect.suspend(() => {
          this.#fail(reason, message)
          return Effect.never
        }),
      close: (stream) => Effect.sync(() => this.#outputs.letGo(holder, stream)),
      trap: (handler) => Effect.sync(() => void (this.#trap = handler)),
      background: (work) => Effect.sync(() => this.#startBeside(work)),
    }
  }
}
