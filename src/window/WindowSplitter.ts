/**
 * Cuts the output of any number of commands into windows; its callers supply the time.
 *
 * @module
 */
import type { ShellOutput, ShellOutputChunk, ShellOutputWindow } from "../command/ShellEvent.ts"
import { OptionError } from "../base/OptionError.ts"
import { WindowBuffer, type WindowStream } from "./WindowBuffer.ts"
import type { Policy } from "./Policy.ts"

/** What goes through a window operator: chunks, the {@link ShellOutput}, and any other tagged event. */
export interface TaggedEvent {
  readonly _tag: string
}

/** What comes out for events of type `A`: windows in place of the chunks. */
export type Windowed<A extends TaggedEvent> = ShellOutputWindow | Exclude<A, ShellOutputChunk>

/** Settings of a window operator. */
export interface WindowOptions {
  /** Stdout and stderr in one window, in order of arrival, its stream `"both"`. Default: `false`, each by itself. */
  readonly join?: boolean | undefined
  /**
   * Most bytes of UTF-8 that a window may have, and that are held for it; it is cut there whatever the policy says.
   * Default: 67,108,864 (64 MiB), for each stream of each command.
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
  throw new OptionError("maxBytes", `maxBytes: write a number from 1, not ${maxBytes}`)
}

/** Cuts the output of any number of commands, each by itself. */
export class WindowSplitter<A extends TaggedEvent> {
  readonly #policy: Policy
  readonly #settings: WindowSettings
  readonly #commands = new Map<string, Array<[WindowStream, WindowBuffer]>>()

  constructor(policy: Policy, settings: WindowSettings) {
    this.#policy = policy
    this.#settings = settings
  }

  /** Takes an event that came at `now` ms; what it lets through goes to `out`. */
  push(event: A, now: number, out: Array<Windowed<A>>): void {
    if (isOther(event)) {
      if (isEnd(event)) this.#flush(event.commandId, out)
      out.push(event)
    } else if (isChunk(event) && event.content !== "") {
      const lane = this.#lane(event)
      lane.silentSince = now
      lane.push(event, out)
    }
  }

  /** Lets go of everything that is held. */
  flush(out: Array<Windowed<A>>): void {
    for (const commandId of [...this.#commands.keys()]) this.#flush(commandId, out)
  }

  /** Milliseconds until something that is held has been silent for long enough; `Infinity` when nothing can be. */
  untilSilent(now: number): number {
    let least = Infinity
    for (const lane of this.#holding()) least = Math.min(least, this.#policy.silenceMillis - (now - lane.silentSince))
    return least
  }

  /** Lets go of what has been silent for long enough. */
  cutSilent(now: number, out: Array<Windowed<A>>): void {
    const silent = this.#holding().filter((lane) => now - lane.silentSince >= this.#policy.silenceMillis)
    for (const lane of silent.sort((a, b) => a.fromSeq - b.fromSeq)) lane.end(out)
  }

  /** Leaves out of every silence a time during which nobody listened. */
  postpone(millis: number): void {
    for (const lane of this.#holding()) lane.silentSince += millis
  }

  #holding(): Array<WindowBuffer> {
    const lanes: Array<WindowBuffer> = []
    for (const command of this.#commands.values()) {
      for (const [, lane] of command) if (lane.holds) lanes.push(lane)
    }
    return lanes
  }

  #lane(chunk: ShellOutputChunk): WindowBuffer {
    const stream = this.#settings.join ? "both" : chunk.stream
    let lanes = this.#commands.get(chunk.commandId)
    if (lanes === undefined) this.#commands.set(chunk.commandId, lanes = [])
    for (const [name, lane] of lanes) if (name === stream) return lane
    const lane = new WindowBuffer(this.#policy, this.#settings.maxBytes, chunk.commandId, stream)
    lanes.push([stream, lane])
    return lane
  }

  #flush(commandId: string, out: Array<Windowed<A>>): void {
    const lanes = this.#commands.get(commandId) ?? []
    this.#commands.delete(commandId)
    for (const [, lane] of lanes.sort(([, a], [, b]) => a.fromSeq - b.fromSeq)) lane.flush(out)
  }
}
