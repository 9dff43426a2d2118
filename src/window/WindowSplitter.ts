/** Cuts the output of commands into windows where a policy, a silence or the size limit ends them. */
import type { ShellOutput, ShellOutputChunk, ShellOutputWindow } from "../command/ShellEvent.ts"
import { OptionError } from "../base/OptionError.ts"
import { WindowBuffer, type WindowStream } from "./WindowBuffer.ts"
import type { Policy } from "./Policy.ts"

/** An element of a windowed stream: a chunk, a {@link ShellOutput}, or any other tagged event. */
export interface TaggedEvent {
  readonly _tag: string
}

/** The elements of type `A` with windows in place of chunks. */
export type Windowed<A extends TaggedEvent> = ShellOutputWindow | Exclude<A, ShellOutputChunk>

/** Options of a window operator. */
export interface WindowOptions {
  /**
   * Whether windows contain stdout and stderr in order of arrival, with the stream `"both"`. Default: `false`, separate
   * windows.
   */
  readonly join?: boolean | undefined
  /**
   * Maximum of UTF-8 bytes of a window, for each stream of each command; the window is cut there whatever the policy
   * says. Default: 67,108,864 (64 MiB).
   */
  readonly maxBytes?: number | undefined
}

const defaultMaxBytes = 67_108_864

const isChunk = (event: TaggedEvent): event is ShellOutputChunk => event._tag === "ShellOutputChunk"
const isEnd = (event: TaggedEvent): event is ShellOutput => event._tag === "ShellOutput"
const isOther = <A extends TaggedEvent>(event: A): event is A & Exclude<A, ShellOutputChunk> => !isChunk(event)

/** Options with every default filled in. */
export type WindowSettings = Required<{ readonly [K in keyof WindowOptions]: NonNullable<WindowOptions[K]> }>

/** Fills in the defaults; throws an `OptionError` when `maxBytes` is less than 1. */
export const settingsOf = (options: WindowOptions = {}): WindowSettings => {
  const { join = false, maxBytes = defaultMaxBytes } = options
  if (maxBytes >= 1) return { join, maxBytes }
  throw new OptionError("maxBytes", `maxBytes must be a number from 1, got ${maxBytes}`)
}

/** Cuts the output of any number of commands, each separately. */
export class WindowSplitter<A extends TaggedEvent> {
  readonly #policy: Policy
  readonly #settings: WindowSettings
  readonly #commands = new Map<string, Array<[WindowStream, WindowBuffer]>>()

  constructor(policy: Policy, settings: WindowSettings) {
    this.#policy = policy
    this.#settings = settings
  }

  /** Takes an event that arrived at `now` ms; appends emitted events to `out`. */
  push(event: A, now: number, out: Array<Windowed<A>>): void {
    if (isOther(event)) {
      if (isEnd(event)) this.#flush(event.commandId, out)
      out.push(event)
    } else if (isChunk(event) && event.content !== "") {
      const buffer = this.#bufferOf(event)
      buffer.silentSince = now
      buffer.push(event, out)
    }
  }

  /** Emits everything that is held. */
  flush(out: Array<Windowed<A>>): void {
    for (const commandId of [...this.#commands.keys()]) this.#flush(commandId, out)
  }

  /** Milliseconds until held text has been silent for long enough; `Infinity` if none can be. */
  untilSilent(now: number): number {
    let min = Infinity
    for (const buffer of this.#holding()) min = Math.min(min, this.#policy.silenceMillis - (now - buffer.silentSince))
    return min
  }

  /** Emits what has been silent for long enough. */
  cutSilent(now: number, out: Array<Windowed<A>>): void {
    const silent = this.#holding().filter((buffer) => now - buffer.silentSince >= this.#policy.silenceMillis)
    for (const buffer of silent.sort((a, b) => a.fromSeq - b.fromSeq)) buffer.end(out)
  }

  /** Excludes from all silences a time in which no output was read. */
  postpone(millis: number): void {
    for (const buffer of this.#holding()) buffer.silentSince += millis
  }

  #holding(): Array<WindowBuffer> {
    const buffers: Array<WindowBuffer> = []
    for (const command of this.#commands.values()) {
      for (const [, buffer] of command) if (buffer.holds) buffers.push(buffer)
    }
    return buffers
  }

  #bufferOf(chunk: ShellOutputChunk): WindowBuffer {
    const stream = this.#settings.join ? "both" : chunk.stream
    let buffers = this.#commands.get(chunk.commandId)
    if (buffers === undefined) this.#commands.set(chunk.commandId, buffers = [])
    for (const [name, buffer] of buffers) if (name === stream) return buffer
    const buffer = new WindowBuffer(this.#policy, this.#settings.maxBytes, chunk.commandId, stream)
    buffers.push([stream, buffer])
    return buffer
  }

  #flush(commandId: string, out: Array<Windowed<A>>): void {
    const buffers = this.#commands.get(commandId) ?? []
    this.#commands.delete(commandId)
    for (const [, buffer] of buffers.sort(([, a], [, b]) => a.fromSeq - b.fromSeq)) buffer.flush(out)
  }
}
