/** Answers `GET` of metadata and listings. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { defined } from "../../base/defined.ts"
import { encodeUtf8 } from "../../base/bytes.ts"
import { FileListingEntry, FileMetadata } from "../../files/FileEvent.ts"
import { FileFault } from "../../files/FileFault.ts"
import { FileList } from "../../files/FileRequest.ts"
import * as Ndjson from "../../wire/ndjson.ts"
import { jsonResponse, streamResponseHeaders } from "../headers.ts"
import { jsonType, negotiate } from "../negotiate.ts"
import { refuse } from "../problem.ts"
import { flagOf } from "../query.ts"
import type { FileRefusal } from "./refuseFileFault.ts"
import type { FileRequestContext } from "./FileRequestContext.ts"
import { openBody } from "./openBody.ts"
import { statFile } from "./validators.ts"

const encodeEntry = Schema.encodeSync(FileListingEntry)
const encodeFault = Schema.encodeSync(FileFault)
const encodeMetadata = Schema.encodeSync(FileMetadata)

export const statPath = (
  { correlationId, files, path }: FileRequestContext,
): Effect.Effect<Response, FileFault | FileRefusal> =>
  Effect.map(statFile(files, path, correlationId), (metadata) => jsonResponse(encodeMetadata(metadata)))

/** Writes entries as one JSON text in pieces, or as a line each. */
const makeWriter = (type: typeof jsonType | typeof Ndjson.mediaType) => {
  let count = 0
  return (entries: ReadonlyArray<FileListingEntry>): string => {
    const texts = entries.map((entry) => JSON.stringify(encodeEntry(entry)))
    if (type === Ndjson.mediaType) return texts.map((text) => `${text}\n`).join("")
    const start = count === 0 ? `{"entries":[` : texts.length === 0 ? "" : ","
    count += texts.length
    return `${start}${texts.join(",")}`
  }
}

/** Answers `?list`. A failure after the first entries becomes the last line of NDJSON, and cuts JSON off. */
export const listFolder = (context: FileRequestContext): Effect.Effect<Response, FileFault | FileRefusal> =>
  Effect.gen(function* () {
    const { c, correlationId, files, path } = context
    const type = yield* Effect.fromResult(negotiate(c.req.header("accept"), [jsonType, Ndjson.mediaType]))
    const isLines = type === Ndjson.mediaType
    const write = makeWriter(isLines ? Ndjson.mediaType : jsonType)
    const pattern = c.req.query("pattern")
    const request = FileList.make({
      correlationId,
      path,
      ...defined({ pattern }),
      ...(flagOf(c.req, "recursive") === true ? { recursive: true } : undefined),
    })
    const texts = Stream.map(files.request(request), (event) => write("entries" in event ? event.entries : []))
    const { body } = yield* openBody(
      context,
      isLines ? texts : Stream.concat(texts, Stream.succeed("]}")),
      (parts) => encodeUtf8(parts.join("")),
      (cause) => {
        const fault = Cause.findError(cause)
        return isLines && Result.isSuccess(fault) && fault.success instanceof FileFault
          ? encodeUtf8(`${JSON.stringify(encodeFault(fault.success))}\n`)
          : undefined
      },
    )
    return new Response(body, { headers: { ...streamResponseHeaders, "content-type": type } })
  })

export const bothRefused: FileRefusal = refuse(400, "invalid", "the query has both stat and list: use one of them")
