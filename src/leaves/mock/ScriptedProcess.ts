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
import type { OutputStream } from "../../command/ShellEvent.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { exitCodeOfSignal } from "../../command/signals.ts"
import type { ByteWriter, ExitStatus, Spawned } from "../../shell/Spawned.ts"
import { MockPipe } from "./MockPipe.ts"
import type { MockProcess } from "./MockProcess.ts"

/** Bytes of stdin that are kept for whoever looks at the call. */
const keptInputBytes = 1_048_576

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

/** The ends of the output pipes that the process has, and each process that it started beside it. */
interface Holder {
  readonly holds: Set<OutputStream>
}

/** A process that a script plays. */
export class ScriptedProcess implements Spawned {
  readonly executable: string
  readonly stdout: MockPipe = new MockPipe()
  readonly stderr: MockPipe | undefined
  readonly stdin: ByteWriter | undefined
  readonly #options: ScriptedProcessOptions
  readonly #input: MockPipe | undefined
  readonly #heard: Array<Uint8Array> = []
  readonly #signals: Array<string> = []
  readonly #holders = new Set<Holder>()
  readonly #beside = new Set<Fiber.Fiber<void>>()
  readonly #self: Holder
  readonly #onIdle = new Set<() => void>()
  #heardBytes = 0
  #main: Fiber.Fiber<void> | undefined
  #trap: Effect.Effect<void> | "ignore" | undefined
  #status: ExitStatus | undefined
  #listener: ((status: ExitStatus) => void) | undefined

  constructor(options: ScriptedProcessOptions) {
    this.#options = options
    this.executable = options.executable
    this.stderr = options.exec.mergeStreams === true ? undefined : new MockPipe()
    this.#self = this.#hold()
    if (!options.stdin) return
    const input = new MockPipe()
    this.#input = input
    this.stdin = {
      // The bytes may lie in a buffer that is used again as soon as this is answered.
      write: (bytes) => new Promise((resolve) => void input.write(bytes.slice(), resolve)),
      end: () => Promise.resolve(input.end()),
    }
  }

  /** How it ended; `undefined` while it runs. */
  get status(): ExitStatus | undefined {
    return this.#status
  }

  /** The signals that it was sent, in order. */
  get signals(): ReadonlyArray<string> {
    return this.#signals
  }

