/** Reads an object in ranges of doubling size, and resumes a broken response. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { emptyBytes } from "../../base/bytes.ts"
import type { ReadRange } from "../files/FileBackend.ts"
import type { S3Client } from "./S3Client.ts"
import { malformed, S3Failure } from "./S3Failure.ts"

/** Bytes of the first range of a read of unknown length. */
const firstRange = 1024 * 1024
/** Maximum bytes of a range: what is not read of a range is wasted. */
const maxRange = 16 * 1024 * 1024

export interface ObjectReader {
  readonly size: number
  readonly etag: string | undefined
  /** Reads `length` bytes, fewer only at the end of the object. */
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, S3Failure>
}

interface Cursor {
  readonly reader: ReadableStreamDefaultReader<Uint8Array<ArrayBufferLike>> | undefined
  readonly scope: Scope.Closeable
  rest: Uint8Array
  at: number
  readonly end: number
}

const changed = new S3Failure({
  problem: "it was replaced while it was read; read it again",
  code: "ESTALE",
})

const hasEncoding = ({ headers }: Response): boolean => {
  const encoding = headers.get("content-encoding")
  return encoding !== null && !/^(?:identity|aws-chunked|)$/i.test(encoding.trim())
}

/** Opens an object. Fails with the status 404 if there is none. The range is the first one that will be read. */
export const openObject = (
  client: S3Client,
  key: string,
  { length, offset }: ReadRange,
): Effect.Effect<ObjectReader, S3Failure, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    let cursor: Cursor | undefined
    let etag: string | undefined
    let size = 0
    /** Whether the object is stored compressed: `fetch` would decompress it, and offsets would differ. */
    let isEncoded = false
    let range = Math.max(1, Math.min(length, firstRange))

    const close = Effect.suspend(() => {
      const closing = cursor
      cursor = undefined
      return closing === undefined ? Effect.void : Scope.close(closing.scope, Exit.void)
    })

    const request = (from: number, to: number): Effect.Effect<Response, S3Failure, Scope.Scope> =>
      client.sendOnce({
        method: "GET",
        key,
        query: { "response-content-encoding": isEncoded ? "identity" : undefined },
        headers: { range: `bytes=${from}-${to - 1}`, "if-match": etag },
        statuses: [412, 416],
      })

    const openAt = (from: number, to: number): Effect.Effect<void, S3Failure> =>
      Effect.gen(function* () {
        const answerScope = yield* Scope.fork(scope)
        const fail = (failure: S3Failure) => Effect.andThen(Scope.close(answerScope, Exit.void), Effect.fail(failure))
        let response = yield* Effect.onError(
          Scope.provide(request(from, to), answerScope),
          (cause) => Scope.close(answerScope, Exit.failCause(cause)),
        )
        if (!isEncoded && hasEncoding(response)) {
          isEncoded = true
          response = yield* Scope.provide(request(from, to), answerScope)
        }
        if (response.status === 412) return yield* fail(changed)
        if (hasEncoding(response)) {
          return yield* fail(
            new S3Failure({
              problem: "it is stored with a Content-Encoding, which this service does not return unchanged",
            }),
          )
        }
        const { headers, status } = response
        if (status === 416) {
          yield* Scope.close(answerScope, Exit.void)
          const head = yield* Effect.scoped(client.sendOnce({ method: "HEAD", key }))
          const now = head.headers.get("etag") ?? undefined
          // A service that ignores If-Match in a read gives this answer when a shorter object has replaced it.
          if (etag !== undefined && now !== etag) return yield* Effect.fail(changed)
          etag = now
          size = Number(head.headers.get("content-length") ?? 0)
          return
        }
        const answered = headers.get("etag") ?? undefined
        if (etag !== undefined && answered !== etag) return yield* fail(changed)
        etag = answered
        const [, start, last, total] =
          /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers.get("content-range") ?? "") ??
            []
        const whole = status === 200 && from === 0 ? headers.get("content-length") : undefined
        if (Number(start) !== from && (whole === null || whole === undefined)) {
          return yield* fail(malformed("the response is not the requested range"))
        }
        size = Number(total ?? whole)
        const end = whole === null || whole === undefined ? Number(last) + 1 : size
        const reader = response.body?.getReader()
        if (reader !== undefined) {
          yield* Scope.addFinalizer(answerScope, Effect.promise(() => reader.cancel().catch(() => {})))
        }
        cursor = { reader, scope: answerScope, rest: emptyBytes, at: from, end }
      })

    const pull = (at: number, wanted: number): Effect.Effect<Uint8Array, S3Failure> =>
      Effect.gen(function* () {
        if (cursor !== undefined && (cursor.at !== at || cursor.at >= cursor.end)) {
          range = cursor.at === at ? Math.min(range * 2, maxRange) : 1
          yield* close
        }
        if (cursor === undefined) {
          range = Math.max(range, Math.min(wanted, maxRange))
          yield* openAt(at, at + range)
        }
        if (cursor === undefined) return emptyBytes
        const current: Cursor = cursor
        if (current.rest.length === 0) {
          const { reader } = current
          const { done, value } = yield* Effect.tryPromise({
            try: async () => reader === undefined ? { done: true, value: undefined } : await reader.read(),
            catch: (error) => client.brokenOff({ _tag: "Broken", error }),
          }).pipe(Effect.timeoutOrElse({
            duration: client.requestTimeoutMillis,
            orElse: () => Effect.fail(client.brokenOff({ _tag: "Silent" })),
          }))
          if (done || value === undefined) {
            return yield* Effect.fail(client.brokenOff({ _tag: "Broken", error: "it is too short" }))
          }
          if (current.at + value.length > current.end) {
            return yield* Effect.fail(malformed("the response is longer than the requested range"))
          }
          current.rest = value
        }
        const taken = current.rest.subarray(0, wanted)
        current.rest = current.rest.subarray(taken.length)
        current.at += taken.length
        return taken
      }).pipe(Effect.onError(() => close))

    yield* client.repeat(openAt(offset, offset + range))

    return {
      size,
      etag,
      read: (offset, length) =>
        Effect.gen(function* () {
          const wanted = Math.max(0, Math.min(length, size - offset))
          const bytes = new Uint8Array(wanted)
          let filled = 0
          while (filled < wanted) {
            const piece = yield* client.repeat(pull(offset + filled, wanted - filled))
            if (piece.length === 0) return bytes.subarray(0, filled)
            bytes.set(piece, filled)
            filled += piece.length
          }
          return bytes
        }),
    }
  })
