/** Answers `PUT` and `DELETE` of a file: a body becomes visible as a whole, under its preconditions. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { emptyBytes } from "../../base/bytes.ts"
import { FileDeleted, FileWritten } from "../../files/FileEvent.ts"
import { FileDelete, FileWrite } from "../../files/FileRequest.ts"
import { jsonResponse } from "../headers.ts"
import { refuse } from "../problem.ts"
import { flagOf } from "../query.ts"
import { type FileRefusal, refuseFileFault } from "./refuseFileFault.ts"
import type { FileRequestContext } from "./FileRequestContext.ts"
import { checkFile, readWriteConditions, refuseConditional, type WriteConditions } from "./WriteConditions.ts"

const encodeWritten = Schema.encodeSync(FileWritten)
const encodeDeleted = Schema.encodeSync(FileDeleted)

const allPermits = 1_000_000

/**
 * Serializes the last steps of writes: a write with a tag checks it and takes effect while no other write does, so that
 * of two writes with the same tag one is refused. Writes that bypass these routes are noticed up to the check.
 */
export class CommitOrder {
  readonly #semaphore = Semaphore.makeUnsafe(allPermits)

  turn({ tags }: WriteConditions): Effect.Effect<void, never, Scope.Scope> {
    return this.#semaphore.takeScoped(tags === undefined ? 1 : allPermits)
  }
}

/** The target and the preconditions of a write. */
export interface WriteTarget extends Pick<FileRequestContext, "correlationId" | "files" | "lookup" | "path"> {
  readonly conditions: WriteConditions
  readonly commits: CommitOrder
}

export interface WriteResult {
  readonly written: FileWritten
  readonly isNew: boolean
}

/** Writes a file. If the content fails with a refusal, the write fails with it, too. */
export const writeContent = (
  { commits, conditions, correlationId, files, lookup, path }: WriteTarget,
  content: Stream.Stream<Uint8Array, FileRefusal>,
): Effect.Effect<WriteResult, FileRefusal> =>
  Effect.scoped(Effect.gen(function* () {
    const scope = yield* Effect.scope
    const before = yield* checkFile(lookup, path, correlationId, conditions)
    let refusal: FileRefusal | undefined
    const lastStep = Effect.andThen(
      Effect.provideService(commits.turn(conditions), Scope.Scope, scope),
      conditions.tags === undefined ? Effect.void : Effect.asVoid(checkFile(lookup, path, correlationId, conditions)),
    )
    const guarded = Stream.concat(content, Stream.fromEffectDrain(lastStep)).pipe(
      Stream.tapError((error) =>
        Effect.sync(() => {
          refusal = error
        })
      ),
    )
    const request = FileWrite.make({
      correlationId,
      path,
      content: emptyBytes,
      createMode: conditions.createMode,
      ...(conditions.permissions === undefined ? undefined : { permissions: conditions.permissions }),
      chunked: true,
    })
    const event = yield* Effect.mapError(
      Stream.runHead(files.request(request, { content: guarded })),
      (fault) => refusal ?? refuseConditional(fault, conditions),
    )
    if (Option.isSome(event) && event.value._tag === "FileWritten") {
      return { written: event.value, isNew: before === undefined }
    }
    return yield* Effect.die(new Error("files: FileWrite was answered without FileWritten"))
  }))

export const writtenResponse = (
  { isNew, written }: WriteResult,
  headers?: Readonly<Record<string, string>>,
): Response => jsonResponse(encodeWritten(written), { status: isNew ? 201 : 200, headers })

// The unread rest of the body would be parsed as the next request.
const close = { connection: "close" }

export const refuseTooLarge = (maxUploadBytes: number): FileRefusal =>
  refuse(413, "too-large", `at most ${maxUploadBytes} bytes are written`, { headers: close })

/** The bytes of a request, read as they are pulled, limited in size and in the time between two pieces. */
export const requestBytes = (
  { c, settings: { idleTimeoutMillis, maxUploadBytes } }: Pick<FileRequestContext, "c" | "settings">,
): Stream.Stream<Uint8Array, FileRefusal> => {
  const { body } = c.req.raw
  const encoding = c.req.header("content-encoding")?.trim().toLowerCase() ?? "identity"
  if (encoding !== "identity") {
    const headers = { "accept-encoding": "identity" }
    return Stream.fail(refuse(415, "unsupported-media-type", "send the body without content-encoding", { headers }))
  }
  // RFC 9110, 14.5: a server without partial PUT must not treat the part as the whole.
  if (c.req.header("content-range") !== undefined) {
    return Stream.fail(refuse(400, "invalid", "content-range is not supported: send a resumable upload"))
  }
  if (body === null) return Stream.empty
  const tooLarge = refuseTooLarge(maxUploadBytes)
  if (Number(c.req.header("content-length") ?? 0) > maxUploadBytes) return Stream.fail(tooLarge)
  let count = 0
  return Stream.fromReadableStream({
    evaluate: () => body,
    onError: () => refuse(400, "invalid", "the body could not be read to its end"),
  }).pipe(
    Stream.timeoutOrElse({
      duration: idleTimeoutMillis,
      orElse: () => Stream.fail(refuse(408, "slow-body", "the body did not arrive in time", { headers: close })),
    }),
    Stream.tap((bytes) => {
      count += bytes.length
      return count > maxUploadBytes ? Effect.fail(tooLarge) : Effect.void
    }),
  )
}

export const putFile = (
  context: FileRequestContext,
  commits: CommitOrder,
): Effect.Effect<Response, FileRefusal> =>
  Effect.gen(function* () {
    const conditions = yield* Effect.fromResult(readWriteConditions(context.c.req))
    return writtenResponse(yield* writeContent({ ...context, conditions, commits }, requestBytes(context)))
  })

export const deletePath = (
  { c, correlationId, files, lookup, path }: FileRequestContext,
  commits: CommitOrder,
): Effect.Effect<Response, FileRefusal> =>
  Effect.scoped(Effect.gen(function* () {
    const conditions = yield* Effect.fromResult(readWriteConditions(c.req))
    if (conditions.createMode === "CreateNew") {
      return yield* Effect.fail(refuse(400, "invalid", "if-none-match is not valid for a deletion"))
    }
    yield* commits.turn(conditions)
    if (conditions.tags !== undefined) yield* checkFile(lookup, path, correlationId, conditions)
    const recursive = flagOf(c.req, "recursive") === true
    const request = FileDelete.make({ correlationId, path, ...(recursive ? { recursive } : undefined) })
    const event = yield* Effect.mapError(
      Stream.runHead(files.request(request)),
      (fault) =>
        conditions.preconditionFault === undefined ? refuseFileFault(fault) : refuseConditional(fault, conditions),
    )
    if (Option.isNone(event) || event.value._tag !== "FileDeleted") {
      return yield* Effect.die(new Error("files: FileDelete was answered without FileDeleted"))
    }
    return jsonResponse(encodeDeleted(event.value))
  }))
