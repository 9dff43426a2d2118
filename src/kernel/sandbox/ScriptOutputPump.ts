/**
 * Pulls both outputs of a run: nothing is read while nobody asks, so a slow consumer blocks whoever writes.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import type { ProcessHandle } from "../Kernel.ts"
import { Signal, type WaitStatus } from "../System.ts"
import type { HostReader } from "./hostPipeEnds.ts"
import { endOf, type RunStream, type ScriptExit } from "./Script.ts"
import type { SandboxError } from "./SandboxError.ts"

/** Milliseconds of silence after which outputs are given up that processes in the background hold. */
export const drainGrace = 100

/** What a run is pulled with. */
export interface ScriptOutputPumpOptions<Element> {
  readonly handle: ProcessHandle
  readonly stdout: HostReader
  readonly stderr: HostReader
  /** Makes an element of bytes, or of the end of an output; `undefined` when there is nothing to tell yet. */
  readonly element: (stream: RunStream, bytes: Uint8Array | undefined) => Element | undefined
  /** Bytes on both outputs together. */
  readonly outputBytes: number
  /** The error of a run that the kernel itself ended, if it is one. */
  readonly errorOf: (status: WaitStatus) => SandboxError | undefined
}

interface Lane {
  readonly stream: RunStream
  readonly reader: HostReader
  state: "idle" | "reading" | "ended"
  bytes: Uint8Array | undefined
}

type Elements<Element> = readonly [Element | ScriptExit, ...Array<Element | ScriptExit>]
type Next<Element> = Pull.Pull<Elements<Element>, SandboxError>

const isNonEmpty = <A>(items: ReadonlyArray<A>): items is readonly [A, ...Array<A>] => items.length > 0

/** The state of a run that is pulled. */
export class ScriptOutputPump<Element> {
  readonly #options: ScriptOutputPumpOptions<Element>
  readonly #lanes: ReadonlyArray<Lane>
  readonly #ended: Array<RunStream> = []
  #left: number
  #truncated = false
  #status: WaitStatus | undefined
  #fault: SandboxError | undefined
  #waiting: ((next: Next<Element>) => void) | undefined
  #over = false

  constructor(options: ScriptOutputPumpOptions<Element>) {
    this.#options = options
    this.#left = options.outputBytes
    const { handle, stderr, stdout } = options
    this.#lanes = [
      { stream: "stdout", reader: stdout, state: "idle", bytes: undefined },
      { stream: "stderr", reader: stderr, state: "idle", bytes: undefined },
    ]
    void handle.exited.then((status) => {
      this.#status = status
      this.#fault ??= options.errorOf(status)
      this.#resume(this.next)
    })
  }

  /** Whether the last element was given. */
  get over(): boolean {
    return this.#over
  }

  /** The next elements, the last of them a {@link ScriptExit}. */
  readonly next: Next<Element> = Effect.suspend(() => {
    const ready = this.#poll()
    if (ready !== undefined) return ready
    const more: Next<Element> = Effect.callback((resume) => {
      this.#waiting = resume
      return Effect.sync(() => {
        this.#waiting = undefined
      })
    })
    if (this.#status === undefined) return more
    // Processes in the background hold the outputs.
    return Effect.timeoutOrElse(more, {
      duration: drainGrace,
      orElse: () => {
        this.#release()
        return this.next
      },
    })
  })

  /** Kills everything; after what was written comes the error. */
  fail(error: SandboxError): void {
    if (this.#over || this.#fault !== undefined) return
    this.#fault = error
    this.#options.handle.endAll()
  }

  /** The stream is closed: a run that is not over is killed. */
  close(): void {
    this.#waiting = undefined
    if (!this.#over) this.#options.handle.endAll()
    this.#over = true
    this.#release()
  }

  #release(): void {
    for (const { reader } of this.#lanes) reader.release()
  }

  #resume(next: Next<Element>): void {
    const resume = this.#waiting
    this.#waiting = undefined
    resume?.(next)
  }

  #poll(): Next<Element> | undefined {
    if (this.#over) return Cause.done()
    do {
      for (const lane of this.#lanes) if (lane.state === "idle" && lane.bytes === undefined) this.#read(lane)
      const out = this.#take()
      if (isNonEmpty(out)) return Effect.succeed(out)
      // Bytes that made no element yet: there may be more.
    } while (this.#lanes.some(({ state }) => state === "idle"))
    const status = this.#status
    if (status === undefined || this.#lanes.some(({ state }) => state !== "ended")) return undefined
    this.#over = true
    if (this.#fault !== undefined) return Effect.fail(this.#fault)
    return Effect.succeed([{ _tag: "ScriptExit", ...endOf(status, this.#truncated) }])
  }

  #read(lane: Lane): void {
    lane.state = "reading"
    let now = true
    lane.reader.read((bytes) => {
      lane.bytes = bytes
      lane.state = bytes === undefined ? "ended" : "idle"
      if (bytes === undefined) this.#ended.push(lane.stream)
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
    for (const lane of this.#lanes) {
      const { bytes } = lane
      lane.bytes = undefined
      if (bytes === undefined || this.#truncated) continue
      const kept = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes
      this.#left -= kept.length
      if (kept.length > 0) give(element(lane.stream, kept))
      if (kept.length === bytes.length) continue
      this.#truncated = true
      handle.endAll(Signal.SIGXFSZ)
    }
    for (const stream of this.#ended.splice(0)) give(element(stream, undefined))
    return out
  }
}
