/**
 * Appends to an object, which S3 cannot change: rewrites a small one, and copies a large one within the service.
 *
 * Either way the object is replaced only if it is still the same one.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { ByteBuffer } from "../../base/ByteBuffer.ts"
import { concatBytes, emptyBytes } from "../../base/bytes.ts"
import { cappedBackoff } from "../../base/cappedBackoff.ts"
import type { ConditionalWrites } from "./ConditionalWrites.ts"
import { openObject } from "./ObjectReader.ts"
import { type ObjectWriter, openWriter, unlessOurs, type UploadSettings } from "./ObjectWriter.ts"
import type { S3Client } from "./S3Client.ts"
import { S3Failure } from "./S3Failure.ts"
import { isConditionFailure, type ObjectHead, type S3Objects, type WriteCondition } from "./S3Objects.ts"

export interface AppendContext {
  readonly client: S3Client
  readonly objects: S3Objects
  readonly writes: ConditionalWrites
  readonly settings: UploadSettings
}

export interface ObjectAppender {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, S3Failure>
  readonly commit: Effect.Effect<void, S3Failure>
}

const conditionOf = (head: ObjectHead | undefined): WriteCondition =>
  head === undefined ? { _tag: "Absent" } : { _tag: "Unchanged", etag: head.etag }

const conflict = new S3Failure({
  problem: "another writer has changed it; append again",
  code: "ESTALE",
})

const asConflict = (failure: S3Failure): S3Failure => isConditionFailure(failure) ? conflict : failure

/** Other writers may append at the same time: each attempt competes with all of them. */
const tries = Schedule.upTo(Schedule.jittered(cappedBackoff("10 millis", "1 second")), { times: 30 })

/** Opens an object for appending; `head` is its current metadata. */
export const appendToObject = (
  { client, objects, settings, writes }: AppendContext,
  key: string,
  head: ObjectHead | undefined,
): Effect.Effect<ObjectAppender, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const { partSize } = settings
    const writeId = crypto.randomUUID()
    const pending = new ByteBuffer(partSize)
    /** The writer of an object that is too large to be rewritten. */
    let large: ObjectWriter | undefined

    /** The bytes of a small object; fails if the object is no longer the one of `head`. */
    const readAll = ({ etag, size }: ObjectHead): Effect.Effect<Uint8Array, S3Failure> =>
      size === 0 ? Effect.succeed(emptyBytes) : Effect.scoped(
        Effect.gen(function* () {
          const object = yield* openObject(client, key, { offset: 0, length: size })
          const bytes = yield* object.read(0, size)
          return object.etag === etag && bytes.length === size ? bytes : yield* Effect.fail(conflict)
        }),
      )

    const openLarge = Effect.gen(function* () {
      const writer = yield* openWriter(objects, key, settings)
      if (head !== undefined && head.size >= partSize) yield* writer.copy(head)
      else if (head !== undefined) yield* writer.write(yield* readAll(head))
      yield* writer.write(pending.bytes)
      return (large = writer)
    }).pipe(Scope.provide(scope))

    const commitSmall = (now: ObjectHead | undefined): Effect.Effect<void, S3Failure> =>
      writes.run(key, conditionOf(now), (condition) =>
        Effect.flatMap(
          now === undefined ? Effect.succeed(emptyBytes) : readAll(now),
          (before) =>
            unlessOurs(
              objects,
              key,
              writeId,
              objects.put(key, concatBytes([before, pending.bytes]), { condition, writeId }),
            ),
        ))

    let isFirst = true
    const current = Effect.suspend(() => {
      const known = isFirst ? Effect.succeed(head) : objects.head(key)
      isFirst = false
      return known
    })

    return {
      write: (bytes) =>
        Effect.gen(function* () {
          if (large === undefined && (head?.size ?? 0) + pending.size + bytes.length <= partSize) {
            pending.push(bytes)
            return
          }
          yield* (large ?? (yield* openLarge)).write(bytes)
        }).pipe(Effect.mapError(asConflict)),
      commit: Effect.suspend(() => {
        if (large !== undefined) {
          return Effect.mapError(writes.run(key, conditionOf(head), large.commit), asConflict)
        }
        if (pending.size === 0 && head !== undefined) return Effect.void
        return Effect.flatMap(current, commitSmall).pipe(
          Effect.retry({ schedule: tries, while: (failure) => failure === conflict || isConditionFailure(failure) }),
          Effect.mapError(asConflict),
        )
      }),
    }
  })
