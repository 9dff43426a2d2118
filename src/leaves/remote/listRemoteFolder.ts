/** Lists a folder of a server. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { groupListing } from "../../files/groupListing.ts"
import { makeLineReader } from "../../base/LineReader.ts"
import { bodyBytes } from "../../client/responseBody.ts"
import { type FileEvent, FileListingEntry } from "../../files/FileEvent.ts"
import { FileFault } from "../../files/FileFault.ts"
import { parsePath } from "../../files/FilePath.ts"
import type { FileList } from "../../files/FileRequest.ts"
import * as Ndjson from "../../wire/ndjson.ts"
import type { FileClient } from "./FileClient.ts"

/** Maximum length of a line: a path of 4,095 bytes, each escaped, and the other fields. */
const maxLineBytes = 32_768

const decodeLine = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Union([FileListingEntry, FileFault])))

const isBelow = (path: string): boolean => {
  const names = parsePath(path)
  return Result.isSuccess(names) && names.success.length > 0 && names.success.join("/") === path
}

/** The lines of an answer; the last one must have its end. */
const linesOf = (
  bytes: ReadableStream<Uint8Array>,
  client: FileClient,
  request: FileList,
): Stream.Stream<string, FileFault> =>
  Stream.suspend(() => {
    const reader = makeLineReader("lf", maxLineBytes)
    const decoder = new TextDecoder()
    const broken = (what: string) => Effect.fail(client.malformed(request, what))
    return bodyBytes(bytes, client.idleTimeoutMillis).pipe(
      Stream.catch(() => Stream.fromEffect(broken("the listing broke off"))),
      Stream.mapEffect((piece) => {
        const lines: Array<string> = []
        return reader.push(piece, (line) => lines.push(decoder.decode(line)))
          ? Effect.succeed(lines)
          : broken(`the listing has a line of more than ${maxLineBytes} bytes`)
      }),
      Stream.flattenIterable,
      Stream.concat(
        Stream.fromEffectDrain(
          Effect.suspend(() => reader.rest().length === 0 ? Effect.void : broken("the listing broke off")),
        ),
      ),
    )
  })

export const listRemoteFolder = (
  client: FileClient,
  request: FileList,
  path: string,
): Stream.Stream<FileEvent, FileFault> => {
  const { correlationId, pattern, recursive } = request
  const entryOf = (line: string): Effect.Effect<FileListingEntry, FileFault> => {
    const decoded = decodeLine(line)
    if (Result.isFailure(decoded)) {
      return Effect.fail(client.malformed(request, "the listing has an invalid line"))
    }
    const entry = decoded.success
    if (entry instanceof FileFault) return Effect.fail(client.ownFault(request, entry))
    // A caller may use the path on this machine, so a path that leads out of the folder must not be returned.
    return isBelow(entry.path)
      ? Effect.succeed(entry)
      : Effect.fail(client.malformed(request, "the listing has a path that leads out of the folder"))
  }
  const entries = Stream.unwrap(
    client.send(request, {
      method: "GET",
      path,
      accept: Ndjson.mediaType,
      query: { list: true, pattern, recursive: recursive === true ? true : undefined },
    }).pipe(
      client.repeat,
      Effect.mapError((failure) => client.faultOf(request, failure)),
      Effect.map(({ body }) => body === null ? Stream.empty : linesOf(body, client, request)),
    ),
  ).pipe(Stream.mapEffect(entryOf))
  return groupListing(entries, correlationId)
}
