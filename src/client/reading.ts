/**
 * The bodies of answers, from servers that nobody vouches for: each read is bounded in size and in silence.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ByteBuffer } from "../base/ByteBuffer.ts"

type Bytes = Uint8Array<ArrayBufferLike>

/** Why the bytes of an answer ended early. */
export type BrokenOff = { readonly _tag: "Silent" } | { readonly _tag: "Broke"; readonly error: unknown }

/**
 * The bytes of a body. It breaks off when somebody has waited for more of it for `silenceMillis`, or up to a half longer,
 * and nothing came.
 */
export const bytesOf = (
  body: ReadableStream<Bytes>,
  silenceMillis: number,
): Stream.Stream<Bytes, BrokenOff> =>
  Stream.transformPull(Stream.empty, (_, scope) =>
    Effect.gen(function* () {
      const clock = yield* Clock.clockWith(Effect.succeed)
      const reader = body.getReader()
      yield* Scope.addFinalizer(scope, Effect.promise(() => reader.cancel().catch(() => {})))
      let waiting: { readonly since: number; readonly giveUp: () => void } | undefined
      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<Bytes>, BrokenOff> = Effect.callback((resume) => {
        waiting = {
          since: clock.currentTimeMillisUnsafe(),
          giveUp: () => resume(Effect.fail({ _tag: "Silent" })),
        }
        reader.read().then(
          ({ done, value }) => {
            waiting = undefined
            resume(done ? Cause.done() : Effect.succeed(Arr.of(value)))
          },
          (error: unknown) => resume(Effect.fail({ _tag: "Broke", error })),
        )
      })
      const watch = Effect.delay(
        Effect.sync(() => {
          if (waiting !== undefined && clock.currentTimeMillisUnsafe() - waiting.since >= silenceMillis) {
            waiting.giveUp()
          }
        }),
        silenceMillis / 2,
      )
      if (Number.isFinite(silenceMillis)) yield* Effect.forkIn(Effect.forever(watch), scope)
      return next
    }))

/** The text of a whole body, or `"long"` as soon as it is more than `maxBytes`. */
export const textOf = (
  { body }: Response,
  maxBytes: number,
  silenceMillis: number,
): Effect.Effect<{ readonly text: string } | "long", BrokenOff> =>
  Effect.suspend(() => {
    const buffer = new ByteBuffer(maxBytes)
    const bytes = body === null ? Stream.empty : bytesOf(body, silenceMillis)
    return bytes.pipe(
      Stream.takeWhile((piece) => buffer.push(piece)),
      Stream.runDrain,
      Effect.map(() => buffer.hasOverflowed ? "long" : { text: new TextDecoder().decode(buffer.bytes) }),
    )
  })
