/** Reads the body of an HTTP response as bytes or text, within limits of size and silence. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { monotonicMillisOf } from "../base/monotonicTime.ts"
import { callbackLater } from "../base/waits.ts"
import { ByteBuffer } from "../base/ByteBuffer.ts"

type Bytes = Uint8Array<ArrayBufferLike>

export type BodyFailure = { readonly _tag: "Silent" } | { readonly _tag: "Broken"; readonly error: unknown }

/** Maximum bytes of one read into a reused buffer; a connection brings about 54 KiB at a time. */
const viewBytes = 65_536

/** Reads a body; with `reuses`, on Deno, into one buffer, whose value is valid until the next read. */
const readerOf = (
  body: ReadableStream<Bytes>,
  reuses: boolean,
): { readonly read: () => Promise<ReadableStreamReadResult<Bytes>>; readonly cancel: () => Promise<void> } => {
  if (!reuses || !("Deno" in globalThis)) return body.getReader()
  let reader: ReadableStreamBYOBReader
  try {
    reader = body.getReader({ mode: "byob" })
  } catch {
    return body.getReader()
  }
  let buffer = new ArrayBuffer(viewBytes)
  return {
    read: async () => {
      const { done, value } = await reader.read(new Uint8Array(buffer))
      if (done) return { done, value: undefined }
      buffer = value.buffer
      return { done, value }
    },
    cancel: () => reader.cancel(),
  }
}

/**
 * Streams the bytes of a body. With `reuses` each element is valid until the next is pulled. Fails as `Silent` when a pull
 * has waited for `maxSilenceMillis`, or up to half as much longer, without a byte.
 */
export const bodyBytes = (
  body: ReadableStream<Bytes>,
  maxSilenceMillis: number,
  reuses = false,
): Stream.Stream<Bytes, BodyFailure> =>
  // `fromPull` has no scope that ends with the stream.
  Stream.transformPull(Stream.empty, (_, scope) =>
    Effect.gen(function* () {
      const clock = yield* Clock.clockWith(Effect.succeed)
      const reader = readerOf(body, reuses)
      yield* Scope.addFinalizer(scope, Effect.promise(() => reader.cancel().catch(() => {})))
      let waiting: { readonly since: number; readonly giveUp: () => void } | undefined
      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<Bytes>, BodyFailure> = callbackLater((resume) => {
        waiting = {
          since: monotonicMillisOf(clock),
          giveUp: () => resume(Effect.fail({ _tag: "Silent" })),
        }
        reader.read().then(
          ({ done, value }) => {
            waiting = undefined
            resume(done ? Cause.done() : Effect.succeed(Arr.of(value)))
          },
          (error: unknown) => resume(Effect.fail({ _tag: "Broken", error })),
        )
      })
      // One timer for the whole body: a timeout for each pull would cost more than the read.
      const watch = Effect.delay(
        Effect.sync(() => {
          if (waiting !== undefined && monotonicMillisOf(clock) - waiting.since >= maxSilenceMillis) {
            waiting.giveUp()
          }
        }),
        maxSilenceMillis / 2,
      )
      if (Number.isFinite(maxSilenceMillis)) yield* Effect.forkIn(Effect.forever(watch), scope)
      return next
    }))

/** Reads the text of a whole body. Succeeds with `undefined` as soon as it has more than `maxBytes`. */
export const bodyText = (
  { body }: Response,
  maxBytes: number,
  maxSilenceMillis: number,
): Effect.Effect<string | undefined, BodyFailure> =>
  Effect.suspend(() => {
    const buffer = new ByteBuffer(maxBytes)
    const bytes = body === null ? Stream.empty : bodyBytes(body, maxSilenceMillis)
    return bytes.pipe(
      Stream.takeWhile((piece) => buffer.push(piece)),
      Stream.runDrain,
      Effect.map(() => buffer.hasOverflowed ? undefined : new TextDecoder().decode(buffer.bytes)),
    )
  })
