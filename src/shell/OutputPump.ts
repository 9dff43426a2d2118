/**
 * Pulls the output of a started process into stream elements or writers, enforces its timeouts, ends its tree on
 * request or on close, and makes its last event or fault.
 *
 * One state machine in one file of more than 300 lines: reads, timers and the exit change the same state in any order.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { monotonicMillisOf } from "../base/monotonicTime.ts"
import { callbackLater } from "../base/waits.ts"
import type { FaultReason } from "../command/FaultReason.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { PartialOutput } from "../command/PartialOutput.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import { Alarm } from "./Alarm.ts"
import { OutputBatch } from "./OutputBatch.ts"
import { discardOutput, endPipe, makeOutputPipe, type OutputPipe } from "./OutputPipe.ts"
import { describeTimeout } from "./describeFaults.ts"
import { makeShellOutput } from "./makeShellOutput.ts"
import type { Elements, Next, OutputSink } from "./OutputSink.ts"
import { scheduleNextTurn } from "./scheduleNextTurn.ts"
import type { ByteWriter, ExitFault, ExitStatus, SpawnedProcess } from "./SpawnedProcess.ts"

/** The process of a run, its settings and its callbacks; times in milliseconds. */
export interface PumpOptions<Element> {
  readonly exec: ShellExec
  readonly spawned: SpawnedProcess
  readonly sink: OutputSink<Element>
  readonly clock: Clock.Clock
  readonly context: Context.Context<never>
  readonly timeoutMillis: number
  readonly idleTimeoutMillis: number
  readonly drainGraceMillis: number
  readonly grace: Duration.Duration
  /** Called once, when the process has been reaped; its output may not have been read yet. */
  readonly onExit?: (() => void) | undefined
  /** Called once, when the last event is made: the run has ended, whether or not its stream was closed. */
  readonly onFinish: (outcome: ShellOutput | ShellFault) => void
  /** The writer that receives stdout instead of the sink. */
  readonly stdoutTo?: ByteWriter | undefined
  /** The writer that receives stderr instead of the sink. */
  readonly stderrTo?: ByteWriter | undefined
}

/** Maximum number of drain graces to wait for the rest of pipes whose writers have all ended. */
const maxLateGraces = 100

/**
 * Turns of the event loop that must bring no byte before a pipe counts as silent. In a busy program, timers run before
 * input is read: Deno, for example, looks for input only at every 61st turn (tokio's `event_interval`).
 */
const silentTurns = 128

const over = Cause.done()

/**
 * The state of one running command. Everything happens in plain callbacks; the consumer's fiber is suspended once
 * per batch of elements, and nothing is read while it does not pull.
 */
export class OutputPump<Element> {
  readonly #options: PumpOptions<Element>
  readonly #pipes: Array<OutputPipe>
  readonly #alarm: Alarm
  readonly #startedAt: number
  #waiting: ((next: Next<Element>) => void) | undefined
  #waitingSince = 0
  readonly #batch = new OutputBatch<Element>()
  #growing = false
  readonly #forwardedBytes = { stdout: 0, stderr: 0 }
  #lastByteAt: number
  #exit: ExitStatus | undefined
  #exitAt = 0
  #drain: "eof" | "cut" = "eof"
  /** Number of drain graces that were added because all writers had ended. */
  #lateGraces = 0
  #fault: ExitFault | undefined
  /** The fiber that ends the tree because of the fault. */
  #ending: Fiber.Fiber<void> | undefined
  /** Processes of the tree that could not be ended. */
  #survivors: ReadonlyArray<number> = []
  /** Time at which the tree had been ended. */
  #endedAt = Infinity
  #gaveUp = false
  #isCountingTurns = false
  #finished = false

