/**
 * A command that runs when it is awaited, iterated or streamed.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { HandOff } from "../shell/HandOff.ts"
import { linesOf } from "../shell/lines.ts"
import { runPipeline } from "../shell/pipeline.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { ByteWriter } from "../shell/Spawned.ts"
import { partInput, type RunOptions } from "./RunOptions.ts"

/** How a command ended, with all that it wrote. */
export interface RunResult extends Omit<ShellOutput, "_tag"> {
  /** Whether the exit code is 0. */
  readonly ok: boolean
}

interface Stage {
  readonly exec: ShellExec
  readonly options: RunOptions
}

/**
 * A command, not yet started. `await` runs it and answers with a {@link RunResult}, whatever its exit code; it
 * rejects with the `ShellFault` when the command cannot be executed, times out or is cancelled. Each `await`,
 * iteration or stream of the same value runs the command anew.
 *
 * @example
 * ```ts
 * import { $ } from "@sluice/shell/run"
 *
 * const { ok, stdout } = await $`echo ${"hello world"}`
 * console.assert(ok && stdout === "hello world\n")
 * const last = await $`seq 100`.pipe($`tail -n 1`).text()
 * console.assert(last === "100")
 * for await (const line of $`seq 3`) console.assert(line >= "1" && line <= "3")
 * ```
 */
export class CommandPromise implements PromiseLike<RunResult>, AsyncIterable<string> {
  readonly #shell: () => ShellService
  readonly #stages: ReadonlyArray<Stage>
  readonly #pipefail: boolean

  /** Made by `$` and `run`. */
  constructor(shell: () => ShellService, stages: ReadonlyArray<Stage>, pipefail: boolean) {
    this.#shell = shell
    this.#stages = stages
    this.#pipefail = pipefail
  }

  /** The commands, as values: one, or one for each stage of the pipeline. */
  get commands(): ReadonlyArray<ShellExec> {
    return this.#stages.map((stage) => stage.exec)
  }

  /** Joins the next command: it reads what this one writes. Ends early as SIGPIPE would when it stops reading. */
  pipe(next: CommandPromise, options: { readonly pipefail?: boolean } = {}): CommandPromise {
    return new CommandPromise(this.#shell, [...this.#stages, ...next.#stages], options.pipefail ?? this.#pipefail)
  }

  /** The events of the run, for those who want chunks and the last event: an Effect `Stream`. */
  events(): Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault> {
    return this.#run(true)
  }

  /** Runs the command: the reason why it can be awaited. */
  then<A = RunResult, B = never>(
    onResult?: ((result: RunResult) => A | PromiseLike<A>) | null,
    onFault?: ((fault: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return Effect.runPromise(Effect.flatMap(Stream.runLast(this.#run(false)), (last) => {
      if (last._tag === "None" || last.value._tag !== "ShellOutput") {
        return Effect.die(new Error("a run ends with its ShellOutput"))
      }
      const { _tag, ...output } = last.value
      return Effect.succeed({ ...output, ok: output.exitCode === 0 })
    })).then(onResult, onFault)
  }

  /** The whole stdout without its last line end. */
  async text(): Promise<string> {
    const { stdout } = await this
    return stdout.replace(/\r?\n$/, "")
  }

  /** The whole stdout as JSON. Rejects with a `SyntaxError` when it is none. */
  async json(): Promise<unknown> {
    return JSON.parse((await this).stdout)
  }

  /** The lines of stdout as they come, without their ends. Leaving the loop ends the command. */
  lines(): AsyncIterable<string> {
    return Stream.toAsyncIterable(linesOf(this.events()))
  }

  /** The same as {@link CommandPromise.lines}. */
  [Symbol.asyncIterator](): AsyncIterator<string> {
    return this.lines()[Symbol.asyncIterator]()
  }

  /** The bytes of stdout as a Web stream: pulled, so that a slow reader slows the command. Cancelling ends it. */
  stream(): ReadableStream<Uint8Array> {
    const bytes = Stream.suspend(() => {
      const handOff = new HandOff()
      return Stream.merge(handOff.stream, Stream.drain(this.#run(true, handOff)))
    })
    // The buffer is used again: whoever queues a piece must have one of its own.
    return Stream.toReadableStream(Stream.map(bytes, (piece) => piece.slice()), { strategy: { highWaterMark: 0 } })
  }

  #run(streamOutput: boolean, stdout?: ByteWriter): Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault> {
    return Stream.suspend(() => {
      const shell = this.#shell()
      const { stream: stdin } = partInput(this.#stages[0]?.options.input)
      const signals = this.#stages.flatMap(({ options: { signal } }) => signal === undefined ? [] : [signal])
      const options = { stdin, stdout, signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0] }
      const execs = this.#stages.map(({ exec }) => new ShellExec({ ...exec, streamOutput }))
      const [only] = execs
      return only !== undefined && execs.length === 1
        ? shell.exec(only, options)
        : runPipeline(shell, execs, { ...options, pipefail: this.#pipefail })
    })
  }
}
