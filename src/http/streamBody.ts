/**
 * A stream as the body of a response.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import { type DurationInput, durationOf } from "../base/duration.ts"

/** Bytes as they go into a response. */
export type Bytes = Uint8Array<ArrayBuffer>

/** What is sent to somebody who waits while nothing comes. */
export interface KeepAlive {
  readonly bytes: Bytes
  readonly every: DurationInput
  /** Done each time. */
  readonly check: Effect.Effect<void>
}

/** What {@link streamBody} takes. */
export interface StreamBodyOptions<A, E> {
  readonly pieces: Stream.Stream<A, E>
  readonly encode: (pieces: ReadonlyArray<A>) => Bytes
  /** What is sent when it ends otherwise than well. Default: the body fails, so that nobody takes it for the whole. */
  readonly encodeFailure: (cause: Cause.Cause<E>) => Bytes | undefined
  readonly fork: (run: Effect.Effect<void, E>) => Fiber.Fiber<void, E>
  readonly keepAlive?: KeepAlive | undefined
  /** Sent at once: servers keep the headers until there are bytes. */
  readonly opening?: Bytes | undefined
}

/** A body, and how it began. */
export interface StreamBody<E> {
  readonly body: ReadableStream<Bytes>
  /** Resolves with the first piece (`true`), or with an end before there was one: `false`, or the failure. */
  readonly begun: Promise<Exit.Exit<boolean, E>>
}

/**
 * Starts a stream as a body. The first pieces are asked for at once, no others before the reader asks for bytes, so a
 * slow reader holds the stream. Cancelling the reader ends it, and resolves when it has ended.
 */
export const streamBody = <A, E>(
  { encode, encodeFailure, fork, keepAlive, opening, pieces }: StreamBodyOptions<A, E>,
): StreamBody<E> => {
  // Open while the stream may bring its next pieces; open at first, for the first ones.
  const demand = Latch.makeUnsafe(true)
  let begun = false
  let resolveBegun: (exit: Exit.Exit<boolean, E>) => void = () => {}
  let first: Bytes | undefined
  let cancelled = false
  let given = 0
  let answered: (() => void) | undefined
  let controller: ReadableStreamDefaultController<Bytes> | undefined

  const answer = (): void => {
    const resolve = answered
    answered = undefined
    resolve?.()
  }

  const body = new ReadableStream<Bytes>({
    start: (own) => {
      controller = own
      if (opening !== undefined) own.enqueue(opening)
    },
    pull: (own) => {
      if (first !== undefined) {
        own.enqueue(first)
        first = undefined
        return undefined
      }
      return new Promise((resolve) => {
        answered = resolve
        demand.openUnsafe()
      })
    },
    cancel: () => {
      cancelled = true
      return Effect.runPromise(Effect.asVoid(Fiber.interrupt(fiber)))
    },
  }, { highWaterMark: 0 })

  const give = (batch: ReadonlyArray<A>): void => {
    demand.closeUnsafe()
    given++
    if (!begun) {
      begun = true
      first = encode(batch)
      // Somebody may wait already who did not ask how it began.
      if (answered !== undefined) {
        if (!cancelled) controller?.enqueue(first)
        first = undefined
        answer()
      }
      resolveBegun(Exit.succeed(true))
    } else if (!cancelled) {
      controller?.enqueue(encode(batch))
      answer()
    }
  }

  const idle = ({ bytes, check, every }: KeepAlive): Effect.Effect<never> =>
    Effect.forever(Effect.suspend(() => {
      const before = given
      return Effect.andThen(
        Effect.sleep(durationOf("keepAlive", every)),
        Effect.suspend(() => {
          if (given === before && answered !== undefined && !cancelled) {
            controller?.enqueue(bytes)
            answer()
          }
          return check
        }),
      )
    }))

  const gated = Stream.transformPull(pieces, (pull) => Effect.succeed(demand.whenOpen(pull)))
  const all = Stream.runForEachArray(gated, (batch) => Effect.sync(() => give(batch)))
  const began = new Promise<Exit.Exit<boolean, E>>((resolve) => {
    resolveBegun = resolve
  })
  const fiber = fork(keepAlive === undefined ? all : Effect.raceFirst(all, idle(keepAlive)))

  const end = (exit: Exit.Exit<void, E>): void => {
    // Interrupted before anybody read: what is there still goes out.
    if (first !== undefined) controller?.enqueue(first)
    const last = Exit.isFailure(exit) ? encodeFailure(exit.cause) : undefined
    if (last !== undefined) controller?.enqueue(last)
    if (Exit.isFailure(exit) && last === undefined) controller?.error(new Error("the stream broke"))
    else controller?.close()
  }

  fiber.addObserver((exit) => {
    resolveBegun(Exit.isFailure(exit) ? Exit.failCause(exit.cause) : Exit.succeed(begun))
    if (cancelled) return
    try {
      end(exit)
    } catch {
      // A connection that is lost while the command ends: Deno was seen to close a body without telling its source.
    }
    answer()
  })
  return { body, begun: began }
}
