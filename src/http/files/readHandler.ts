/**
 * Answers `GET` and `HEAD` of a file: streams its bytes or a range of them, or says that the client has them.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { concatBytes, emptyBytes } from "../../base/bytes.ts"
import type { FileEvent } from "../../files/FileEvent.ts"
import { FileFault } from "../../files/FileFault.ts"
import { FileRead } from "../../files/FileRequest.ts"
import { bytesType, fileSizeHeader } from "../../wire/fileTransfer.ts"
import { responseHeaders } from "../headers.ts"
import { refuse } from "../problem.ts"
import { streamBody } from "../streamBody.ts"
import { type ByteRange, parseRange } from "./byteRange.ts"
import type { FileRefusal } from "./fileProblem.ts"
import type { FileRequestContext } from "./FileRequestContext.ts"
import { checkRead, isRangeCurrent, opaqueTag, settledStat, statFile, type Validators } from "./validators.ts"

/** How often a file is opened anew that was replaced between the look at it and its opening. */
const maxOpens = 5

/** A file, or a stream of it, that is not what its headers promise: it breaks the body. */
const changed = "the file changed while it was read"

const bytesOf = (event: FileEvent): Uint8Array =>
  event._tag === "FileContent" ? event.content : event._tag === "FileContentChunk" ? event.data : emptyBytes

/** Exactly the bytes of a range: a file that shrinks breaks the stream. */
const rangeBytes = (
  { correlationId, files, path }: FileRequestContext,
  { from, to }: ByteRange,
): Stream.Stream<Uint8Array, FileFault | Error> => {
  let missing = to - from
  return files.request(FileRead.make({ correlationId, path, offset: from, length: to - from })).pipe(
    Stream.map(bytesOf),
    Stream.tap((bytes) => {
      missing -= bytes.length
      return missing < 0 ? Effect.fail(new Error(changed)) : Effect.void
    }),
    Stream.concat(
      Stream.fromEffectDrain(Effect.suspend(() => missing > 0 ? Effect.fail(new Error(changed)) : Effect.void)),
    ),
  )
}

/** Fails when a client has taken nothing for the idle time. */
const untilStalled = (idleMillis: number, lastPull: () => number): Effect.Effect<never, Error> =>
  Effect.gen(function* () {
    for (;;) {
      yield* Effect.sleep(idleMillis / 2)
      if ((yield* Clock.currentTimeMillis) - lastPull() >= idleMillis) {
        return yield* Effect.fail(new Error("the client takes nothing"))
      }
    }
  })

interface OpenedBody {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly cancel: Effect.Effect<void>
}

/** Opens a range of a file, and returns when its first bytes are there. */
const openBody = (
  context: FileRequestContext,
  range: ByteRange,
): Effect.Effect<OpenedBody, FileFault | FileRefusal> =>
  Effect.gen(function* () {
    const { host, keepPlace, settings } = context
    const clock = yield* Clock.clockWith(Effect.succeed)
    let lastPull = clock.currentTimeMillisUnsafe()
    const leave = keepPlace()
    const pieces = Stream.tap(rangeBytes(context, range), () =>
      Effect.sync(() => {
        lastPull = clock.currentTimeMillisUnsafe()
      }))
    const { begun, body } = streamBody({
      pieces,
      encode: (parts) => concatBytes(parts),
      encodeFailure: () => undefined,
      fork: (run) =>
        host.fork(
          Effect.raceFirst(run, untilStalled(settings.idleMillis, () => lastPull)).pipe(
            Effect.ensuring(Effect.sync(leave)),
          ),
        ),
    })
    const cancel = Effect.promise(() => body.cancel().catch(() => {}))
    const exit = yield* Effect.onInterrupt(Effect.promise(() => begun), () => cancel)
    if (Exit.isSuccess(exit)) return { body, cancel }
    const error = Result.getOrElse(Cause.findError(exit.cause), () => Cause.squash(exit.cause))
    if (error instanceof FileFault) return yield* Effect.fail(error)
    if (Cause.hasDies(exit.cause)) return yield* Effect.die(error)
    return yield* Effect.fail(refuse(503, "unavailable", changed, { headers: { "retry-after": "1" } }))
  })

const headersOf = (size: number, { etag, lastModified }: Validators): Record<string, string> => ({
  ...responseHeaders,
  "cache-control": "private, no-cache",
  "accept-ranges": "bytes",
  "content-type": bytesType,
  etag,
  "last-modified": lastModified,
  [fileSizeHeader]: String(size),
})

/** Reads a file for its client. */
export const readFile = (context: FileRequestContext): Effect.Effect<Response, FileFault | FileRefusal> =>
  Effect.gen(function* () {
    const { c, correlationId, files, path } = context
    for (let opens = 1;; opens++) {
      const [metadata, validators] = yield* settledStat(files, path, correlationId)
      const { size } = metadata
      const headers = headersOf(size, validators)
      // An open of no bytes says what a read of all would: a folder, a pipe or a forbidden file fails.
      const isHead = c.req.method === "HEAD"
      const status = checkRead(c.req, validators)
      const range = isHead || !isRangeCurrent(c.req, validators) ? undefined : parseRange(c.req.header("range"), size)
      const isBodiless = isHead || status !== undefined || range === "unsatisfiable"
      const wanted = isBodiless || range === undefined || metadata.isDirectory ? undefined : range
      const all = { from: 0, to: isBodiless || metadata.isDirectory ? 0 : size }
      const opened = yield* openBody(context, wanted ?? all)
      if (isBodiless) {
        yield* opened.cancel
        if (status === 412) {
          return yield* Effect.fail(
            refuse(412, "precondition-failed", "the file is another one than the request names"),
          )
        }
        if (status === 304) return new Response(null, { status, headers })
        if (range === "unsatisfiable") {
          const more = { "content-range": `bytes */${size}`, [fileSizeHeader]: String(size) }
          const detail = `the file has ${size} bytes, none of them in the range`
          return yield* Effect.fail(refuse(416, "range-not-satisfiable", detail, { headers: more }))
        }
        return new Response(null, { headers: { ...headers, "content-length": String(size) } })
      }
      // The file was opened after the look at it: they belong together if it is still the same.
      const now = yield* Effect.onError(statFile(files, path, correlationId), () => opened.cancel)
      if (opaqueTag(now) !== opaqueTag(metadata)) {
        yield* opened.cancel
        if (opens < maxOpens) continue
        return yield* Effect.fail(refuse(503, "unavailable", changed, { headers: { "retry-after": "1" } }))
      }
      if (wanted === undefined) {
        return new Response(opened.body, { headers: { ...headers, "content-length": String(size) } })
      }
      const { from, to } = wanted
      return new Response(opened.body, {
        status: 206,
        headers: {
          ...headers,
          "content-length": String(to - from),
          "content-range": `bytes ${from}-${to - 1}/${size}`,
        },
      })
    }
  })
