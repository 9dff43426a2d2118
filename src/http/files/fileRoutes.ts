/** Makes the Hono app of `fileRoutes`. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { quote } from "../../base/quote.ts"
import { logWith, runPromise } from "../../base/stderrLogs.ts"
import { makeAuthenticator } from "../../auth/Authenticator.ts"
import { ConcurrencyLimit } from "../../auth/ConcurrencyLimit.ts"
import type { TokenRight } from "../../auth/TokenAccess.ts"
import { onAbort } from "../../base/abort.ts"
import { OptionError } from "../../base/OptionError.ts"
import { FileFault } from "../../files/FileFault.ts"
import { type CorsHeaderNames, makeCors } from "../../server/makeCors.ts"
import { disableIdleTimeout } from "../../server/disableIdleTimeout.ts"
import {
  correlationIdHeader,
  fileSizeHeader,
  uploadCompleteHeader,
  uploadLengthHeader,
  uploadLimitHeader,
  uploadOffsetHeader,
} from "../../wire/fileTransfer.ts"
import { wireVersionHeader } from "../../wire/mod.ts"
import { responseHeaders } from "../headers.ts"
import { problemResponse, refuse } from "../problem.ts"
import { flagOf } from "../query.ts"
import { type AuthenticatedRequest, makeRequestGuard, type RouteHandler } from "../requestGuard.ts"
import { recordAccess } from "./recordAccess.ts"
import { makeFileHost } from "./FileHost.ts"
import { type FileRefusal, refuseFileFault } from "./refuseFileFault.ts"
import { correlationIdOf, filePathOf, type FileRequestContext } from "./FileRequestContext.ts"
import { type FileRoutes, type FileRoutesOptions, fileRoutesSettings } from "./FileRoutesOptions.ts"
import { bothRefused, listFolder, statPath } from "./infoHandlers.ts"
import { fileOperations } from "./fileOperations.ts"
import { readFile } from "./readHandler.ts"
import { appendUpload, createUpload, type UploadContext, uploadState } from "./uploadHandlers.ts"
import type { Upload } from "./Upload.ts"
import { Uploads } from "./Uploads.ts"
import { CommitOrder, deletePath, putFile } from "./writeHandlers.ts"

const corsHeaderNames: CorsHeaderNames = {
  allowed: [
    "authorization",
    "content-type",
    "range",
    "if-match",
    "if-none-match",
    "if-modified-since",
    "if-range",
    uploadCompleteHeader,
    uploadOffsetHeader,
    uploadLengthHeader,
    correlationIdHeader,
    wireVersionHeader,
    "x-request-id",
  ],
  exposed: [
    "accept-ranges",
    "content-range",
    "etag",
    "last-modified",
    "location",
    "retry-after",
    fileSizeHeader,
    uploadCompleteHeader,
    uploadOffsetHeader,
    uploadLimitHeader,
    wireVersionHeader,
    "x-request-id",
  ],
}

const busy = (max: number): FileRefusal =>
  refuse(429, "busy", `${max} requests are in progress already`, { headers: { "retry-after": "1" } })

const closed: FileRefusal = refuse(503, "unavailable", "the server is shutting down")

/**
 * Makes the routes that read and change files for clients with a token, below `/files`.
 *
 * - `GET /files/PATH` streams a file: `Range`, `If-Range`, `ETag`, `Last-Modified`, `If-None-Match`, `If-Modified-Since`.
 *   `HEAD` is the same without the bytes.
 * - `GET /files/PATH?stat` is its metadata as JSON; `?list` the entries of a folder as JSON or, by `Accept`, NDJSON as they
 *   are found, with `recursive` and the glob `pattern`.
 * - `PUT /files/PATH` writes a file, visible at once when it is whole. `?createMode=` is one of the `CreateMode`s,
 *   `?permissions=` octal; `If-None-Match: *` means `CreateNew`, `If-Match` `ReplaceExisting` of the file with that tag.
 * - `DELETE /files/PATH` deletes a file or an empty folder, with `?recursive` all that is in it.
 * - `PUT` or `POST` with `Upload-Complete: ?0` begins an upload that continues with further requests at its `Location`,
 *   by the IETF's draft of resumable uploads: `HEAD` for its `Upload-Offset`, `PATCH` with further bytes, `DELETE` to
 *   undo it.
 *
 * The path is decoded once and passed to the file system, which checks it: nothing outside of its root is reachable. A
 * failure is `application/problem+json`, whose `fault` is the encoded `FileFault`. Reading needs the right
 * `files:read`, writing `files:write`. If the `server` has a journal, each request is recorded in it.
 * architecture/server.md describes the whole protocol.
 *
 * @throws {OptionError} for an unknown option, an invalid token, time or limit, two equal tokens, and a root of an unknown
 * token.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { fileRoutes } from "@sluice/shell/http"
 *
 * await using files = fileRoutes({ layer: MemoryFileSystem.layer, token: "s3cret" })
 * const headers = { authorization: "Bearer s3cret" }
 * await files.request("/files/notes/today.txt", { method: "PUT", headers, body: "buy milk" })
 * const response = await files.request("/files/notes/today.txt", { headers: { ...headers, range: "bytes=4-7" } })
 * console.log(response.status, await response.text()) // 206 milk
 * ```
 */
