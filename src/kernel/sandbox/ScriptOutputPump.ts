/**
 * Merges both outputs of a running script into stream elements, its exit last, as the consumer pulls: a slow consumer
 * blocks the processes. Kills the script at a limit, a failure or an early close. Unlike the pump of `src/shell`, it
 * does not decode, cut and count chunks.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import { callbackLater } from "../../base/waits.ts"
import type { ProcessHandle } from "../mod.ts"
import { Signal, type WaitStatus } from "../System.ts"
import type { HostReader } from "./hostPipeEnds.ts"
import { drainGraceMillis } from "./drainGraceMillis.ts"
import { type RunStream, scriptEndOf, type ScriptExit } from "./Script.ts"
import type { SandboxError } from "./SandboxError.ts"

export interface ScriptOutputPumpOptions<Element> {
  readonly handle: ProcessHandle
  readonly stdout: HostReader
  readonly stderr: HostReader
  /** Makes an element of bytes or of the end of an output; `undefined` for no element. */
  readonly element: (stream: RunStream, bytes: Uint8Array | undefined) => Element | undefined
  readonly maxOutputBytes: number
  /** Returns the error of a script that the kernel itself ended, if any. */
  readonly errorOf: (status: WaitStatus) => SandboxError | undefined
}

interface OutputState {
  readonly stream: RunStream
  readonly reader: HostReader
  state: "idle" | "reading" | "ended"
  bytes: Uint8Array | undefined
}

type Elements<Element> = readonly [Element | ScriptExit, ...Array<Element | ScriptExit>]
type Next<Element> = Pull.Pull<Elements<Element>, SandboxError>

/** Merges both outputs and the exit of a script into one pull. */
export class ScriptOutputPump<Element> {
  readonly #options: ScriptOutputPumpOptions<Element>
  readonly #outputs: ReadonlyArray<OutputState>
  readonly #ended: Array<RunStream> = []
  #left: number
  #truncated = false
  #status: WaitStatus | undefined
  #fault: SandboxError | undefined
  #waiting: ((next: Next<Element>) => void) | undefined
  #over = false

  constructor(options: ScriptOutputPumpOptions<Element>) {
    this.#options = options
    this.#left = options.maxOutputBytes
    const { handle, stderr, stdout } = options
    this.#outputs = [
      { stream: "stdout", reader: stdout, state: "idle", bytes: undefined },
      { stream: "stderr", reader: stderr, state: "idle", bytes: undefined },
    ]
    void handle.exited.then((status) => {
      this.#status = status
      this.#fault ??= options.errorOf(status)
      this.#resume(this.next)
    })
  }

  get over(): boolean {
    return this.#over
  }

  /** Pulls the next elements; the last is a {@link ScriptExit}. */
  readonly next: Next<Element> = Effect.suspend(() => {
    const ready = this.#poll()
    if (ready !== undefined) return ready
    const more: Next<Element> = callbackLater((resume) => {
      this.#waiting = resume
      return Effect.sync(() => {
        this.#waiting = undefined
      })
    })
    if (this.#status === undefined) return more
    // Background processes hold the outputs open.
    return Effect.timeoutOrElse(more, {
      duration: drainGraceMillis,
      orElse: () => {
        this.#release()
        return this.next
      },
    })
  })

  /** Kills everything; the pull fails after the remaining output. */
  fail(error: SandboxError): void {
    if (this.#over || this.#fault !== undefined) return
    this.#fault = error
    this.#options.handle.endAll()
  }

  /** Closes the pipes, and kills a script that has not ended. */
  close(): void {
    this.#waiting = undefined
    if (!this.#over) this.#options.handle.endAll()
    this.#over = true
    this.#release()
  }

  #release(): void {
    for (const { reader } of this.#outputs) reader.release()
  }

  #resume(next: Next<Element>): void {
    const resume = this.#waiting
    this.#waiting = undefined
    resume?.(next)
  }

  #poll(): Next<Element> | undefined {
    if (this.#over) return Cause.done()
    do {
      for (const output of this.#outputs) if (output.state === "idle" && output.bytes === undefined) this.#read(output)
      const out = this.#take()
      if (Arr.isReadonlyArrayNonEmpty(out)) return Effect.succeed(out)
      // The bytes made no element yet (half a character), so more are read.
    } while (this.#outputs.some(({ state }) => state === "idle"))
    const status = this.#status
    if (status === undefined || this.#outputs.some(({ state }) => state !== "ended")) return undefined
    this.#over = true
    if (this.#fault !== undefined) return Effect.fail(this.#fault)
    return Effect.succeed([{ _tag: "ScriptExit", ...scriptEndOf(status, this.#truncated) }])
  }

  #read(output: OutputState): void {
    output.state = "reading"
    let now = true
    output.reader.read((bytes) => {
      output.bytes = bytes
      output.state = bytes === undefined ? "ended" : "idle"
      if (bytes === undefined) this.#ended.push(output.stream)
      if (!now) this.#resume(this.next)
    })
    now = false
  }

  #take(): ReadonlyArray<Element> {
    const { element, handle } = this.#options
    const out: Array<Element> = []
    const give = (made: Element | undefined): void => {
      if (made !== undefined) out.push(made)
    }
    for (const output of this.#outputs) {
      const { bytes } = output
      output.bytes = undefined
      if (bytes === undefined || this.#truncated) continue
      const kept = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes
      this.#left -= kept.length
      if (kept.length > 0) give(element(output.stream, kept))
      if (kept.length === bytes.length) continue
      this.#truncated = true
      handle.endAll(Signal.SIGXFSZ)
    }
    for (const stream of this.#ended.splice(0)) give(element(stream, undefined))
    return out
  }
}
