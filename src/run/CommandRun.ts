/** Runs a command or pipeline once, for all of its readers. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { onAbort } from "../base/abort.ts"
import { OptionError } from "../base/OptionError.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import { defaultMaxOutputBytes, encodingOf } from "../shell/OutputSink.ts"
import type { StartedProcess } from "../shell/ShellService.ts"
import { takeShellOutput } from "../shell/takeShellOutput.ts"
import { logContext } from "../base/stderrLogs.ts"
import { openOutputs } from "./openOutputs.ts"
import { capturedResult, runError, type RunOutcome } from "./runOutcome.ts"
import type { RunEvent } from "./RunResult.ts"
import { StageStdin } from "./StageStdin.ts"
import { printVerbose } from "./printVerbose.ts"
import { OutputError } from "./StandardSchema.ts"
import type { RunShell, Stage } from "./Stage.ts"
import { type Events, stageEvents } from "./stageEvents.ts"
import { StdoutReceiver } from "./StdoutReceiver.ts"
import { UsageError } from "./UsageError.ts"

/** The bytes of stdout, read piece by piece. */
export interface ByteSource {
  /** Resolves with the next bytes, valid until the next call unless they are owned; with `undefined` at the end. */
  readonly read: () => Promise<Uint8Array | undefined>
  /** Stops reading, and ends the command if its result is not awaited. */
  readonly cancel: () => Promise<void>
}

