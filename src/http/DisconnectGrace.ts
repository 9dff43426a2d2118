/** Ends a command that no client has read for a time, and pauses one that is too far ahead of its readers. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import { UnreadOutput } from "./UnreadOutput.ts"

export interface AttachedReader {
  /** Reports that the client has been sent all events up to this id. */
  readonly advanceTo: (id: number) => void
  readonly detach: () => void
}

export interface DisconnectGraceOptions {
  readonly millis: number
  /** Maximum of unread output, in UTF-16 code units. */
  readonly maxAhead: number
  /** Called when the command had no reader for `millis`. */
  readonly onAbandoned: () => void
  readonly context: Context.Context<never>
}

/** Tracks the readers of a command, and pauses the command while it is too far ahead of the fastest of them. */
export class DisconnectGrace {
  readonly #options: DisconnectGraceOptions
  readonly #unread: UnreadOutput
  #reached = -1
  #readers = 0
  #released = false
  #timer: Fiber.Fiber<void> | undefined

  constructor(options: DisconnectGraceOptions) {
    this.#options = options
    this.#unread = new UnreadOutput(options.maxAhead)
    this.#wait()
  }

  /** Runs an effect, the next read of output, once the command is not paused. */
  whenOpen<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.andThen(this.#unread.latch.await, effect)
  }

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

  /** Adds output of the command to the unread output. */
  produced(events: ReadonlyArray<ShellOutputChunk | ShellOutput>): void {
    for (const event of events) {
      if (event._tag === "ShellOutputChunk" && event.seq > this.#reached) {
        this.#unread.add(event.seq, event.content.length)
      }
    }
  }

  /** Resumes the command for good, no matter how far it is ahead. */
  release(): void {
    this.#released = true
    this.#unread.release()
  }

  close(): void {
    this.release()
    this.#timer?.interruptUnsafe()
    this.#timer = undefined
  }

  #reach(id: number): void {
    if (id <= this.#reached) return
    this.#reached = id
    this.#unread.reach(id)
  }

  #wait(): void {
    if (this.#released) return
    const { context, millis, onAbandoned } = this.#options
    this.#timer = Effect.runForkWith(context)(Effect.delay(Effect.sync(onAbandoned), millis))
  }
}