export const fileRoutes = (options: FileRoutesOptions): FileRoutes => {
  const settings = fileRoutesSettings(options)
  const cors = makeCors(options.cors, corsHeaderNames)
  const { authenticator, count } = options.server === undefined
    ? { authenticator: makeAuthenticator(options, ["files:read", "files:write"]), count: () => {} }
    : {
      authenticator: options.server.sharedServices.authenticator,
      count: options.server.sharedServices.countRequest,
    }
  const journal = options.server?.sharedServices.journal
  options.server?.sharedServices.describeRoutes(fileOperations)
  // A root for a misspelt name would leave its token with the common root.
  const unknown = Object.keys(options.roots ?? {}).find((name) => !authenticator.names.includes(name))
  if (unknown !== undefined) {
    throw new OptionError("roots", `fileRoutes: roots: no token is named ${quote(unknown)}`)
  }
  const host = makeFileHost(options, options.roots)
  const guard = makeRequestGuard({
    authenticator,
    cors,
    counts: { count },
    maxHeaderBytes: settings.maxHeaderBytes,
    services: host.context,
  })
  const places = new ConcurrencyLimit(settings.maxConcurrency)
  const uploads = new Uploads(host, settings)
  const commits = new CommitOrder()

  /** Answers a request by an Effect, which is interrupted when the client goes away. */
  const answer = async (
    { c }: AuthenticatedRequest,
    make: (keepPlace: () => () => void) => Promise<Effect.Effect<Response, FileFault | FileRefusal>>,
  ): Promise<Response> => {
    if (host.isClosing()) return problemResponse(closed)
    const leave = places.tryAcquire()
    if (leave === undefined) return problemResponse(busy(places.max))
    const exitHost = host.enter()
    let keepers = 1
    const restoreIdleTimeout = disableIdleTimeout(c.req.raw, c.env)
    const release = (): void => {
      if (--keepers > 0) return
      restoreIdleTimeout()
      leave()
      exitHost()
    }
    try {
      const effect = await make(() => {
        keepers++
        return release
      })
      const fiber = host.fork(effect)
      const forget = onAbort(c.req.raw.signal, () => fiber.interruptUnsafe())
      const exit = await runPromise(Fiber.await(fiber))
      forget()
      if (Exit.isSuccess(exit)) return exit.value
      const error = Cause.findError(exit.cause)
      if (Result.isFailure(error)) {
        if (Cause.hasInterruptsOnly(exit.cause)) return problemResponse(closed)
        throw Cause.squash(exit.cause)
      }
      return problemResponse(error.success instanceof FileFault ? refuseFileFault(error.success) : error.success)
    } finally {
      release()
    }
  }

  const onFile = (
    right: TokenRight,
    use: (context: FileRequestContext) => Effect.Effect<Response, FileFault | FileRefusal>,
  ): RouteHandler =>
    guard.authenticated(right, (request) =>
      answer(request, async (keepPlace) => {
        const { c, grant: { name: owner } } = request
        const correlationId = correlationIdOf(c)
        const path = filePathOf(c, correlationId)
        if (Result.isFailure(path)) return Effect.fail(path.failure)
        let files: FileRequestContext["files"]
        let lookup: FileRequestContext["lookup"]
        try {
          lookup = await host.filesOf(owner)
          files = journal === undefined ? lookup : await runPromise(recordAccess(lookup, owner, await journal()))
        } catch (error) {
          logWith(host.context(), Effect.logError("the file system or the journal could not be built", error))
          return Effect.fail(refuse(503, "unavailable", "the file system or the journal could not be built"))
        }
        return use({ c, path: path.success, correlationId, owner, files, lookup, host, settings, keepPlace })
      }))

  const onUpload = (
    use: (context: UploadContext, upload: Upload) => Effect.Effect<Response, FileRefusal>,
  ): RouteHandler =>
    guard.authenticated("files:write", (request) =>
      answer(request, () => {
        const { c, grant: { name: owner } } = request
        const found = uploads.find(owner, c.req.param("id") ?? "")
        return Promise.resolve(Effect.flatMap(found, (upload) => use({ c, owner, settings }, upload)))
      }))

  const isUpload = (context: FileRequestContext): boolean => context.c.req.header(uploadCompleteHeader) !== undefined

  const routes = guard.routes({
    "/files/*": {
      GET: onFile("files:read", (context) => {
        const [stat, list] = ["stat", "list"].map((name) => flagOf(context.c.req, name) === true)
        if (stat === true && list === true) return Effect.fail(bothRefused)
        return stat === true ? statPath(context) : list === true ? listFolder(context) : readFile(context)
      }),
      PUT: onFile(
        "files:write",
        (context) => isUpload(context) ? createUpload(context, uploads, commits) : putFile(context, commits),
      ),
      // A page of another origin cannot send the header without a preflight request.
      POST: onFile(
        "files:write",
        (context) =>
          isUpload(context)
            ? createUpload(context, uploads, commits)
            : Effect.fail(refuse(400, "invalid", "POST begins an upload: send upload-complete, or use PUT")),
      ),
      DELETE: onFile("files:write", (context) => deletePath(context, commits)),
    },
    "/uploads/:id": {
      GET: onUpload(uploadState),
      PATCH: onUpload(appendUpload),
      DELETE: onUpload((_, upload) =>
        Effect.as(uploads.cancel(upload), new Response(null, { status: 204, headers: responseHeaders }))
      ),
    },
  })
  const { dispose, start } = host
  return Object.assign(routes, { start, dispose, [Symbol.asyncDispose]: () => dispose() })
}
