/**
 * Parses patches (unified diffs, and the V4A format of OpenAI's apply_patch) and applies them to files, all or none.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { commitPatch } from "./commitPatch.ts"
import type { PatchChange } from "./PatchChange.ts"
import type { FileFault } from "./FileFault.ts"
import { type FilePatchError, patchError } from "./FilePatchError.ts"
import type { Files } from "./Files.ts"
import { parseUnifiedDiff } from "./parseUnifiedDiff.ts"
import { isV4aPatch, parseV4aPatch } from "./parseV4aPatch.ts"
import { type PatchedFile, planPatch } from "./planPatch.ts"

export { FilePatchError, FilePatchReason } from "./FilePatchError.ts"
export type { PatchChange, PatchedText } from "./PatchChange.ts"
export type { PatchedFile } from "./planPatch.ts"

const maxLength = 8 * 1024 * 1024
const maxFiles = 10_000

/** Bytes of the files of a patch, before and after it, that may be held in memory. */
const defaultMaxBytes = 256 * 1024 * 1024

/** Options of {@link apply}. */
export interface PatchOptions {
  /** Whether everything is checked but nothing is written. Default: `false`. */
  readonly dryRun?: boolean | undefined
  /** Maximum bytes of the files of the patch, before and after it, that are held in memory. Default: 256 MiB. */
  readonly maxBytes?: number | undefined
}

/** The result of a patch for each file, in the order of the patch. */
export interface PatchResult {
  /** The change of each file. */
  readonly files: ReadonlyArray<PatchedFile>
  /** Whether nothing was written. */
  readonly dryRun: boolean
}

/**
 * Parses a patch: V4A if it begins with `*** Begin Patch`, else a unified diff.
 *
 * @example
 * ```ts
 * import { FilePatch } from "@sluice/shell/files"
 * import { Result } from "effect"
 *
 * const changes = FilePatch.parse("--- a/x.txt\n+++ b/x.txt\n@@ -1 +1,2 @@\n one\n+two\n")
 * console.log(Result.getOrThrow(changes)[0]?.addedLines) // 1
 * ```
 */
export const parse = (patch: string): Result.Result<ReadonlyArray<PatchChange>, FilePatchError> => {
  const tooLarge = (what: string) => Result.fail(patchError("TooLarge", 0, undefined, `${what}; apply it in parts`))
  if (patch.length > maxLength) return tooLarge(`it has more than ${maxLength} characters`)
  const changes = isV4aPatch(patch) ? parseV4aPatch(patch) : parseUnifiedDiff(patch)
  return Result.isSuccess(changes) && changes.success.length > maxFiles
    ? tooLarge(`it changes more than ${maxFiles} files`)
    : changes
}

/**
 * Applies a patch to the files of the context: to all, or to none. Everything is checked before the first write; when a
 * write fails, those before it are undone, and the call fails with its fault. Encodings, byte order marks, line ends and a
 * missing newline at the end stay as they are in each file. Permissions are not changed; a file that is moved or copied
 * keeps them.
 *
 * A hunk of a unified diff whose lines are not at its line number is applied at the nearest place that has all of its lines,
 * even where git insists on the beginning or the end of the file. A line of a V4A patch that is not found exactly is
 * searched for by the rules of OpenAI's reference: without trailing white space, then without indentation; `fuzz` reports
 * the deviation.
 *
 * @example
 * ```ts
 * import { FilePatch, Files, MemoryFileSystem } from "@sluice/shell/files"
 * import { Effect } from "effect"
 *
 * const patch = `*** Begin Patch
 * *** Update File: greet.ts
 * @@ function greet() {
 * -  return "hi"
 * +  return "hello"
 * *** End Patch`
 * const program = Effect.gen(function* () {
 *   yield* Files.write("greet.ts", 'function greet() {\n  return "hi"\n}\n')
 *   return yield* FilePatch.apply(patch)
 * })
 * const { files } = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
 * console.log(files[0]?.path, files[0]?.addedLines, files[0]?.fuzz) // greet.ts 1 0
 * ```
 */
export const apply = (
  patch: string,
  { dryRun = false, maxBytes = defaultMaxBytes }: PatchOptions = {},
): Effect.Effect<PatchResult, FileFault | FilePatchError, Files> =>
  Effect.gen(function* () {
    const changes = yield* Effect.fromResult(parse(patch))
    const { files, patched } = yield* planPatch(changes, maxBytes)
    if (!dryRun) yield* commitPatch(files)
    return { files: patched, dryRun }
  })
