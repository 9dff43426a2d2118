/** Reads the create mode and the preconditions of a request to write or delete a file. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { HonoRequest } from "hono"
import type { FileMetadata } from "../../files/FileEvent.ts"
import type { FileFault } from "../../files/FileFault.ts"
import { CreateMode } from "../../files/FileRequest.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { refuse } from "../problem.ts"
import { type FileRefusal, refuseFileFault } from "./refuseFileFault.ts"
import { hasStrongTag, opaqueTag, parseTags, statFile } from "./validators.ts"

export interface WriteConditions {
  readonly createMode: CreateMode
  /** The permission bits (chmod(2)) that the file gets. */
  readonly permissions: number | undefined
  readonly tags: ReadonlyArray<string> | undefined
  readonly preconditionFault: "AlreadyExists" | "NotFound" | undefined
}

const isMode = Schema.is(CreateMode)
const invalid = (detail: string): Result.Result<never, FileRefusal> => Result.fail(refuse(400, "invalid", detail))

/**
 * Reads the conditions of a write: `createMode` and the octal `permissions` in the query, `If-None-Match: *` for
 * `CreateNew`, `If-Match` for `ReplaceExisting`. Default: `CreateOrReplace`.
 */
export const readWriteConditions = (request: HonoRequest): Result.Result<WriteConditions, FileRefusal> => {
  const asked = request.query("createMode")
  if (asked !== undefined && !isMode(asked)) {
    return invalid(`the query's createMode is not one of ${CreateMode.literals.join(", ")}`)
  }
  const bits = request.query("permissions")
  if (bits !== undefined && !/^0?[0-7]{1,3}$/.test(bits)) {
    return invalid("the query's permissions are not octal, as in 640")
  }
  const permissions = bits === undefined ? undefined : Number.parseInt(bits, 8)
  const none = parseTags(request.header("if-none-match"))
  const match = parseTags(request.header("if-match"))
  if (none !== undefined && match !== undefined) return invalid("send if-match or if-none-match, not both")
  if (none !== undefined) {
    if (none !== "*") return invalid("for a write, the only valid if-none-match is *")
    if (asked !== undefined && asked !== "CreateNew") {
      return invalid(`if-none-match: * conflicts with createMode=${asked}`)
    }
    return Result.succeed({ createMode: "CreateNew", permissions, tags: undefined, preconditionFault: "AlreadyExists" })
  }
  if (match !== undefined) {
    if (asked !== undefined && asked !== "ReplaceExisting") {
      return invalid(`if-match conflicts with createMode=${asked}`)
    }
    const tags = match === "*" ? undefined : match
    return Result.succeed({ createMode: "ReplaceExisting", permissions, tags, preconditionFault: "NotFound" })
  }
  return Result.succeed({
    createMode: asked ?? "CreateOrReplace",
    permissions,
    tags: undefined,
    preconditionFault: undefined,
  })
}

export const refuseConditional = (fault: FileFault, { preconditionFault }: WriteConditions): FileRefusal =>
  refuseFileFault(fault, fault.faultKind === preconditionFault ? 412 : undefined)

const otherFile: FileRefusal = refuse(
  412,
  "precondition-failed",
  "the file has changed: its tag does not match if-match",
)

const checkTags = (
  { tags }: WriteConditions,
  metadata: FileMetadata,
): Effect.Effect<void, FileRefusal> =>
  tags === undefined || hasStrongTag(tags, opaqueTag(metadata)) ? Effect.void : Effect.fail(otherFile)

/** Reads the metadata of the requested file, and checks its tag. Succeeds with `undefined` if there is no file. */
export const checkFile = (
  files: FilesService,
  path: string,
  correlationId: string,
  conditions: WriteConditions,
): Effect.Effect<FileMetadata | undefined, FileRefusal> =>
  Effect.gen(function* () {
    const found = yield* Effect.result(statFile(files, path, correlationId))
    if (Result.isSuccess(found)) {
      yield* checkTags(conditions, found.success)
      return found.success
    }
    // Without tags to compare, the request itself reports the error.
    if (conditions.tags === undefined) return undefined
    return yield* Effect.fail(refuseConditional(found.failure, conditions))
  })