  /** What it has read of its stdin, as text: the first megabyte. */
  get heard(): string {
    const all = new Uint8Array(this.#heardBytes)
    let at = 0
    for (const bytes of this.#heard) {
      all.set(bytes, at)
      at += bytes.length
    }
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(all)
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
  readonly terminate = (grace: Duration.Duration): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (this.#isIdle()) return Effect.void
      this.#terminated()
      const forced = Effect.sync(() => this.#killed())
      if (this.#isIdle()) return Effect.void
      if (!Duration.isGreaterThan(grace, Duration.zero)) return forced
      return Effect.timeoutOrElse(this.#idle, { duration: grace, orElse: () => forced })
    })

  /** Nothing of it goes on: what it left behind as little as itself. */
  readonly release = (): void => {
    this.#stopAll()
    this.#input?.release()
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

  #terminated(): void {
    this.#signals.push("SIGTERM")
    const trap = this.#trap
    // An ignored signal is ignored by those too that were started after (execve(2)).
    if (trap === "ignore") return
    for (const fiber of [...this.#beside]) fiber.interruptUnsafe()
    if (this.#status !== undefined) return
    if (trap === undefined) this.#exit(exitBySignal("SIGTERM"))
    else this.#play(trap, exitBySignal("SIGTERM"))
  }

  #killed(): void {
    this.#signals.push("SIGKILL")
    this.#exit(exitBySignal("SIGKILL"))
    this.#stopAll()
  }

  #stopAll(): void {
    this.#main?.interruptUnsafe()
    for (const fiber of [...this.#beside]) fiber.interruptUnsafe()
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
    this.#drop(this.#self)
    this.#input?.release()
    const main = this.#main
    this.#main = undefined
    this.#listener?.(status)
    this.#checkIdle()
    // Last: it may be the fiber that is running this.
    main?.interruptUnsafe()
  }

  #hold(): Holder {
    const holder: Holder = { holds: new Set<OutputStream>(["stdout", "stderr"]) }
    this.#holders.add(holder)
    return holder
  }

  #drop(holder: Holder): void {
    for (const stream of holder.holds) this.#letGo(holder, stream)
    this.#holders.delete(holder)
  }

  #letGo(holder: Holder, stream: OutputStream): void {
    holder.holds.delete(stream)
    const pipe = this.#pipeOf(stream)
    const held = [...this.#holders].some(({ holds }) => [...holds].some((other) => this.#pipeOf(other) === pipe))
    if (!held) pipe.end()
  }

  #pipeOf(stream: OutputStream): MockPipe {
    return stream === "stdout" ? this.stdout : this.stderr ?? this.stdout
  }

  #fail(reason: FaultReason, message: string): void {
    if (this.#status !== undefined) return
    this.#options.onFail(reason, message)
    this.#exit(exitBySignal("SIGKILL"))
    this.#stopAll()
  }

  #startBeside(work: (process: MockProcess) => Effect.Effect<void>): void {
    const holder = this.#hold()
    const fiber = this.#fork(
      Effect.ensuring(Effect.suspend(() => work(this.#processOf(holder))), Effect.sync(() => this.#drop(holder))),
    )
    if (fiber.pollUnsafe() !== undefined) return
    this.#beside.add(fiber)
    fiber.addObserver(() => {
      this.#beside.delete(fiber)
      this.#checkIdle()
    })
  }

  readonly #read: Effect.Effect<Uint8Array | undefined> = Effect.callback<Uint8Array | undefined>((resume) => {
    const input = this.#input
    if (input === undefined) return resume(Effect.succeed(undefined))
    const stop = input.read((bytes) => {
      if (bytes !== undefined) this.#hear(bytes)
      resume(Effect.succeed(bytes))
    })
    return Effect.sync(stop)
  })

  #hear(bytes: Uint8Array): void {
    const room = keptInputBytes - this.#heardBytes
    if (room <= 0) return
    this.#heard.push(bytes.subarray(0, room))
    this.#heardBytes += Math.min(room, bytes.length)
  }

  /** The process as one of its holders sees it: itself, or one that was started beside it. */
  #processOf(holder: Holder): MockProcess {
    const exit = (status: ExitStatus): Effect.Effect<never> =>
      Effect.suspend(() => {
        if (holder === this.#self) this.#exit(status)
        // Who was started beside it has no exit that anybody asks for.
        return holder === this.#self ? Effect.never : Effect.interrupt
      })
    return {
      exec: this.#options.exec,
      read: this.#read,
      exit,
      fail: (reason, message) =>
        Effect.suspend(() => {
          this.#fail(reason, message)
          return Effect.never
        }),
      close: (stream) => Effect.sync(() => this.#letGo(holder, stream)),
      trap: (handler) => Effect.sync(() => void (this.#trap = handler)),
      write: (stream, content) =>
        Effect.suspend(() => {
          if (!holder.holds.has(stream)) return Effect.void
          const pipe = this.#pipeOf(stream)
          const bytes = typeof content === "string" ? encoder.encode(content) : content
          return Effect.flatMap(
            Effect.callback<boolean>((resume) => {
              const stop = pipe.write(bytes, (wanted) => resume(Effect.succeed(wanted)))
              return Effect.sync(stop)
            }),
            (wanted) => wanted ? Effect.void : exit(exitBySignal("SIGPIPE")),
          )
        }),
      background: (work) => Effect.sync(() => this.#startBeside(work)),
    }
  }
}
