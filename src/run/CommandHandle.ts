/** Implements `LazyCommand` over one run that all its readers share. */
import { OptionError } from "../base/OptionError.ts"
import { signalNumber } from "../command/signals.ts"
import { findHost } from "../host/findHost.ts"
import { defaultMaxOutputBytes } from "../shell/OutputSink.ts"
import { type CallSite, withCallSite } from "./callSite.ts"
import type { LazyCommand } from "./LazyCommand.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { TemplateArgument } from "./Argument.ts"
import { areValues, isTemplate } from "./argumentWords.ts"
import { type ByteSource, CommandRun } from "./CommandRun.ts"
import type { RunTag } from "./Runner.ts"
import { OutputError, type StandardSchema } from "./StandardSchema.ts"
import type { ScriptTerminal } from "./ScriptTerminal.ts"
import type { RunOutcome } from "./runOutcome.ts"
import { isAccepted } from "../shell/plain/exitCheck.ts"
import { completeFault, exitError, redactText } from "./exitError.ts"
import { readLines } from "./readLines.ts"
import type { RunEvent, RunResult } from "./RunResult.ts"
import type { RunOptions } from "./RunOptions.ts"
import { printVerbose } from "./printVerbose.ts"
import type { RunShell, Stage } from "./Stage.ts"
import { UsageError } from "./UsageError.ts"

interface PipeOptions {
  readonly pipefail?: boolean | undefined
}

/** Refuses options that a terminal would have to ignore: it is the stdin and both outputs of its command. */
const refuseRedirections = ({ line, options }: Stage): void => {
  const option = (["input", "stdin", "stdout", "stderr"] as const).find((name) =>
    options[name] !== undefined && (name === "input" || name === "stdin" || options[name] !== "pipe")
  )
  if (option === undefined) return
  throw new OptionError(
    option,
    `terminal: the option ${option} of ${line} is for a command without a terminal; leave it out`,
  )
}

/** Implements {@link LazyCommand}. Not public: commands are made by `$`, `run` and `shell`. */
export class CommandHandle implements LazyCommand {
  readonly #shell: () => RunShell | Promise<RunShell>
  readonly #run: CommandRun
  readonly #pipefail: boolean
  readonly #check: RunOptions["check"]
  readonly #site: CallSite
  readonly #tag: RunTag

  /** Made by runners. */
  constructor(
    shell: () => RunShell | Promise<RunShell>,
    stages: ReadonlyArray<Stage>,
    site: CallSite,
    tag: RunTag,
    settings: {
      readonly pipefail?: boolean | undefined
      readonly check?: RunOptions["check"]
      readonly run?: CommandRun
    } = {},
  ) {
    this.#site = site
    this.#tag = tag
    this.#shell = shell
    this.#pipefail = settings.pipefail ?? false
    this.#run = settings.run ?? new CommandRun(shell, stages, this.#pipefail)
    this.#check = settings.check ?? stages[stages.length - 1]?.options.check
  }

  get [Symbol.toStringTag](): string {
    return "LazyCommand"
  }

  get command(): string {
    return this.#run.line
  }

  pipe(strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateArgument>): LazyCommand
  pipe(next: LazyCommand, options?: PipeOptions): LazyCommand
  pipe(
    first: TemplateStringsArray | LazyCommand,
    ...rest: ReadonlyArray<TemplateArgument | PipeOptions | undefined>
  ): LazyCommand {
    const [options] = rest
    return isTemplate(first)
      ? this.#pipe(this.#tag(first, ...(areValues(rest) ? rest : [])))
      : this.#pipe(first, typeof options === "object" && "pipefail" in options ? options : {})
  }

  #pipe(next: LazyCommand, { pipefail = this.#pipefail }: PipeOptions = {}): LazyCommand {
    if (!(next instanceof CommandHandle)) {
      throw new OptionError("next", "pipe: write a command of `$`, `run` or `shell`")
    }
    for (const each of [this.#run, next.#run]) each.refuseClaim("pipe")
    const [from] = this.#run.stages.slice(-1)
    const [to] = next.#run.stages
    if (from?.options.stdout !== undefined && from.options.stdout !== "pipe") {
      throw new OptionError("stdout", `pipe: the options of ${from.line} send its stdout elsewhere; leave stdout out`)
    }
    if (to?.options.input !== undefined || to?.options.stdin !== undefined) {
      const option = to?.options.input === undefined ? "stdin" : "input"
      throw new OptionError(option, `pipe: the options of ${to?.line} give it another stdin; leave ${option} out`)
    }
    this.#run.claim("pipe")
    if (next.#run !== this.#run) next.#run.claim("pipe")
    return new CommandHandle(this.#shell, [...this.#run.stages, ...next.#run.stages], this.#site, this.#tag, {
      pipefail,
      check: next.#check,
    })
  }

  nothrow(): LazyCommand {
    return new CommandHandle(this.#shell, this.#run.stages, this.#site, this.#tag, {
      pipefail: this.#pipefail,
      check: false,
      run: this.#run,
    })
  }

  start(): this {
    void this.#run.start()
    return this
  }

