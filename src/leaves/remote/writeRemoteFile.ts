/** Writes a file on a server: a small one by one request, a larger one as a resumable upload. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { cancelTimeout } from "../../client/HttpTransport.ts"
import type { HttpRequestSpec } from "../../client/requestTarget.ts"
import type { RemoteError } from "../../client/RemoteError.ts"
import { FileWritten } from "../../files/FileEvent.ts"
import { FileFault } from "../../files/FileFault.ts"
import type { FileWrite } from "../../files/FileRequest.ts"
import {
  bytesType,
  formatFlag,
  partialUploadType,
  uploadCompleteHeader,
  uploadOffsetHeader,
} from "../../wire/fileTransfer.ts"
import { cutBytes } from "./cutBytes.ts"
import type { FileClient, FileFailure } from "./FileClient.ts"

/** Bytes of one request. The last ones are kept until the server has them. */
const partBytes = 1024 * 1024

/** Modes in which repeating a request has no further effect. */
const repeatable: ReadonlySet<FileWrite["createMode"]> = new Set(["CreateOrReplace", "ReplaceExisting"])

/**
 * Refusals of a part that an older request overtook: a server may begin with a request of a lost connection after it has
 * reported the progress of the upload, or while it takes a newer part.
 */
const overtaken: ReadonlySet<string | undefined> = new Set(
  ["upload-offset", "upload-complete", "conflict"].map((kind) => `urn:sluice:request:${kind}`),
)

const isOvertaken = ({ reason }: RemoteError): boolean =>
  reason._tag === "Refused" && reason.status === 409 && overtaken.has(reason.problem?.type)

type Bytes = Uint8Array<ArrayBuffer>

export const writeRemoteFile = (
  client: FileClient,
  request: FileWrite,
  path: string,
  content: Stream.Stream<Uint8Array, unknown>,
): Effect.Effect<FileWritten, FileFault> => {
  const { correlationId, createMode, permissions } = request
  const query = { createMode, permissions: permissions?.toString(8) }

  const sourceFault = (cause: unknown): FileFault =>
    new FileFault({
      correlationId,
      faultKind: "IoError",
      path: request.path,
      message: `write ${request.path}: the content to write could not be read: ${String(cause)} (EIO)`,
      code: "EIO",
    })

  const putWhole = (body: Bytes): Effect.Effect<FileWritten, FileFailure> => {
    const spec: HttpRequestSpec = { method: "PUT", path, query, contentType: bytesType, body }
    const sent = client.sendAndDecode(request, FileWritten, spec)
    return repeatable.has(createMode) ? client.repeat(sent) : client.repeatRefused(sent)
  }

  /** Begins an upload. Succeeds with its path below the routes: only the id is the server's. */
  const begin: Effect.Effect<string, FileFailure> = Effect.scoped(Effect.gen(function* () {
    const headers = { [uploadCompleteHeader]: formatFlag(false) }
    const response = yield* client.send(request, { method: "POST", path, query, headers })
    const id = response.headers.get("location")?.split("/").at(-1) ?? ""
    if (response.status === 201 && /^[\w-]{1,100}$/.test(id)) return `uploads/${id}`
    return yield* Effect.fail(client.malformed(request, "the response does not start an upload"))
  }))

  /** The offset of an upload; its result once it is complete. */
  const stateOf = (upload: string): Effect.Effect<number | FileWritten, FileFailure> =>
    Effect.scoped(Effect.gen(function* () {
      const response = yield* client.send(request, { method: "GET", path: upload })
      if (response.status !== 204) {
        return yield* client.sendAndDecode(request, FileWritten, { method: "GET", path: upload })
      }
      const offset = response.headers.get(uploadOffsetHeader) ?? ""
      return /^\d{1,15}$/.test(offset)
        ? Number(offset)
        : yield* Effect.fail(client.malformed(request, "the response does not give the upload's offset"))
    }))

  /** Sends a part, and its missing rest after a lost connection. */
  const sendPart = (
    upload: string,
    offset: number,
    part: Bytes,
    isLast: boolean,
  ): Effect.Effect<FileWritten | undefined, FileFailure> => {
    let sent = 0
    const spec = (): HttpRequestSpec => ({
      method: "PATCH",
      path: upload,
      contentType: partialUploadType,
      headers: { [uploadOffsetHeader]: String(offset + sent), [uploadCompleteHeader]: formatFlag(isLast) },
      body: part.subarray(sent),
    })
    const once = Effect.suspend(() =>
      isLast
        ? client.sendAndDecode(request, FileWritten, spec())
        : Effect.scoped(Effect.as(client.send(request, spec()), undefined))
    )
    /** Asks how much of the part the server has, before it is sent again. */
    const resume = Effect.gen(function* () {
      const state = yield* client.repeat(stateOf(upload))
      if (typeof state !== "number") return isLast ? state : yield* Effect.fail(lost)
      if (state < offset || state > offset + part.length) return yield* Effect.fail(lost)
      sent = state - offset
      if (sent === part.length && !isLast) return undefined
      return yield* once
    })
    const lost = client.malformed(request, "the server's upload offset does not match the bytes sent")
    const isInterrupted = (error: FileFailure): boolean =>
      error._tag === "RemoteError" && error.reason._tag !== "NotSent"
    return Effect.catchIf(once, isInterrupted, () => client.repeat(resume, isOvertaken))
  }

  const write = Effect.gen(function* () {
    let upload: string | undefined
    let offset = 0
    let written: FileWritten | undefined
    const parts = cutBytes(Stream.mapError(content, sourceFault), partBytes)
    const sendAll = Stream.runForEach(Stream.zipWithNext(parts), ([part, next]) =>
      Effect.gen(function* () {
        const isLast = Option.isNone(next)
        if (upload === undefined && isLast) {
          written = yield* putWhole(part)
        } else {
          upload ??= yield* client.repeatRefused(begin)
          written = yield* sendPart(upload, offset, part, isLast)
        }
        offset += part.length
      }))
    yield* Effect.onExit(
      sendAll,
      (exit) =>
        Exit.isSuccess(exit) || upload === undefined
          ? Effect.void
          : Effect.scoped(client.send(request, { method: "DELETE", path: upload })).pipe(
            Effect.timeoutOption(cancelTimeout),
            Effect.ignore,
          ),
    )
    if (written?.bytesWritten === offset) {
      return { ...written, correlationId, path: request.path }
    }
    return yield* Effect.fail(client.malformed(request, "the server wrote a different number of bytes"))
  })
  return Effect.mapError(write, (failure) => client.faultOf(request, failure))
}
