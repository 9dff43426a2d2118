/** Writes an object in one request or, if it is larger than a part, as a multipart upload with a few concurrent parts. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { ByteBuffer } from "../../base/ByteBuffer.ts"
import { S3Failure } from "./S3Failure.ts"
import {
  isConditionFailure,
  type MultipartUpload,
  type S3Objects,
  type UploadedPart,
  type WriteCondition,
} from "./S3Objects.ts"

const maxParts = 10_000
const maxCopiedPart = 5 * 1024 * 1024 * 1024

export interface UploadSettings {
  readonly partSize: number
  readonly parallelParts: number
}

export interface ObjectWriter {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, S3Failure>
  /**
   * Begins with the bytes of the object that will be replaced, copied within the service. Called before the first
   * `write`.
   */
  readonly copy: (source: { readonly etag: string; readonly size: number }) => Effect.Effect<void, S3Failure>
  /** Makes the object, if the condition holds. Fails with `isConditionFailure` if it does not. */
  readonly commit: (condition?: WriteCondition) => Effect.Effect<void, S3Failure>
}

/** Accepts a failure of a repeated request when an earlier attempt has made the object. */
export const unlessOurs = (
  objects: S3Objects,
  key: string,
  writeId: string,
  write: Effect.Effect<void, S3Failure>,
): Effect.Effect<void, S3Failure> =>
  Effect.catch(
    write,
    (failure) =>
      failure.wasRepeated && isConditionFailure(failure)
        ? Effect.flatMap(objects.head(key), (head) => head?.writeId === writeId ? Effect.void : Effect.fail(failure))
        : Effect.fail(failure),
  )

/** Opens a writer. Closing its scope before the end of `commit` leaves nothing. */
export const openWriter = (
  objects: S3Objects,
  key: string,
  { parallelParts, partSize }: UploadSettings,
): Effect.Effect<ObjectWriter, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const writeId = crypto.randomUUID()
    const permits = Semaphore.makeUnsafe(parallelParts)
    const parts: Array<Fiber.Fiber<UploadedPart, S3Failure>> = []
    let failure: S3Failure | undefined
    let upload: MultipartUpload | undefined
    let pending = new ByteBuffer(partSize)

    const started = Effect.suspend(() =>
      upload === undefined
        ? Effect.tap(Scope.provide(objects.startUpload(key, writeId), scope), (begun) =>
          Effect.sync(() => (upload = begun)))
        : Effect.succeed(upload)
    )

    const startPart = (
      send: (upload: MultipartUpload, number: number) => Effect.Effect<UploadedPart, S3Failure>,
    ): Effect.Effect<void, S3Failure> =>
      Effect.gen(function* () {
        const current = yield* started
        yield* Semaphore.take(permits, 1)
        if (failure !== undefined) {
          return yield* Effect.fail(failure)
        }
        if (parts.length === maxParts) {
          return yield* Effect.fail(
            new S3Failure({
              problem: `the file has more than ${maxParts} parts of ${partSize} bytes; raise partSize`,
              code: "EntityTooLarge",
            }),
          )
        }
        const part = send(current, parts.length + 1).pipe(
          Effect.tapError((error) =>
            Effect.sync(() => (failure ??= error))
          ),
          Effect.ensuring(Semaphore.release(permits, 1)),
        )
        parts.push(yield* Effect.forkIn(part, scope))
      })

    const flush = Effect.suspend(() => {
      const body = pending.bytes
      pending = new ByteBuffer(partSize)
      return startPart((upload, number) => objects.uploadPart(upload, number, body))
    })

    return {
      write: (bytes) =>
        Effect.gen(function* () {
          let at = 0
          while (at < bytes.length) {
            if (pending.size === partSize) yield* flush
            const piece = bytes.subarray(at, at + partSize - pending.size)
            pending.push(piece)
            at += piece.length
          }
        }),

      copy: ({ etag, size }) =>
        Effect.gen(function* () {
          // Parts of one size: the last one must not be smaller than the service accepts.
          const copied = Math.ceil(size / Math.ceil(size / maxCopiedPart))
          for (let from = 0; from < size; from += copied) {
            const to = Math.min(size, from + copied)
            yield* startPart((upload, number) => objects.copyPart(upload, number, { etag, from, to }))
          }
        }),

      commit: (condition) =>
        Effect.gen(function* () {
          if (upload === undefined) {
            // The object itself shows whether the condition failed because of an earlier attempt whose answer was lost.
            const options = condition === undefined ? {} : { condition, writeId }
            return yield* unlessOurs(objects, key, writeId, objects.put(key, pending.bytes, options))
          }
          const current = upload
          if (pending.size > 0) yield* flush
          const uploaded = yield* Fiber.joinAll(parts)
          yield* unlessOurs(objects, key, writeId, objects.completeUpload(current, uploaded, condition))
        }),
    }
  })