  async terminal(options: NonNullable<Parameters<LazyCommand["terminal"]>[0]> = {}): Promise<ScriptTerminal> {
    const { stages: [stage, ...others] } = this.#run
    if (stage === undefined || others.length > 0) {
      const message = `terminal: ${this.command} is more than one command; give one of them a terminal`
      throw new UsageError("NotOneCommand", this.command, message)
    }
    refuseRedirections(stage)
    this.#run.claim("terminal")
    printVerbose([stage])
    try {
      const { openTerminal } = await import("./onDemand.ts")
      return await openTerminal(await this.#shell(), stage, options, (error) => this.#failed({ error }))
    } catch (error) {
      throw withCallSite(error, this.#site)
    }
  }

  get pid(): number | undefined {
    return this.#run.pid
  }

  get spawned(): Promise<number | undefined> {
    const spawned = this.#run.spawned.catch((error: unknown) => this.#failed({ error }))
    // Reported to callers that wait for it.
    spawned.catch(() => {})
    return spawned
  }

  kill(signal = "SIGTERM"): boolean {
    if (signalNumber(signal, findHost()?.os) === undefined) {
      throw new OptionError(
        "signal",
        `kill: this system has no signal ${String(signal)}; write a name such as "SIGTERM"`,
      )
    }
    return this.#run.kill(signal)
  }

  get stdin(): WritableStream<Uint8Array | string> {
    return this.#run.stdin
  }

  get exited(): Promise<RunResult> {
    return this.#run.start().then((outcome) => this.#settled(outcome, false))
  }

  then<A = RunResult, B = never>(
    onResult?: ((result: RunResult) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result().then(onResult, onError)
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<RunResult | B> {
    return this.then(undefined, onError)
  }

  finally(onEnd?: (() => void) | null): Promise<RunResult> {
    return this.#result().finally(onEnd)
  }

  async text(): Promise<string> {
    return (await this.#kept()).toString()
  }

  async json<A>(schema?: StandardSchema<A>): Promise<A> {
    if (schema !== undefined && typeof schema?.["~standard"]?.validate !== "function") {
      throw withCallSite((await import("./onDemand.ts")).schemaError(schema), this.#site)
    }
    const { stdout, stdoutBytesOmitted } = await this.#kept()
    if (stdoutBytesOmitted > 0) this.#whole()
    try {
      if (schema === undefined) return JSON.parse(stdout)
    } catch {
      // Parsed again, for the error.
    }
    try {
      return await (await import("./onDemand.ts")).parseJson(
        this.command,
        stdout,
        schema,
        () => redactText(this.#execs),
      )
    } catch (error) {
      throw error instanceof OutputError ? withCallSite(error, this.#site) : error
    }
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.arrayBuffer())
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    await this.#kept()
    return new Uint8Array(this.#whole()).buffer
  }

  /** All bytes of stdout. Throws an `OutputError` if some were left out. */
  #whole(): Uint8Array {
    const { bytes, bytesOmitted } = this.#run.kept()
    if (bytesOmitted === 0) return bytes
    throw new OutputError(
      this.command,
      { _tag: "Incomplete", bytesOmitted },
      `${this.command} wrote ${
        bytes.length + bytesOmitted
      } bytes, and maxOutputBytes keeps ${bytes.length}: raise it, or use stream()`,
    )
  }

  lines(): AsyncIterable<string> {
    const { exec } = this.#run.stages[this.#run.stages.length - 1] ?? {}
    return readLines(() => this.#run.source(false), {
      command: this.command,
      encoding: exec?.encoding ?? "utf-8",
      maxLength: exec?.maxOutputBytes ?? defaultMaxOutputBytes,
      end: () => this.#result(),
    })
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return this.lines()[Symbol.asyncIterator]()
  }

  stream(): ReadableStream<Uint8Array> {
    let source: ByteSource | undefined
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        source ??= this.#run.source(true)
        const bytes = await source.read()
        if (bytes !== undefined) return controller.enqueue(bytes)
        await this.#result()
        controller.close()
      },
      cancel: () => source?.cancel(),
    }, { highWaterMark: 0 })
  }

  async *events(): AsyncGenerator<RunEvent, void> {
    try {
      yield* this.#run.events()
    } catch (error) {
      await this.#failed({ error })
    }
    await this.#result()
  }

  async #result(): Promise<RunResult> {
    return this.#settled(await this.#run.begin(), this.#check)
  }

  async #kept(): Promise<RunResult> {
    return this.#settled(await this.#run.keep(), this.#check)
  }

  #settled(outcome: RunOutcome, check: RunOptions["check"]): RunResult | Promise<never> {
    return "result" in outcome && isAccepted(outcome.result, check) ? outcome.result : this.#failed(outcome)
  }

  get #execs(): ReadonlyArray<ShellExec> {
    return this.#run.stages.map(({ exec }) => exec)
  }

  async #failed(outcome: RunOutcome): Promise<never> {
    const execs = this.#execs
    const error = "error" in outcome
      ? await completeFault(execs, outcome.error)
      : await exitError(execs, this.command, outcome.result)
    throw withCallSite(error, this.#site)
  }
}
