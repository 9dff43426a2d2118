/**
 * Answers resumable uploads (draft-ietf-httpbis-resumable-upload). Interim responses (104) cannot be sent from a fetch
 * handler: a client that wants to resume creates the upload with an incomplete part.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Context as HonoContext } from "hono"
import {
  formatFlag,
  parseFlag,
  partialUploadType,
  uploadCompleteHeader,
  uploadLengthHeader,
  uploadLimitHeader,
  uploadOffsetHeader,
} from "../../wire/fileTransfer.ts"
import { responseHeaders } from "../headers.ts"
import { refuse } from "../problem.ts"
import type { FileRefusal } from "./refuseFileFault.ts"
import { type FileRequestContext, siblingPath } from "./FileRequestContext.ts"
import type { Upload } from "./Upload.ts"
import type { Uploads } from "./Uploads.ts"
import { readWriteConditions } from "./WriteConditions.ts"
import { type CommitOrder, refuseTooLarge, requestBytes, writeContent, writtenResponse } from "./writeHandlers.ts"

export type UploadContext = Pick<FileRequestContext, "c" | "owner" | "settings">

const countOf = (c: HonoContext, header: string): Result.Result<number | undefined, FileRefusal> => {
  const text = c.req.header(header)
  if (text === undefined) return Result.succeed(undefined)
  return /^\d{1,15}$/.test(text)
    ? Result.succeed(Number(text))
    : Result.fail(refuse(400, "invalid", `${header} is not a whole number`))
}

const limitOf = ({ maxUploadBytes, uploadMaxAgeMillis }: FileRequestContext["settings"]): string =>
  `max-size=${maxUploadBytes}, max-age=${Math.floor(uploadMaxAgeMillis / 1000)}`

const stateHeaders = (upload: Upload, settings: FileRequestContext["settings"]): Record<string, string> => ({
  ...responseHeaders,
  [uploadCompleteHeader]: formatFlag(upload.isComplete),
  [uploadOffsetHeader]: String(upload.offset),
  [uploadLimitHeader]: limitOf(settings),
  ...(upload.length === undefined ? undefined : { [uploadLengthHeader]: String(upload.length) }),
})

const conflict = (upload: Upload, kind: "upload-offset" | "upload-complete", detail: string): FileRefusal =>
  refuse(409, kind, detail, {
    headers: {
      [uploadOffsetHeader]: String(upload.offset),
      [uploadCompleteHeader]: formatFlag(upload.isComplete),
    },
  })

/** Takes a part of an upload, and completes it with the last one. */
const takePart = (
  { c, settings }: UploadContext,
  upload: Upload,
  { headers = {}, isLast, offset, status }: {
    readonly offset: number
    readonly isLast: boolean
    /** The status code of a success. */
    readonly status: number
    readonly headers?: Readonly<Record<string, string>>
  },
): Effect.Effect<Response, FileRefusal> =>
  Effect.gen(function* () {
    const { maxUploadBytes } = settings
    const declared = yield* Effect.fromResult(countOf(c, uploadLengthHeader))
    const partLength = yield* Effect.fromResult(countOf(c, "content-length"))
    const whole = isLast && partLength !== undefined ? offset + partLength : undefined
    for (const length of [declared, whole]) {
      if (length === undefined) continue
      if (upload.length !== undefined && upload.length !== length) {
        return yield* Effect.fail(
          refuse(400, "invalid", `the upload was to have ${upload.length} bytes, not ${length}`),
        )
      }
      if (length > maxUploadBytes) {
        return yield* Effect.fail(refuseTooLarge(maxUploadBytes))
      }
      if (length < offset) {
        return yield* Effect.fail(refuse(400, "invalid", `the upload has ${offset} bytes already, more than ${length}`))
      }
      upload.length = length
    }
    const remainingBytes = Math.min(maxUploadBytes, upload.length ?? maxUploadBytes) - offset
    const part = requestBytes({ c, settings: { ...settings, maxUploadBytes: remainingBytes } })
    yield* upload.append(offset, part, isLast)
    if (!isLast) {
      return new Response(null, { status, headers: { ...stateHeaders(upload, settings), ...headers } })
    }
    if (!upload.isComplete) {
      const detail = `the upload has ${upload.offset} of ${upload.length} bytes`
      return yield* Effect.fail(conflict(upload, "upload-offset", detail))
    }
    const result = yield* upload.complete
    return writtenResponse(result, { ...stateHeaders(upload, settings), ...headers })
  })

export const createUpload = (
  context: FileRequestContext,
  uploads: Uploads,
  commits: CommitOrder,
): Effect.Effect<Response, FileRefusal> =>
  Effect.gen(function* () {
    const { c, owner } = context
    const isLast = parseFlag(c.req.header(uploadCompleteHeader))
    if (isLast === undefined) return yield* Effect.fail(refuse(400, "invalid", "upload-complete is neither ?0 nor ?1"))
    const conditions = yield* Effect.fromResult(readWriteConditions(c.req))
    const upload = yield* uploads.start(owner, (content) => writeContent({ ...context, conditions, commits }, content))
    const location = siblingPath(c, "/files/*", `uploads/${upload.id}`)
    // Without an answer that names the upload, no client can continue or cancel it.
    return yield* Effect.onError(
      takePart(context, upload, { offset: 0, isLast, status: 201, headers: { location } }),
      () => uploads.cancel(upload),
    )
  })

/**
 * Reports the progress or the result of an upload. Ends a request that is still sending bytes, because its client has
 * reconnected.
 */
export const uploadState = (context: UploadContext, upload: Upload): Effect.Effect<Response, FileRefusal> =>
  Effect.gen(function* () {
    yield* upload.interruptPart
    const headers = stateHeaders(upload, context.settings)
    if (!upload.isComplete && !upload.isEnded) return new Response(null, { status: 204, headers })
    const result = yield* upload.ended
    return writtenResponse(result, headers)
  })

export const appendUpload = (context: UploadContext, upload: Upload): Effect.Effect<Response, FileRefusal> =>
  Effect.gen(function* () {
    const { c } = context
    if ((c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() !== partialUploadType) {
      return yield* Effect.fail(refuse(415, "unsupported-media-type", `send content-type: ${partialUploadType}`))
    }
    const isLast = parseFlag(c.req.header(uploadCompleteHeader))
    const offset = yield* Effect.fromResult(countOf(c, uploadOffsetHeader))
    if (isLast === undefined || offset === undefined) {
      return yield* Effect.fail(refuse(400, "invalid", "send upload-offset, and upload-complete: ?0 or ?1"))
    }
    yield* upload.interruptPart
    if (upload.isEnded) yield* upload.ended
    if (upload.isComplete) {
      return yield* Effect.fail(conflict(upload, "upload-complete", "the upload is complete and takes no more bytes"))
    }
    if (offset !== upload.offset) {
      return yield* Effect.fail(conflict(upload, "upload-offset", `the upload continues at byte ${upload.offset}`))
    }
    return yield* takePart(context, upload, { offset, isLast, status: 204 })
  })
