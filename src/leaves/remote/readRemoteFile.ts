/** Reads a file of a server, and resumes where a connection broke. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { bodyBytes } from "../../client/responseBody.ts"
import type { FileEvent } from "../../files/FileEvent.ts"
import { FileFault } from "../../files/FileFault.ts"
import type { FileRead } from "../../files/FileRequest.ts"
import { fileSizeHeader } from "../../wire/fileTransfer.ts"
import { cutBytes } from "./cutBytes.ts"
import type { FileClient, FileFailure } from "./FileClient.ts"

/** A read of more bytes than this comes in chunks, as from other leaves. */
const streamingThreshold = 1_048_576
const chunkSize = 65_536

/** The largest number that a server reads in a range. */
const maxPosition = 999_999_999_999_999

/** Maximum number of connections in a row that may break without a byte. */
const maxFruitless = 5

/** The bytes of an answer, and their range in the file. */
interface Opened {
  readonly body: ReadableStream<Uint8Array> | null
  readonly from: number
  readonly to: number
  readonly totalSize: number
  readonly etag: string | null
}

const countOf = (text: string | null | undefined): number | undefined =>
  text !== null && text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined

/** The range of bytes in an answer; `undefined` if the answer does not name one. */
const rangeOf = ({ headers, status }: Response): Pick<Opened, "from" | "to" | "totalSize"> | undefined => {
  if (status === 200) {
    const totalSize = countOf(headers.get(fileSizeHeader) ?? headers.get("content-length"))
    return totalSize === undefined ? undefined : { from: 0, to: totalSize, totalSize }
  }
  const [, first, last, total] =
    /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15})$/.exec(headers.get("content-range") ?? "") ??
      []
  const totalSize = countOf(total)
  if (totalSize === undefined) return undefined
  if (status === 416) return { from: totalSize, to: totalSize, totalSize }
  const [from, to] = [countOf(first), countOf(last)]
  if (from === undefined || to === undefined || to < from || to >= totalSize) return undefined
  return { from, to: to + 1, totalSize }
}

export const readRemoteFile = (
  client: FileClient,
  request: FileRead,
  path: string,
): Stream.Stream<FileEvent, FileFault> => {
  const { correlationId, length = Infinity, offset = 0 } = request
  const changed = new FileFault({
    correlationId,
    faultKind: "IoError",
    path: request.path,
    message: `read ${request.path}: the file changed while it was read; read it again (ESTALE)`,
    code: "ESTALE",
  })

  const unmarked = new FileFault({
    correlationId,
    faultKind: "IoError",
    path: request.path,
    message:
      `read ${request.path}: the connection broke, and the server gave no strong ETag to prove that the rest is ` +
      "of the same file; read it again (ECONNRESET)",
    code: "ECONNRESET",
  })

  /** Requests bytes of the version of a file that has a given tag; the answer is read within the scope. */
  const open = (from: number, to: number, etag?: string) =>
    Effect.gen(function* () {
      const isAll = from === 0 && to === Infinity
      // A range cannot name zero bytes, and no server reads a position beyond this.
      const isNothing = to <= from || from > maxPosition
      const last = Math.min(to, maxPosition + 1) - 1
      const response = yield* client.send(request, {
        method: isNothing ? "HEAD" : "GET",
        path,
        statuses: [416],
        ...(isAll || isNothing ? undefined : {
          headers: {
            range: `bytes=${from}-${to === Infinity ? "" : last}`,
            ...(etag === undefined ? undefined : { "if-range": etag }),
          },
        }),
      })
      const given = rangeOf(response)
      if (given === undefined) {
        return yield* Effect.fail(client.malformed(request, "the response does not state its byte range"))
      }
      const { totalSize } = given
      // The body of a refusal is a problem.
      const body = response.ok ? response.body : null
      const opened = { body, etag: response.headers.get("etag"), totalSize }
      if (isNothing) {
        const at = Math.min(from, totalSize)
        return { ...opened, from: at, to: at }
      }
      if (etag !== undefined && (response.status !== 206 || etag !== opened.etag)) return yield* Effect.fail(changed)
      const wanted = { from: Math.min(from, totalSize), to: Math.min(to, totalSize) }
      if (given.from !== wanted.from || given.to !== wanted.to) {
        return yield* Effect.fail(client.malformed(request, "the response has a different byte range than requested"))
      }
      return { ...opened, ...wanted }
    })

  /** The bytes of an answer and, after a broken connection, of the next one: exactly the range, or a failure. */
  const bytesOf = ({ body, etag, from, to }: Opened, fruitless: number): Stream.Stream<Uint8Array, FileFailure> => {
    let at = from
    let isResumed = false
    const counted = (body === null ? Stream.empty : bodyBytes(body, client.idleTimeoutMillis)).pipe(
      Stream.tap((bytes) => {
        at += bytes.length
        return at > to
          ? Effect.fail(client.malformed(request, "the response has more bytes than declared"))
          : Effect.void
      }),
    )
    const resumed = Stream.unwrap(Effect.gen(function* () {
      isResumed = true
      const next = at > from ? 0 : fruitless + 1
      if (next > maxFruitless) {
        return yield* Effect.fail(
          client.malformed(request, "the response broke off several times before the first byte"),
        )
      }
      // Without a tag the bytes of two versions could be mixed.
      if (etag === null || etag.startsWith("W/")) return yield* Effect.fail(unmarked)
      if (next > 0) yield* Effect.sleep(50 * 2 ** next)
      return bytesOf(yield* client.repeat(open(at, to, etag)), next)
    }))
    return counted.pipe(
      Stream.catch((error): Stream.Stream<Uint8Array, FileFailure> =>
        error instanceof FileFault ? Stream.fail(error) : resumed
      ),
      // A connection may also end early without an error.
      Stream.concat(Stream.suspend(() => at < to && !isResumed ? resumed : Stream.empty)),
    )
  }

  return Stream.unwrap(Effect.gen(function* () {
    const opened = yield* client.repeat(open(offset, offset + length))
    const { from, to, totalSize } = opened
    if (to - from <= streamingThreshold) {
      const content = new Uint8Array(to - from)
      let filled = 0
      yield* Stream.runForEach(bytesOf(opened, 0), (bytes) =>
        Effect.sync(() => {
          content.set(bytes, filled)
          filled += bytes.length
        }))
      const isPartial = content.length < totalSize
      const event: FileEvent = { _tag: "FileContent", correlationId, content, totalSize, isPartial }
      return Stream.make(event)
    }
    let at = from
    return Stream.map(cutBytes(bytesOf(opened, 0), chunkSize), (data): FileEvent => {
      const chunk = {
        _tag: "FileContentChunk" as const,
        correlationId,
        offset: at,
        data,
        isFinal: at + data.length === to,
      }
      at += data.length
      return chunk
    })
  })).pipe(Stream.mapError((failure) => client.faultOf(request, failure)))
}
