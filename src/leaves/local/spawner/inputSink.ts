/**
 * A process's input descriptor as a Sink.
 *
 * @module
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import type { Encoding } from "effect/process/ChildProcess"
import * as Pull from "effect/Pull"
import * as Sink from "effect/Sink"
import type { ByteWriter } from "../../../shell/SpawnedProcess.ts"
import { encodeText } from "./encodeText.ts"

/** Where a sink writes, and what becomes of it. */
export interface InputSinkOptions {
  readonly writer: ByteWriter
  /** Whether the descriptor is closed when the input ends, fails or is interrupted. */
  readonly endOnDone: boolean
  /** How text among the input is encoded. */
  readonly encoding: Encoding
  /** Ends when the process has: then nobody waits for the input any longer. */
  readonly exited: Effect.Effect<unknown>
  /** Nobody reads what was written. */
  readonly onBroken: () => PlatformError.PlatformError
  /** The process ended before the input did. */
  readonly onCut: () => PlatformError.PlatformError
}

const bytesOf = (piece: unknown, encoding: Encoding): Uint8Array =>
  piece instanceof Uint8Array ? piece : encodeText(String(piece), encoding)

/** Writes one piece after the other, each when the process has taken the one before; the next is pulled meanwhile. */
export const inputSink = (
  { encoding, endOnDone, exited, onBroken, onCut, writer }: InputSinkOptions,
): Sink.Sink<void, unknown, never, PlatformError.PlatformError> =>
  Sink.fromTransform((upstream) =>
    Effect.suspend(() => {
      let isDone = false
      let underWay: Promise<boolean> | undefined
      const broken = Deferred.makeUnsafe<never, PlatformError.PlatformError>()
      const taken = Effect.suspend(() =>
        underWay === undefined ? Effect.void : Effect.flatMap(
          Effect.promise(() => underWay ?? Promise.resolve(true)),
          (isTaken) => isTaken ? Effect.void : Deferred.await(broken),
        )
      )
      const begin = (bytes: Uint8Array): void => {
        underWay = writer.write(bytes).then((isTaken) => {
          // Told at once, also while the next piece is waited for.
          if (!isTaken) Deferred.doneUnsafe(broken, Effect.fail(onBroken()))
          return isTaken
        })
      }
      const write = (piece: unknown): Effect.Effect<void, PlatformError.PlatformError> =>
        Effect.suspend(() => {
          const bytes = bytesOf(piece, encoding)
          return bytes.length === 0 ? Effect.void : Effect.andThen(taken, Effect.sync(() => begin(bytes)))
        })
      const close = endOnDone ? Effect.promise(() => writer.end()) : Effect.void
      const writeAll = upstream.pipe(
        Effect.flatMap((pieces) => Effect.forEach(pieces, write, { discard: true })),
        Effect.forever({ disableYield: true }),
        Pull.catchDone(() => {
          isDone = true
          return Effect.as(Effect.andThen(taken, close), [undefined] as const)
        }),
      )
      const cut = Effect.andThen(exited, Effect.suspend(() => isDone ? Effect.never : Effect.fail(onCut())))
      const run = Effect.raceAllFirst([writeAll, cut, Deferred.await(broken)])
      // Not waited for: it may be behind a piece that nobody takes.
      return endOnDone ? Effect.onError(run, () => Effect.sync(() => void writer.end())) : run
    })
  )
