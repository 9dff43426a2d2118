/** Makes a Sink that writes to an input descriptor of a process. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import type { Encoding } from "effect/process/ChildProcess"
import * as Pull from "effect/Pull"
import * as Sink from "effect/Sink"
import { completeLater } from "../../../base/waits.ts"
import type { ByteWriter } from "../../../shell/SpawnedProcess.ts"
import { encodeText } from "./encodeText.ts"

export interface InputSinkOptions {
  readonly writer: ByteWriter
  /** Whether the descriptor is closed when the input ends, fails or is interrupted. */
  readonly endOnDone: boolean
  readonly encoding: Encoding
  /** Succeeds when the process has ended: then the sink stops waiting for input. */
  readonly exited: Effect.Effect<unknown>
  /** Makes the error of a write that the process does not read. */
  readonly onBroken: () => PlatformError.PlatformError
  /** Makes the error of an input that continued after the process had ended. */
  readonly onCut: () => PlatformError.PlatformError
}

const bytesOf = (piece: unknown, encoding: Encoding): Uint8Array =>
  piece instanceof Uint8Array ? piece : encodeText(String(piece), encoding)

/** Writes the pieces in order, each after the process has taken the previous one; the next is pulled meanwhile. */
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
          // Reported at once, even while the next piece is awaited.
          if (!isTaken) completeLater(broken, Effect.fail(onBroken()))
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
      // Not awaited: it may wait behind a piece that is never taken.
      return endOnDone ? Effect.onError(run, () => Effect.sync(() => void writer.end())) : run
    })
  )