  constructor(options: PumpOptions<Element>) {
    this.#options = options
    const { clock, context, spawned, stderrTo, stdoutTo } = options
    this.#pipes = [makeOutputPipe("stdout", spawned.stdout, stdoutTo)]
    if (spawned.stderr !== undefined) this.#pipes.push(makeOutputPipe("stderr", spawned.stderr, stderrTo))
    this.#startedAt = monotonicMillisOf(clock)
    this.#lastByteAt = this.#startedAt
    this.#alarm = new Alarm(clock, context, () => this.#tick())
    spawned.onExit((status) => {
      this.#exit = status
      this.#exitAt = monotonicMillisOf(clock)
      if (status.fault !== undefined && this.#fault === undefined) {
        this.#fault = status.fault
        this.#endedAt = this.#exitAt
      }
      options.onExit?.()
      if (this.#waiting === undefined) return
      const ready = this.#poll()
      if (ready !== undefined) return this.#resume(ready)
      // The pipes usually end in the next turn: start the drain timer only after that turn.
      scheduleNextTurn(() => this.#advance())
    })
    this.#alarm.set(this.#startedAt + options.timeoutMillis)
  }

  /** Whether the process has been reaped. */
  get exited(): boolean {
    return this.#exit !== undefined
  }

  /** The next elements; the last is the `ShellOutput`. */
  readonly next: Next<Element> = Effect.suspend(() => {
    this.#batch.recycle()
    const ready = this.#poll()
    if (ready !== undefined) return ready
    return callbackLater<Elements<Element>, ShellFault | Cause.Done>((resume) => {
      this.#waiting = resume
      this.#waitingSince = monotonicMillisOf(this.#options.clock)
      this.#arm(this.#waitingSince)
      return Effect.sync(() => {
        this.#waiting = undefined
      })
    })
  })

  /** Ends the command early: terminates the tree, then emits the remaining output and the fault. */
  end(reason: FaultReason, message: string): void {
    if (this.#fault !== undefined || this.#finished) return
    this.#fault = { reason, message }
    const { context, grace, spawned } = this.#options
    this.#ending = Effect.runForkWith(context)(
      Effect.map(
        spawned.terminate(grace),
        (survivors) => {
          this.#survivors = survivors
          // Output written before the tree ended has yet to be read: the drain grace starts here.
          this.#endedAt = monotonicMillisOf(this.#options.clock)
          this.#advance()
        },
      ),
    )
  }

  /**
   * Closes the run. Unless it has ended, ends the whole tree, even if the process itself has exited already; reads and drops
   * its output meanwhile, so that no process is stuck in a write.
   */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.#waiting = undefined
    this.#alarm.clear()
    if (this.#finished || (this.#fault === undefined && this.#isOver())) {
      this.#finished = true
      this.#release()
      return Effect.void
    }
    this.#finished = true
    for (const each of this.#pipes) {
      if (each.state === "ended") continue
      const reading = each.state === "reading" || each.state === "breaking" || each.state === "sending"
      each.state = "discarding"
      if (reading) continue
      // The consumer may hold the last bytes, as `Stream.take` does.
      each.reader.keep?.()
      discardOutput(each)
    }
    const { grace, spawned } = this.#options
    const ending = this.#ending
    const dead = ending === undefined
      ? Effect.flatMap(spawned.terminate(grace), (survivors) => this.#warn(survivors))
      : Effect.flatMap(Fiber.await(ending), () => this.#warn(this.#survivors))
    return Effect.ensuring(dead, Effect.sync(() => this.#release()))
  })

  /** Logs the survivors: a closed stream cannot emit a fault. */
  #warn(survivors: ReadonlyArray<number>): Effect.Effect<void> {
    const { commandId, command } = this.#options.exec
    return survivors.length === 0
      ? Effect.void
      : Effect.logWarning(`exec: ${command} could not be ended completely: ${survivors.join(", ")} still run`, {
        commandId,
      })
  }

  /** Whether the process has been reaped and its pipes have ended; after a fault, also whether the tree has been ended. */
  #isOver(): boolean {
    if (this.#exit === undefined || (this.#fault !== undefined && this.#endedAt === Infinity)) return false
    return this.#pipes.every((each) => each.state === "ended")
  }

  #release(): void {
    for (const each of this.#pipes) endPipe(each, true)
  }

  /** Resumes the waiting consumer if there are elements or the end for it. */
  #advance(): void {
    if (this.#waiting === undefined) return
    const ready = this.#poll()
    if (ready !== undefined) this.#resume(ready)
    // A batch that grows is emitted in the next turn, before any deadline matters.
    else if (this.#batch.elements.length === 0) this.#arm(monotonicMillisOf(this.#options.clock))
  }

  #resume(next: Next<Element>): void {
    const resume = this.#waiting
    this.#waiting = undefined
    resume?.(next)
  }

  #poll(): Next<Element> | undefined {
    if (this.#finished) return over
    const { sink } = this.#options
    const out = this.#batch.elements
    for (;;) {
      for (const each of this.#pipes) {
        if (each.bytes === undefined) continue
        const bytes = each.bytes
        each.bytes = undefined
        if (each.to !== undefined) {
          this.#forwardedBytes[each.stream] += bytes.length
          this.#send(each, each.to, bytes)
          continue
        }
        each.state = "idle"
        const before = out.length
        sink.bytes(each.stream, bytes, out)
        this.#batch.add(each.reader, bytes, sink.copies)
        // A partial line waits from the time at which it started.
        if (!sink.holds(each.stream)) each.heldSince = Infinity
        else if (each.heldSince === Infinity || out.length > before) each.heldSince = this.#lastByteAt
      }
      if (Arr.isReadonlyArrayNonEmpty(out) && !this.#batch.mayGrow(this.#pipes)) return this.#batch.take(out)
      for (const each of this.#pipes) if (each.state === "idle") this.#read(each)
      if (!this.#pipes.some((each) => each.state === "ready")) break
    }
    if (Arr.isReadonlyArrayNonEmpty(out)) {
      if (this.#isOver()) return this.#batch.take(out)
      this.#growUntilNextTurn()
      return undefined
    }
    return this.#isOver() || this.#gaveUp ? this.#finish() : undefined
  }

  /** Emits the batch in the next turn of the event loop: by then the rest of the pipe has been read. */
  #growUntilNextTurn(): void {
    if (this.#growing) return
    this.#growing = true
    scheduleNextTurn(() => {
      this.#growing = false
      if (this.#waiting !== undefined && Arr.isReadonlyArrayNonEmpty(this.#batch.elements)) {
        this.#resume(this.#batch.take(this.#batch.elements))
      }
    })
  }

  #read(each: OutputPipe, state: "reading" | "breaking" = "reading"): void {
    each.state = state
    let sync = true
    each.reader.read((bytes) => {
      if (each.state === "discarding" && bytes !== undefined) return discardOutput(each)
      if (each.state === "breaking") {
        // The process has written after its reader went away, which a kernel answers with SIGPIPE.
        if (bytes !== undefined) this.#options.spawned.breakPipe?.()
        endPipe(each, true)
        return this.#advance()
      }
      if (each.state !== "reading") return
      if (bytes === undefined) {
        endPipe(each, false)
      } else {
        each.state = "ready"
        each.bytes = bytes
        this.#batch.lastReadBytes = bytes.length
        this.#lastByteAt = monotonicMillisOf(this.#options.clock)
      }
      if (!sync) this.#advance()
    })
    sync = false
  }

  /** Forwards bytes and continues to read when they were taken. Closes the pipe when the receiver is gone. */
  #send(each: OutputPipe, to: ByteWriter, bytes: Uint8Array): void {
    each.state = "sending"
    const proceed = (wanted: boolean): void => {
      if (each.state === "discarding") return discardOutput(each)
      if (each.state !== "sending") return
      this.#lastByteAt = monotonicMillisOf(this.#options.clock)
      if (wanted) each.state = "idle"
      else if (this.#options.spawned.breakPipe === undefined) endPipe(each, true)
      else this.#read(each, "breaking")
      this.#advance()
    }
    // A receiver that rejects takes no more, like one that returns `false`.
    void to.write(bytes, each.reader.keep).then(proceed, () => proceed(false))
  }

  #finish(): Next<Element> {
    this.#alarm.clear()
    this.#release()
    const { clock, exec, sink, spawned } = this.#options
    const out: Array<Element | ShellOutput> = []
    const rest: Array<Element> = []
    sink.end(rest)
    out.push(...rest)
    // The remaining elements come first; the next pull returns the fault.
    if (this.#fault !== undefined && Arr.isReadonlyArrayNonEmpty(out)) return Effect.succeed(out)
    this.#finished = true
    if (this.#fault !== undefined) {
      const { message, reason } = this.#fault
      const captured = {
        ...this.#withForwarded(sink.partial()),
        executable: spawned.executable,
        survivors: this.#survivors,
      }
      const fault = ShellFault.because(exec.commandId, reason, message, captured)
      this.#options.onFinish(fault)
      return Effect.fail(fault)
    }
    if (this.#exit === undefined) return over
    const output = makeShellOutput(exec, this.#exit, this.#withForwarded(sink.whole()), {
      executable: spawned.executable,
      duration: this.#exitAt - this.#startedAt,
      completed: clock.currentTimeMillisUnsafe(),
      drain: this.#drain,
    })
    this.#options.onFinish(output)
    out.push(output)
    return Arr.isReadonlyArrayNonEmpty(out) ? Effect.succeed(out) : over
  }

  /** Adds the bytes that were forwarded instead of going to the sink. */
  #withForwarded(captured: PartialOutput): PartialOutput {
    if (this.#forwardedBytes.stdout === 0 && this.#forwardedBytes.stderr === 0) return captured
    return {
      ...captured,
      stdoutBytes: captured.stdoutBytes + this.#forwardedBytes.stdout,
      stderrBytes: captured.stderrBytes + this.#forwardedBytes.stderr,
    }
  }

  /** Start of the current silence. It counts only while the consumer pulls: a process held back by its consumer is not idle. */
  #quietSince(): number {
    if (this.#pipes.some((each) => each.state === "sending")) return Infinity
    return Math.max(this.#lastByteAt, this.#waitingSince)
  }

  #dueFlush(): number {
    let since = Infinity
    for (const each of this.#pipes) since = Math.min(since, each.heldSince)
    return since + this.#options.sink.flushAfterMillis
  }

  #dueDrain(): number {
    const { drainGraceMillis } = this.#options
    // After a fault the drain does not wait for a slow consumer.
    if (this.#fault !== undefined) return Math.max(this.#lastByteAt, this.#endedAt) + drainGraceMillis
    if (this.#exit === undefined) return Infinity
    return Math.max(this.#quietSince(), this.#exitAt) + (1 + this.#lateGraces) * drainGraceMillis
  }

  /** Whether all writers of the pipes have ended, so that only buffered output is missing. */
  #isLate(): boolean {
    return this.#fault === undefined && this.#lateGraces < maxLateGraces &&
      this.#options.spawned.mayHoldOutput?.() === false
  }

  #arm(now: number): void {
    const { idleTimeoutMillis, timeoutMillis } = this.#options
    const ending = this.#fault !== undefined || this.#exit !== undefined
    const due = Math.min(
      this.#dueFlush(),
      this.#dueDrain(),
      ending ? Infinity : this.#quietSince() + idleTimeoutMillis,
      ending ? Infinity : this.#startedAt + timeoutMillis,
    )
    this.#alarm.set(Math.max(due, now))
  }

  /** Ticks again once the pipe is certainly silent, or once a byte has arrived. */
  #confirmSilence(): void {
    if (this.#isCountingTurns) return
    this.#isCountingTurns = true
    let turns = 0
    const count = (): void => {
      if (++turns < silentTurns) return void scheduleNextTurn(count)
      this.#isCountingTurns = false
      if (!this.#finished) this.#tick(true)
    }
    scheduleNextTurn(count)
  }

  /** Handles the deadlines that have passed. `isSilent`: enough turns of the event loop have passed without a byte. */
  #tick(isSilent = false): void {
    const { clock, exec, idleTimeoutMillis, sink, timeoutMillis } = this.#options
    const now = monotonicMillisOf(clock)
    if (this.#fault === undefined && this.#exit === undefined) {
      if (now >= this.#startedAt + timeoutMillis) {
        this.end(...describeTimeout(exec, "total", timeoutMillis))
      } else if (this.#waiting !== undefined && now >= this.#quietSince() + idleTimeoutMillis) {
        if (!isSilent) return this.#confirmSilence()
        this.end(...describeTimeout(exec, "idle", idleTimeoutMillis))
      }
    }
    if (this.#waiting === undefined) {
      if (this.#fault === undefined && this.#exit === undefined) this.#alarm.set(this.#startedAt + timeoutMillis)
      return
    }
    if (now >= this.#dueFlush()) {
      // Appended after the batch, which arrived first.
      const out = this.#batch.elements
      for (const each of this.#pipes) {
        if (now < each.heldSince + sink.flushAfterMillis) continue
        each.heldSince = Infinity
        sink.flush(each.stream, out)
      }
      if (Arr.isReadonlyArrayNonEmpty(out)) return this.#resume(this.#batch.take(out))
    }
    if (now >= this.#dueDrain()) {
      if (!isSilent) return this.#confirmSilence()
      if (this.#isLate()) {
        this.#lateGraces++
        return this.#arm(now)
      }
      this.#drain = "cut"
      // The process has not even been reaped: it is in uninterruptible sleep, or this process may not signal it.
      this.#gaveUp = this.#exit === undefined
      this.#release()
      return this.#advance()
    }
    this.#arm(now)
  }
}
