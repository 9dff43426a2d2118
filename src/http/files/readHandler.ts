/** Answers `GET` and `HEAD` of a file: streams its bytes or a range of them, or answers that the client's copy is current. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { concatBytes, emptyBytes } from "../../base/bytes.ts"
import type { FileEvent } from "../../files/FileEvent.ts"
import type { FileFault } from "../../files/FileFault.ts"
import { FileRead } from "../../files/FileRequest.ts"
import { bytesType, fileSizeHeader } from "../../wire/fileTransfer.ts"
import { responseHeaders } from "../headers.ts"
import { refuse } from "../problem.ts"
import type { FileRefusal } from "./refuseFileFault.ts"
import type { FileRequestContext } from "./FileRequestContext.ts"
import { openBody } from "./openBody.ts"
import { checkRead, isRangeCurrent, opaqueTag, settledStat, statFile, type Validators } from "./validators.ts"

interface ByteRange {
  readonly from: number
  readonly to: number
}

/** `undefined`: the whole file (no header, several ranges, other units). `"unsatisfiable"`: no byte of the file. */
const parseRange = (header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined => {
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? "") ?? []
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size }
  }
  const from = Number(first)
  if (last !== "" && Number(last) < from) return undefined
  return from >= size ? "unsatisfiable" : { from, to: last === "" ? size : Math.min(Number(last) + 1, size) }
}

/** Maximum number of times that a file is opened again after it was replaced between the check and the opening. */
const maxOpens = 5

/** The refusal of a file that does not match its headers. After the first bytes it breaks the body. */
const changedFile: FileRefusal = refuse(503, "unavailable", "the file changed while it was read", {
  headers: { "retry-after": "1" },
})

const bytesOf = (event: FileEvent): Uint8Array =>
  event._tag === "FileContent" ? event.content : event._tag === "FileContentChunk" ? event.data : emptyBytes

/** Exactly the bytes of a range: a file that shrinks breaks the stream. */
const rangeBytes = (
  { correlationId, files, path }: FileRequestContext,
  { from, to }: ByteRange,
): Stream.Stream<Uint8Array, FileFault | FileRefusal> => {
  let missing = to - from
  return files.request(FileRead.make({ correlationId, path, offset: from, length: to - from })).pipe(
    Stream.map(bytesOf),
    Stream.tap((bytes) => {
      missing -= bytes.length
      return missing < 0 ? Effect.fail(changedFile) : Effect.void
    }),
    Stream.concat(
      Stream.fromEffectDrain(Effect.suspend(() => missing > 0 ? Effect.fail(changedFile) : Effect.void)),
    ),
  )
}

const headersOf = (size: number, { etag, lastModified }: Validators): Record<string, string> => ({
  ...responseHeaders,
  "cache-control": "private, no-cache",
  "accept-ranges": "bytes",
  "content-type": bytesType,
  etag,
  "last-modified": lastModified,
  [fileSizeHeader]: String(size),
})

export const readFile = (context: FileRequestContext): Effect.Effect<Response, FileFault | FileRefusal> =>
  Effect.gen(function* () {
    const { c, correlationId, lookup, path } = context
    for (let opens = 1;; opens++) {
      const [metadata, validators] = yield* Effect.catch(
        settledStat(lookup, path, correlationId),
        // The client reads, so it gets the error of a read.
        (fault) => Effect.andThen(Stream.runDrain(rangeBytes(context, { from: 0, to: 0 })), Effect.fail(fault)),
      )
      const { size } = metadata
      const headers = headersOf(size, validators)
      // Opening a range of no bytes fails as a read would: for a folder, a pipe or a forbidden file.
      const isHead = c.req.method === "HEAD"
      const status = checkRead(c.req, validators)
      const range = isHead || !isRangeCurrent(c.req, validators) ? undefined : parseRange(c.req.header("range"), size)
      const isBodiless = isHead || status !== undefined || range === "unsatisfiable"
      const wanted = isBodiless || range === undefined || metadata.isDirectory ? undefined : range
      const all = { from: 0, to: isBodiless || metadata.isDirectory ? 0 : size }
      const opened = yield* openBody(context, rangeBytes(context, wanted ?? all), (parts) => concatBytes(parts))
      if (isBodiless) {
        yield* opened.cancel
        if (status === 412) {
          return yield* Effect.fail(
            refuse(412, "precondition-failed", "the file has changed: the request names another version"),
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
      // The file was opened after its metadata were read; both belong together only if it is still the same file.
      const now = yield* Effect.onError(statFile(lookup, path, correlationId), () => opened.cancel)
      if (opaqueTag(now) !== opaqueTag(metadata)) {
        yield* opened.cancel
        if (opens < maxOpens) continue
        return yield* Effect.fail(changedFile)
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
