/** Turns a Stream into the body of a response, with keep-alive bytes while it is silent. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type * as Duration from "effect/Duration"
import { Latch } from "../base/waits.ts"
import { runPromise } from "../base/stderrLogs.ts"

export type Bytes = Uint8Array<ArrayBuffer>

export interface KeepAlive {
  readonly bytes: Bytes
  readonly every: Duration.Duration
  /** Runs after each interval. */
  readonly check: Effect.Effect<void>
}

export interface StreamBodyOptions<A, E> {
  readonly pieces: Stream.Stream<A, E>
  readonly encode: (pieces: ReadonlyArray<A>) => Bytes
  /** Bytes sent when the stream fails. `undefined` breaks the body, so that no client takes it for complete. */
  readonly encodeFailure: (cause: Cause.Cause<E>) => Bytes | undefined
  readonly fork: (run: Effect.Effect<void, E>) => Fiber.Fiber<void, E>
  readonly keepAlive?: KeepAlive | undefined
  /** Sent at once: servers hold the headers back until there are bytes. */
  readonly opening?: Bytes | undefined
}

export interface StreamBody<E> {
  readonly body: ReadableStream<Bytes>
  /** Resolves with `true` at the first piece, with `false` at an end without a piece, or with the failure. */
  readonly begun: Promise<Exit.Exit<boolean, E>>
}

/**
 * Starts a stream and returns it as a body. The first piece is pulled at once, further ones when the reader asks for
 * bytes, so that a slow reader holds the stream back. Cancelling the body interrupts the stream and waits for its end.
 */
export const streamBody = <A, E>(
  { encode, encodeFailure, fork, keepAlive, opening, pieces }: StreamBodyOptions<A, E>,
): StreamBody<E> => {
  // Open while the stream may be pulled; open at first, for the first piece.
  const demand = new Latch(true)
  let hasBegun = false
  let resolveBegun: (exit: Exit.Exit<boolean, E>) => void = () => {}
  let first: Bytes | undefined
  let cancelled = false
  let given = 0
  let pendingPull: (() => void) | undefined
  let controller: ReadableStreamDefaultController<Bytes> | undefined

  const answer = (): void => {
    const resolve = pendingPull
    pendingPull = undefined
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
        pendingPull = resolve
        demand.open()
      })
    },
    cancel: () => {
      cancelled = true
      return runPromise(Effect.asVoid(Fiber.interrupt(fiber)))
    },
  }, { highWaterMark: 0 })

  const give = (batch: ReadonlyArray<A>): void => {
    demand.close()
    given++
    if (!hasBegun) {
      hasBegun = true
      first = encode(batch)
      // A reader may already be waiting.
      if (pendingPull !== undefined) {
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
        Effect.sleep(every),
        Effect.suspend(() => {
          if (given === before && pendingPull !== undefined && !cancelled) {
            controller?.enqueue(bytes)
            answer()
          }
          return check
        }),
      )
    }))

  // Nothing is pulled early, because operators act on what they have pulled.
  const gated = Stream.transformPull(pieces, (pull) => Effect.succeed(Effect.andThen(demand.await, pull)))
  const all = Stream.runForEachArray(gated, (batch) => Effect.sync(() => give(batch)))
  const begun = new Promise<Exit.Exit<boolean, E>>((resolve) => {
    resolveBegun = resolve
  })
  const fiber = fork(keepAlive === undefined ? all : Effect.raceFirst(all, idle(keepAlive)))

  const end = (exit: Exit.Exit<void, E>): void => {
    // The stream was interrupted before the first read: the first piece is still sent.
    if (first !== undefined) controller?.enqueue(first)
    const last = Exit.isFailure(exit) ? encodeFailure(exit.cause) : undefined
    if (last !== undefined) controller?.enqueue(last)
    if (Exit.isFailure(exit) && last === undefined) controller?.error(new Error("the stream broke"))
    else controller?.close()
  }

  fiber.addObserver((exit) => {
    resolveBegun(Exit.isFailure(exit) ? Exit.failCause(exit.cause) : Exit.succeed(hasBegun))
    if (cancelled) return
    try {
      end(exit)
    } catch {
      // The connection was lost while the command ended: Deno can close a body without cancelling its source.
    }
    answer()
  })
  return { body, begun }
}
