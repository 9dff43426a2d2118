/** Opens the stdin of a run: a value, a stream, a file, this program's stdin, or a pipe that the caller writes to. */
import { OptionError } from "../base/OptionError.ts"
import { pathText } from "./argumentWords.ts"
import { openFault } from "./openOutputs.ts"
import { type InputFile, openInput, splitInput, StdinPipe } from "./runInput.ts"
import type { Stage } from "./Stage.ts"
import type { StageInput } from "./stageEvents.ts"
import { UsageError } from "./UsageError.ts"

export class StageStdin {
  readonly #stage: Stage
  #pipe: StdinPipe | undefined
  #file: InputFile | undefined

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /**
   * The writing end of the pipe into the command. Throws an `OptionError` if the options give another stdin, and a
   * `UsageError` if the command was started without the pipe. `line` names the run in messages; a write calls `start`.
   */
  writable(line: string, isStarted: boolean, start: () => unknown): WritableStream<Uint8Array | string> {
    if (this.#pipe !== undefined) return this.#pipe.writable
    const { input, stdin } = this.#stage.options
    if (input !== undefined || (stdin !== undefined && stdin !== "pipe")) {
      const option = input === undefined ? "stdin" : "input"
      throw new OptionError(
        option,
        `the stdin of ${line} is set by its options, and cannot be written to; leave ${option} out`,
      )
    }
    if (isStarted) {
      throw new UsageError(
        "AlreadyStarted",
        line,
        `the stdin of ${line} was closed at its start: pass stdin: "pipe", or take its stdin before the start`,
      )
    }
    this.#pipe = new StdinPipe(start)
    return this.#pipe.writable
  }

  /** Whether the writing end was given to a caller. */
  get isTaken(): boolean {
    return this.#pipe !== undefined
  }

  /** Whether a file has to be opened before the start. */
  get isFile(): boolean {
    return typeof this.#stage.options.stdin === "object"
  }

  /** The input of the command, unless it is a file. */
  get input(): StageInput {
    const { input, stdin } = this.#stage.options
    if (stdin === "pipe") this.#pipe ??= new StdinPipe()
    return this.#pipe?.stream ?? (stdin === "inherit" ? stdin : splitInput(input).stream)
  }

  /** Opens the file of the option `stdin`. Rejects with a `ShellFault` if that fails. */
  async open(): Promise<StageInput> {
    const { options: { stdin }, resolve } = this.#stage
    if (typeof stdin !== "object") return this.input
    this.#file = await openInput(resolve(pathText(stdin.file))).catch((error: unknown) => {
      throw openFault(this.#stage, "stdin", error)
    })
    return this.#file.stream
  }

  /** Closes the file and the pipe: the command has ended. */
  async close(): Promise<void> {
    this.#pipe?.close()
    await this.#file?.close()
  }
}
