/**
 * Starts a command or pipeline once, keeps or streams its stdout, and settles its outcome for all callers.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import type { LocalShellService } from "../leaves/local/makeLocalShell.ts"
import { defaultMaxOutputBytes } from "../shell/OutputSink.ts"
import type { StartedProcess } from "../shell/ShellService.ts"
import { takeShellOutput } from "../shell/takeShellOutput.ts"
import type { RunEvent, RunResult } from "./RunResult.ts"
import { type InputFile, openInput, splitInput, StdinPipe } from "./runInput.ts"
import { openFault, openOutputs, type Outputs } from "./openOutputs.ts"
import type { Stage } from "./Stage.ts"
import { type Events, stageEvents, type StageInput } from "./stages.ts"
import { StdoutReceiver } from "./StdoutReceiver.ts"
import { pathText } from "./argumentWords.ts"

/** What a run needs beside its commands. */
export interface RunContext {
  readonly shell: () => LocalShellService
  /** Makes a path of a command's option absolute. */
  readonly resolve: (exec: ShellExec, path: string) => string
}

/** How a run ended: a result whatever its exit code, or why there is none. */
export type RunOutcome = { readonly result: RunResult } | { readonly error: unknown }

/** Bytes of stdout, taken piece by piece. */
export interface ByteSource {
  /** The next bytes, valid until the next call; `undefined` at the end. */
  readonly read: () => Promise<Uint8Array | undefined>
  /** Gives the rest up, and ends the command if nothing else wants it. */
  readonly cancel: () => Promise<void>
}

/** See the module. */
export class CommandRun {
  readonly #place: RunContext
  readonly #pipefail: boolean
  readonly #abort = new AbortController()
  readonly #processes: Array<StartedProcess | undefined> = []
  readonly #spawned: PromiseWithResolvers<number | undefined> = Promise.withResolvers()
  readonly #hub: StdoutReceiver | undefined
  #taking: "nothing" | "kept" | "streamed" = "nothing"
  #outcome: Promise<RunOutcome> | undefined
  #over = false
  #stdin: StdinPipe | undefined
  /** Its commands, in order. */
  readonly stages: ReadonlyArray<Stage>

  constructor(place: RunContext, stages: ReadonlyArray<Stage>, pipefail: boolean) {
    this.#place = place
    this.stages = stages
    this.#pipefail = pipefail
    const { exec, options } = this.#last
    const { stdout = "pipe" } = options
    const isKept = stdout === "pipe" || stdout === "tee" || (typeof stdout === "object" && "tee" in stdout)
    this.#hub = isKept ? new StdoutReceiver(exec.maxOutputBytes ?? defaultMaxOutputBytes) : undefined
    // Told to those who ask for it.
    this.#spawned.promise.catch(() => {})
  }

