/**
 * A command that lives as long as somebody reads it, and a little longer.
 *
 * @module
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"

/** Somebody who reads a command. */
export interface AttachedReader {
  /** Has been given everything up to this event. */
  readonly advanceTo: (id: number) => void
  readonly detach: () => void
}

/** How long a command lives without readers, and how far it may be ahead of them. */
export interface DisconnectGraceOptions {
  readonly millis: number
  /** Characters of output. */
  readonly maxAhead: number
  /** Called when nobody has read for so long. */
  readonly onAbandoned: () => void
  /** Whose clock counts. */
  readonly context: Context.Context<never>
}

interface UnreadChunk {
  readonly seq: number
  readonly length: number
}

/** Counts who reads, and holds the command while it is too far ahead of the one who is furthest. */
export class DisconnectGrace {
  readonly #options: DisconnectGraceOptions
  readonly #latch = Latch.makeUnsafe(true)
  readonly #unread: Array<UnreadChunk> = []
  #ahead = 0
  #reached = -1
  #readers = 0
  #released = false
  #timer: Fiber.Fiber<void> | undefined

  constructor(options: DisconnectGraceOptions) {
    this.#options = options
    this.#wait()
  }

  /** Lets the next output be asked for when it may be. */
  readonly whenOpen: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = this.#latch.whenOpen

  /** Somebody begins to read. */
  attach(): AttachedReader {
    this.#readers++
    this.#timer?.interruptUnsafe()
    this.#timer = undefined
    let reads = true
    return {
      advanceTo: (id) => this.#reach(id),
      detach: () => {
        if (!reads) return
        reads = false
        this.#readers--
        if (this.#readers === 0) this.#wait()
      },
    }
  }

  /** The command has brought something. */
  produced(events: ReadonlyArray<ShellOutputChunk | ShellOutput>): void {
    for (const event of events) {
      if (event._tag !== "ShellOutputChunk" || event.seq <= this.#reached) continue
      this.#unread.push({ seq: event.seq, length: event.content.length })
      this.#ahead += event.content.length
    }
    if (this.#ahead > this.#options.maxAhead && !this.#released) this.#latch.closeUnsafe()
  }

  /** Nothing holds the command any more. */
  release(): void {
    this.#released = true
    this.#latch.openUnsafe()
  }

  /** The command is over. */
  close(): void {
    this.release()
    this.#timer?.interruptUnsafe()
    this.#timer = undefined
  }

  #reach(id: number): void {
    if (id <= this.#reached) return
    this.#reached = id
    let read = 0
    for (; (this.#unread[read]?.seq ?? Infinity) <= id; read++) this.#ahead -= this.#unread[read]?.length ?? 0
    this.#unread.splice(0, read)
    if (this.#ahead <= this.#options.maxAhead) this.#latch.openUnsafe()
  }

  #wait(): void {
    if (this.#released) return
    const { context, millis, onAbandoned } = this.#options
    this.#timer = Effect.runForkWith(context)(Effect.delay(Effect.sync(onAbandoned), millis))
  }
}
