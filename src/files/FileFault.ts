/** Schema class of the error of a file operation. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { CorrelationId } from "./CorrelationId.ts"

const fileFaultKinds = [
  "NotFound",
  "AlreadyExists",
  "AccessDenied",
  "InvalidPath",
  "DirectoryNotEmpty",
  "NotADirectory",
  "NotAFile",
  "DiskFull",
  "IoError",
  "PathTooLong",
  "Timeout",
] as const

/** Schema of {@link FileFaultKind}. */
export const FileFaultKind: Schema.Literals<typeof fileFaultKinds> = Schema.Literals(fileFaultKinds)

/** Kinds of failed file operations. The same operation on the same state has the same kind on every leaf. */
export type FileFaultKind = typeof FileFaultKind.Type

const Base: Schema.Class<
  FileFault,
  Schema.TaggedStruct<"FileFault", {
    readonly correlationId: typeof CorrelationId
    readonly faultKind: typeof FileFaultKind
    readonly path: typeof Schema.String
    readonly message: typeof Schema.String
    readonly code: Schema.optionalKey<typeof Schema.String>
  }>,
  Cause.YieldableError
> = Schema.TaggedError<FileFault>()("FileFault", {
  correlationId: CorrelationId,
  faultKind: FileFaultKind,
  path: Schema.String,
  message: Schema.String,
  code: Schema.optionalKey(Schema.String),
})

/**
 * A failed file operation.
 *
 * `faultKind` is for programs. `message` says what was tried, what failed and what to do, for people and models. `code` is
 * the system's error code, if there was one (`EROFS`, `EXDEV`).
 *
 * @example
 * ```ts
 * import { Files, MemoryFileSystem } from "@sluice/shell/files"
 * import { Effect } from "effect"
 *
 * const missing = Files.readText("notes.txt").pipe(Effect.flip, Effect.provide(MemoryFileSystem.layer))
 * const fault = await Effect.runPromise(missing)
 * console.log(fault.faultKind, fault.path) // NotFound notes.txt
 * ```
 */
export class FileFault extends Base {}

const kinds: Readonly<Record<string, FileFaultKind>> = {
  ENOENT: "NotFound",
  EEXIST: "AlreadyExists",
  EACCES: "AccessDenied",
  EPERM: "AccessDenied",
  EROFS: "AccessDenied",
  EBUSY: "AccessDenied",
  ETXTBSY: "AccessDenied",
  ELOOP: "AccessDenied",
  ENOTCAPABLE: "AccessDenied",
  EINVAL: "InvalidPath",
  EILSEQ: "InvalidPath",
  ENOTEMPTY: "DirectoryNotEmpty",
  ENOTDIR: "NotADirectory",
  EISDIR: "NotAFile",
  ENXIO: "NotAFile",
  ENOSPC: "DiskFull",
  EDQUOT: "DiskFull",
  EFBIG: "DiskFull",
  ENAMETOOLONG: "PathTooLong",
  ETIMEDOUT: "Timeout",
}

export const faultKindOf = (code: string): FileFaultKind => kinds[code] ?? "IoError"