/** The signals by which callers end a command. */
const endingSignals: ReadonlySet<string> = new Set(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGKILL"])

/** Runs the events of a run to their end, and resolves with the last one. */
type Consumer = (events: Events) => Promise<Exit.Exit<ShellOutput, unknown>>

const collect: Consumer = (events) => Effect.runPromiseExitWith(logContext)(takeShellOutput(events))

export class CommandRun {
  readonly #shell: () => RunShell | Promise<RunShell>
  readonly #pipefail: boolean
  readonly #abort = new AbortController()
  readonly #abortListeners: Array<() => void> = []
  readonly #processes: Array<StartedProcess | undefined> = []
  readonly #spawned: PromiseWithResolvers<number | undefined> = Promise.withResolvers()
  readonly #stdin: StageStdin
  readonly #stdout: StdoutReceiver | undefined
  #mode: "unused" | "kept" | "streamed" = "unused"
  #outcome: Promise<RunOutcome> | undefined
  #over = false
  #claimed = false
  /** Its commands, in order. */
  readonly stages: ReadonlyArray<Stage>

  /** `shell` is called at the start. */
  constructor(shell: () => RunShell | Promise<RunShell>, stages: ReadonlyArray<Stage>, pipefail: boolean) {
    this.#shell = shell
    this.stages = stages
    this.#pipefail = pipefail
    this.#stdin = new StageStdin(stages[0] ?? this.#last)
    const { exec, options } = this.#last
    const { stdout = "pipe" } = options
    const isKept = stdout === "pipe" || stdout === "tee" || (typeof stdout === "object" && "tee" in stdout)
    this.#stdout = isKept
      ? new StdoutReceiver(exec.maxOutputBytes ?? defaultMaxOutputBytes, encodingOf(exec))
      : undefined
    // Reported to callers of `spawned`.
    this.#spawned.promise.catch(() => {})
  }

  get #last(): Stage {
    const last = this.stages[this.stages.length - 1]
    if (last === undefined) throw new TypeError("a run has a command")
    return last
  }

  /** The command lines, for messages. */
  get line(): string {
    return this.stages.map(({ line }) => line).join(" | ")
  }

  get isStarted(): boolean {
    return this.#outcome !== undefined
  }

  /** The process id of the last stage, once it has been started. */
  get pid(): number | undefined {
    return this.#processes[this.stages.length - 1]?.pid
  }

  /** The process id; starts the run. */
  get spawned(): Promise<number | undefined> {
    void this.start()
    return this.#spawned.promise
  }

  /** The writing end of the pipe into the first command. */
  get stdin(): WritableStream<Uint8Array | string> {
    return this.#stdin.writable(this.line, this.isStarted, () => this.start())
  }

  /** Starts the run, once. */
  start(): Promise<RunOutcome> {
    return this.#outcome ??= this.#execute(this.#stdout, collect)
  }

  /** Gives its only command to `terminal`, or its commands to `pipe`: it cannot be started here any more. */
  claim(by: "terminal" | "pipe"): void {
    this.refuseClaim(by)
    const error = new UsageError(
      "AlreadyStarted",
      this.line,
      `${this.line} was given to ${by}(), and a command runs once: make it again to run it again`,
    )
    this.#claimed = true
    this.#outcome = Promise.resolve(this.#end({ error }))
  }

  /** Throws if the run was started, or its stdin was taken: nothing would read from it. */
  refuseClaim(by: "terminal" | "pipe"): void {
    this.refuseStarted(by)
    if (!this.#stdin.isTaken) return
    const instead = by === "pipe" ? "take the stdin of the pipeline" : "write with send()"
    throw new OptionError("stdin", `${by}: the stdin of ${this.line} was taken, and would lead nowhere; ${instead}`)
  }

  /** Throws a `UsageError` if the run was started or given away. `use` names the call in the message. */
  refuseStarted(use: string): void {
    if (!this.isStarted) return
    const state = this.#claimed ? "was given to terminal() or pipe()" : "was started already"
    throw new UsageError("AlreadyStarted", this.line, `${use}: ${this.line} ${state}; make a new command`)
  }

  /** Starts the run for its result; captured stdout is kept. */
  begin(): Promise<RunOutcome> {
    if (this.#mode === "unused") this.#mode = "kept"
    return this.start()
  }

  /** Starts the run and keeps its stdout. Throws a `UsageError` if stdout is streamed, an `OptionError` if it is not captured. */
  keep(): Promise<RunOutcome> {
    if (this.#mode === "streamed") {
      throw new UsageError(
        "OutputStreamed",
        this.line,
        `the output of ${this.line} is streamed, and was not kept: take text() or bytes() first`,
      )
    }
    this.#needsStdout()
    this.#mode = "kept"
    return this.start()
  }

  /**
   * Starts the run and returns its stdout: as it arrives, or at the end if output is kept. `owns`: all bytes stay
   * valid.
   */
  source(owns: boolean): ByteSource {
    const stdout = this.#needsStdout()
    if (this.#mode === "streamed") {
      throw new UsageError(
        "OutputStreamed",
        this.line,
        `the output of ${this.line} is streamed already: read it once, or keep it with text() or bytes()`,
      )
    }
    if (this.#mode === "kept") return this.#keptSource(owns)
    const bytesOmitted = stdout.stream(owns)
    if (bytesOmitted > 0) {
      throw new OutputError(
        this.line,
        { _tag: "Incomplete", bytesOmitted },
        `the stdout of ${this.line} exceeded maxOutputBytes before it was read: read it earlier, or raise the limit`,
      )
    }
    this.#mode = "streamed"
    void this.start()
    return { read: () => stdout.read(), cancel: () => this.#giveUp() }
  }

  /** The kept bytes of stdout, and the number of omitted ones. */
  kept(): { readonly bytes: Uint8Array; readonly bytesOmitted: number } {
    return this.#needsStdout().kept()
  }

  /**
   * All events as they arrive. Throws a `UsageError` if the run was started in another way, an `OptionError` if an output
   * goes elsewhere.
   */
  async *events(): AsyncGenerator<RunEvent, void> {
    this.refuseStarted("events")
    for (const { line, options: { stderr = "pipe", stdout = "pipe" } } of this.stages) {
      const option = stdout !== "pipe" ? "stdout" : stderr !== "pipe" ? "stderr" : undefined
      if (option === undefined) continue
      throw new OptionError(option, `events: the option ${option} of ${line} sends it elsewhere; leave it out`)
    }
    this.#mode = "streamed"
    const opened = Promise.withResolvers<Events | undefined>()
    const ended = Promise.withResolvers<Exit.Exit<ShellOutput, unknown>>()
    const outcome = this.#outcome = this.#execute(undefined, (events) => {
      opened.resolve(events)
      return ended.promise
    }).finally(() => opened.resolve(undefined))
    const events = await opened.promise
    let exit: Exit.Exit<ShellOutput, unknown> = Exit.fail(this.#leftEvents())
    try {
      for await (const event of Stream.toAsyncIterableWith(events ?? Stream.empty, logContext)) {
        if (event._tag === "ShellOutput") exit = Exit.succeed(event)
        yield event
      }
    } catch (cause) {
      exit = Exit.fail(cause)
    } finally {
      ended.resolve(exit)
      await outcome
    }
    const result = await outcome
    if ("error" in result) throw result.error
  }

  /** Signals the processes; returns whether there was anything to signal. */
  kill(signal: string): boolean {
    if (!this.isStarted || this.#over) return false
    const running = this.#processes.filter((process) => process !== undefined)
    if (running.length === 0) {
      // The run waits for a concurrency permit or for a file. Only what would end a process ends the wait.
      if (!endingSignals.has(signal)) return false
      this.#abort.abort()
    }
    for (const process of running) process.kill?.(signal)
    return true
  }

  #leftEvents(): ShellFault {
    const message = `${this.line} was cancelled: the loop over its events was left (CANCELLED)`
    return ShellFault.because(this.#last.exec.commandId, { _tag: "Cancelled" }, message)
  }

  #needsStdout(): StdoutReceiver {
    if (this.#stdout !== undefined) return this.#stdout
    throw new OptionError("stdout", `the stdout of ${this.line} is not captured: its option stdout sends it elsewhere`)
  }

  #keptSource(owns: boolean): ByteSource {
    let given = false
    return {
      read: async () => {
        await this.start()
        const bytes = given ? undefined : this.kept().bytes
        given = true
        if (bytes?.length === 0) return undefined
        // A copy: the run keeps its own.
        return owns ? bytes?.slice() : bytes
      },
      cancel: () => Promise.resolve(),
    }
  }

  async #giveUp(): Promise<void> {
    if (this.#over) return
    this.#stdout?.drop()
    this.#abort.abort()
    await this.#outcome
  }

  /** The one way to start: `stdout` receives the output unless it is undefined, and then it is among the events. */
  async #execute(stdout: StdoutReceiver | undefined, consume: Consumer): Promise<RunOutcome> {
    printVerbose(this.stages)
    return this.#end(await this.#run(stdout, consume))
  }

  async #run(stdout: StdoutReceiver | undefined, consume: Consumer): Promise<RunOutcome> {
    try {
      const loading = this.#shell()
      const shell = loading instanceof Promise ? await loading : loading
      const stdin = this.#stdin.isFile ? await this.#stdin.open() : this.#stdin.input
      const opening = openOutputs(this.stages, stdout)
      const outputs = opening instanceof Promise ? await opening : opening
      for (const { options: { signal } } of this.stages) {
        this.#abortListeners.push(onAbort(signal, () => this.#abort.abort()))
      }
      const exit = await consume(stageEvents(shell, this.stages, {
        stdin,
        outputs,
        streamOutput: consume !== collect,
        signal: this.#abort.signal,
        pipefail: this.#pipefail,
        onSpawn: (process, index) => {
          this.#processes[index] = process
          if (index < this.stages.length - 1) return
          this.#spawned.resolve(process.pid)
          process.onExit?.(() => this.#stdout?.processExited())
        },
      }))
      const broken = await outputs.finish()
      const captured = { stdout, stderr: outputs.stderr }
      if (Exit.isFailure(exit)) return { error: runError(Cause.squash(exit.cause), captured) }
      const result = capturedResult(exit.value, captured)
      return broken === undefined ? { result } : { error: ShellFault.because(result.commandId, ...broken, result) }
    } catch (error) {
      return { error: runError(error) }
    } finally {
      await this.#stdin.close()
    }
  }

  /** Removes the abort listeners, ends the readers, and settles `spawned` if no process was started. */
  #end(outcome: RunOutcome): RunOutcome {
    this.#over = true
    for (const remove of this.#abortListeners.splice(0)) remove()
    if ("error" in outcome) this.#spawned.reject(outcome.error)
    this.#spawned.resolve(undefined)
    void this.#stdout?.end()
    return outcome
  }
}