  get #last(): Stage {
    const last = this.stages[this.stages.length - 1]
    if (last === undefined) throw new TypeError("a run has a command")
    return last
  }

  /** The commands for people. */
  get line(): string {
    return this.stages.map(({ line }) => line).join(" | ")
  }

  /** Whether it was started. */
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

  /** The pipe into the first command. */
  get stdin(): WritableStream<Uint8Array | string> {
    if (this.#stdin !== undefined) return this.#stdin.writable
    const { input, stdin } = this.stages[0]?.options ?? {}
    if (input !== undefined || (stdin !== undefined && stdin !== "pipe")) {
      throw new TypeError(`the stdin of ${this.line} is what its options say, and cannot be written to`)
    }
    if (this.isStarted) {
      throw new TypeError(`the stdin of ${this.line} was closed at its start: say stdin: "pipe", or take it before`)
    }
    this.#stdin = new StdinPipe()
    return this.#stdin.writable
  }

  /** Starts it, once. */
  start(): Promise<RunOutcome> {
    return this.#outcome ??= this.#execute().finally(() => {
      this.#over = true
      this.#stdin?.close()
      void this.#hub?.end()
    })
  }

  /** Starts it, if it was not, for its result: what it writes to stdout is kept where it is captured. */
  begin(): Promise<RunOutcome> {
    if (this.#taking === "nothing") this.#taking = "kept"
    return this.start()
  }

  /** Starts it, if it was not, and keeps its stdout. Throws a `TypeError` where that is not to be had. */
  keep(): Promise<RunOutcome> {
    if (this.#taking === "streamed") {
      throw new TypeError(`the output of ${this.line} is streamed, and was not kept: take text() or bytes() first`)
    }
    this.#needsStdout()
    this.#taking = "kept"
    return this.start()
  }

  /** Starts it, if it was not, and gives its stdout: as it comes, or when it was kept, at the end. */
  source(): ByteSource {
    const hub = this.#needsStdout()
    if (this.#taking === "streamed") throw new TypeError(`the output of ${this.line} is streamed already`)
    if (this.#taking === "kept") return this.#keptSource()
    this.#taking = "streamed"
    hub.stream()
    void this.start()
    return { read: () => hub.read(), cancel: () => this.#giveUp() }
  }

  /** The bytes of stdout that were kept, and how many were not. */
  kept(): { readonly bytes: Uint8Array; readonly bytesOmitted: number } {
    return this.#needsStdout().kept()
  }

  /** All its events as they come. Throws a `TypeError` when it was started otherwise. */
  async *events(): AsyncGenerator<RunEvent, void> {
    const wired = this.stages.some(({ options: { stderr = "pipe", stdout = "pipe" } }) =>
      stderr !== "pipe" || stdout !== "pipe"
    )
    if (this.isStarted || wired) {
      throw new TypeError(
        `${this.line}: events are those of a command that was not started, with both outputs as pipes`,
      )
    }
    this.#taking = "streamed"
    const ended = Promise.withResolvers<RunOutcome>()
    this.#outcome = ended.promise
    let last: RunOutcome = { error: new Error(`the events of ${this.line} were not read to the end`) }
    try {
      for await (const event of Stream.toAsyncIterable(this.#events({}, this.#plainInput(), true))) {
        if (event._tag === "ShellOutput") last = { result: resultOf(event) }
        yield event
      }
    } catch (error) {
      last = { error }
      throw error
    } finally {
      this.#settle(last)
      this.#over = true
      ended.resolve(last)
    }
  }

  /** Signals it; whether there was anything to signal. */
  kill(signal: string): boolean {
    if (!this.isStarted || this.#over) return false
    const running = this.#processes.filter((process) => process !== undefined)
    // It waits for its place, or for a file to be opened.
    if (running.length === 0) this.#abort.abort()
    for (const process of running) process.kill?.(signal)
    return true
  }

  #needsStdout(): StdoutReceiver {
    if (this.#hub !== undefined) return this.#hub
    throw new TypeError(`the stdout of ${this.line} is not captured: its option stdout sends it elsewhere`)
  }

  #keptSource(): ByteSource {
    let given = false
    return {
      read: async () => {
        await this.start()
        const bytes = given ? undefined : this.kept().bytes
        given = true
        return bytes?.length === 0 ? undefined : bytes
      },
      cancel: () => Promise.resolve(),
    }
  }

  async #giveUp(): Promise<void> {
    if (this.#over) return
    this.#hub?.drop()
    this.#abort.abort()
    await this.#outcome
  }

  /** Runs it to its end. */
  async #execute(): Promise<RunOutcome> {
    for (const { line, options: { verbose } } of this.stages) if (verbose === true) console.error(`$ ${line}`)
    const outcome = await this.#run()
    this.#settle(outcome)
    return outcome
  }

  async #run(): Promise<RunOutcome> {
    let file: InputFile | undefined
    try {
      if (typeof this.stages[0]?.options.stdin === "object") file = await this.#openInput()
      const opening = openOutputs(this.stages, this.#hub, this.#place.resolve)
      const outputs = opening instanceof Promise ? await opening : opening
      const exit = await Effect.runPromiseExit(
        takeShellOutput(this.#events({ outputs }, file?.stream ?? this.#plainInput(), false)),
      )
      const broken = await outputs.finish()
      if (Exit.isFailure(exit)) return { error: this.#withOutput(Cause.squash(exit.cause), outputs) }
      const result = resultOf(this.#captured(exit.value, outputs))
      return broken === undefined ? { result } : { error: ShellFault.because(result.commandId, ...broken, result) }
    } catch (error) {
      return { error }
    } finally {
      await file?.close()
    }
  }

  /** Adds what was captured here to what the engine knows. */
  #captured<A extends Pick<ShellOutput, "stdout" | "stderr" | "stdoutBytesOmitted" | "stderrBytesOmitted">>(
    from: A,
    outputs: Outputs,
  ): A {
    const stdout = this.#hub?.text(encodingOf(this.#last.exec))
    const stderr = outputs.stderr()
    return {
      ...from,
      stdout: stdout?.text ?? "",
      stdoutBytesOmitted: stdout?.bytesOmitted ?? 0,
      stderr: from.stderr + stderr.text,
      stderrBytesOmitted: from.stderrBytesOmitted + stderr.bytesOmitted,
    }
  }

  #withOutput(error: unknown, outputs: Outputs): unknown {
    if (!(error instanceof ShellFault)) return error
    const { commandId, message, reason } = error
    return ShellFault.because(commandId, reason, message, this.#captured({ ...error }, outputs))
  }

  /** Lets go what a run held, and tells those who wait for its start that there was none. */
  #settle(outcome: RunOutcome): void {
    for (const { options: { signal } } of this.stages) signal?.removeEventListener("abort", this.#onAbort)
    if ("error" in outcome) this.#spawned.reject(outcome.error)
    this.#spawned.resolve(undefined)
  }

  readonly #onAbort = (): void => this.#abort.abort()

  #events(to: { readonly outputs?: Outputs }, stdin: StageInput, streamOutput: boolean): Events {
    for (const { options: { signal } } of this.stages) {
      signal?.addEventListener("abort", this.#onAbort)
      if (signal?.aborted === true) this.#abort.abort()
    }
    return stageEvents(this.#place.shell(), this.stages, {
      stdin,
      outputs: to.outputs,
      streamOutput,
      signal: this.#abort.signal,
      pipefail: this.#pipefail,
      onSpawn: (process, index) => {
        this.#processes[index] = process
        if (index < this.stages.length - 1) return
        this.#spawned.resolve(process.pid)
        process.onExit?.(() => this.#hub?.processExited())
      },
    })
  }

  /** What the first command reads, where nothing has to be opened for it. */
  #plainInput(): StageInput {
    const { input, stdin } = this.stages[0]?.options ?? {}
    if (stdin === "pipe") void this.stdin
    return this.#stdin?.stream ?? (stdin === "inherit" ? stdin : splitInput(input).stream)
  }

  async #openInput(): Promise<InputFile | undefined> {
    const [first] = this.stages
    const stdin = first?.options.stdin
    if (first === undefined || typeof stdin !== "object") return undefined
    return await openInput(this.#place.resolve(first.exec, pathText(stdin.file))).catch((error: unknown) => {
      throw openFault(first, "stdin", error)
    })
  }
}

const encodingOf = ({ encoding }: ShellExec): string =>
  encoding === undefined ? "utf-8" : new TextDecoder(encoding).encoding

const resultOf = ({ _tag, ...output }: ShellOutput): RunResult => ({ ...output, ok: output.exitCode === 0 })
