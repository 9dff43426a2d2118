/** Runs a command or pipeline once, for all of its readers. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { onAbort } from "../base/abort.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import { defaultMaxOutputBytes, encodingOf } from "../shell/OutputSink.ts"
import type { StartedProcess } from "../shell/ShellService.ts"
import { takeShellOutput } from "../shell/takeShellOutput.ts"
import { logContext } from "../base/stderrLogs.ts"
import { openOutputs, type Outputs } from "./openOutputs.ts"
import { capturedResult, runError, type RunOutcome, runResult } from "./runOutcome.ts"
import type { RunEvent } from "./RunResult.ts"
import { StageStdin } from "./StageStdin.ts"
import type { RunShell, Stage } from "./Stage.ts"
import { type Events, stageEvents, type StageInput } from "./stages.ts"
import { StdoutReceiver } from "./StdoutReceiver.ts"

/** The bytes of stdout, read piece by piece. */
export interface ByteSource {
  /** Resolves with the next bytes, valid until the next call unless they are owned; with `undefined` at the end. */
  readonly read: () => Promise<Uint8Array | undefined>
  /** Stops reading, and ends the command if its result is not awaited. */
  readonly cancel: () => Promise<void>
}

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
    return this.#outcome ??= this.#execute().finally(() => {
      this.#over = true
      void this.#stdout?.end()
    })
  }

  /** Starts the run for its result; captured stdout is kept. */
  begin(): Promise<RunOutcome> {
    if (this.#mode === "unused") this.#mode = "kept"
    return this.start()
  }

  /** Starts the run and keeps its stdout. Throws a `TypeError` if stdout is streamed already or not captured. */
  keep(): Promise<RunOutcome> {
    if (this.#mode === "streamed") {
      throw new TypeError(`the output of ${this.line} is streamed, and was not kept: take text() or bytes() first`)
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
    if (this.#mode === "streamed") throw new TypeError(`the output of ${this.line} is streamed already`)
    if (this.#mode === "kept") return this.#keptSource(owns)
    this.#mode = "streamed"
    stdout.stream(owns)
    void this.start()
    return { read: () => stdout.read(), cancel: () => this.#giveUp() }
  }

  /** The kept bytes of stdout, and the number of omitted ones. */
  kept(): { readonly bytes: Uint8Array; readonly bytesOmitted: number } {
    return this.#needsStdout().kept()
  }

  /** All events as they arrive. Throws a `TypeError` if the run was started in another way. */
  async *events(): AsyncGenerator<RunEvent, void> {
    const wired = this.stages.some(({ options: { stderr = "pipe", stdout = "pipe" } }) =>
      stderr !== "pipe" || stdout !== "pipe"
    )
    if (this.isStarted || wired) {
      throw new TypeError(
        `${this.line}: events are those of a command that was not started, with both outputs as pipes`,
      )
    }
    this.#mode = "streamed"
    const ended = Promise.withResolvers<RunOutcome>()
    this.#outcome = ended.promise
    let last: RunOutcome = { error: new Error(`the events of ${this.line} were not read to the end`) }
    try {
      const shell = await this.#shell()
      for await (
        const event of Stream.toAsyncIterableWith(this.#events(shell, {}, this.#stdin.input, true), logContext)
      ) {
        if (event._tag === "ShellOutput") last = { result: runResult(event) }
        yield event
      }
    } catch (cause) {
      const error = runError(cause)
      last = { error }
      throw error
    } finally {
      this.#settle(last)
      this.#over = true
      ended.resolve(last)
    }
  }

  /** Signals the processes; returns whether there was anything to signal. */
  kill(signal: string): boolean {
    if (!this.isStarted || this.#over) return false
    const running = this.#processes.filter((process) => process !== undefined)
    // The run waits for a concurrency permit or for a file.
    if (running.length === 0) this.#abort.abort()
    for (const process of running) process.kill?.(signal)
    return true
  }

  #needsStdout(): StdoutReceiver {
    if (this.#stdout !== undefined) return this.#stdout
    throw new TypeError(`the stdout of ${this.line} is not captured: its option stdout sends it elsewhere`)
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

  async #execute(): Promise<RunOutcome> {
    for (const { line, options: { verbose } } of this.stages) if (verbose === true) console.error(`$ ${line}`)
    const outcome = await this.#run()
    this.#settle(outcome)
    return outcome
  }

  async #run(): Promise<RunOutcome> {
    try {
      const loading = this.#shell()
      const shell = loading instanceof Promise ? await loading : loading
      const stdin = this.#stdin.isFile ? await this.#stdin.open() : this.#stdin.input
      const opening = openOutputs(this.stages, this.#stdout)
      const outputs = opening instanceof Promise ? await opening : opening
      const exit = await Effect.runPromiseExitWith(logContext)(
        takeShellOutput(this.#events(shell, { outputs }, stdin, false)),
      )
      const broken = await outputs.finish()
      const captured = { stdout: this.#stdout, stderr: outputs.stderr }
      if (Exit.isFailure(exit)) return { error: runError(Cause.squash(exit.cause), captured) }
      const result = capturedResult(exit.value, captured)
      return broken === undefined ? { result } : { error: ShellFault.because(result.commandId, ...broken, result) }
    } catch (error) {
      return { error: runError(error) }
    } finally {
      await this.#stdin.close()
    }
  }

  /** Removes the abort listeners, and settles `spawned` if no process was started. */
  #settle(outcome: RunOutcome): void {
    for (const remove of this.#abortListeners.splice(0)) remove()
    if ("error" in outcome) this.#spawned.reject(outcome.error)
    this.#spawned.resolve(undefined)
  }

  #events(shell: RunShell, to: { readonly outputs?: Outputs }, stdin: StageInput, streamOutput: boolean): Events {
    for (const { options: { signal } } of this.stages) {
      this.#abortListeners.push(onAbort(signal, () => this.#abort.abort()))
    }
    return stageEvents(shell, this.stages, {
      stdin,
      outputs: to.outputs,
      streamOutput,
      signal: this.#abort.signal,
      pipefail: this.#pipefail,
      onSpawn: (process, index) => {
        this.#processes[index] = process
        if (index < this.stages.length - 1) return
        this.#spawned.resolve(process.pid)
        process.onExit?.(() => this.#stdout?.processExited())
      },
    })
  }
}
