/** Plans a patch: reads the files that it changes and makes their new contents, without writing any. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { emptyBytes } from "../base/bytes.ts"
import type { PatchChange, PatchedText } from "./PatchChange.ts"
import type { FileFault } from "./FileFault.ts"
import { type FilePatchError, patchError } from "./FilePatchError.ts"
import { parsePath } from "./FilePath.ts"
import { Files } from "./Files.ts"
import { decodeFileText, type FileText } from "./FileText.ts"

/** A file before and after a patch; `undefined` where there is none. */
export interface PlannedFile {
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array | undefined
  /** The permissions of a deleted, moved or copied file, for the file that is recreated. */
  readonly permissions?: number | undefined
}

/** The change of a file by a patch, done or planned. */
export interface PatchedFile {
  readonly change: PatchChange["change"]
  /** The path of the file before the patch. */
  readonly path: string
  /** Target of a move or a copy. */
  readonly movedTo?: string | undefined
  readonly addedLines: number
  readonly removedLines: number
  /** The deviation of the matched lines from the patch: 0 is exact, 1 white space at line ends, 100 indentation. */
  readonly fuzz: number
}

export interface PatchPlan {
  readonly files: ReadonlyMap<string, PlannedFile>
  readonly patched: ReadonlyArray<PatchedFile>
}

/** Normalizes the spellings of a path; an invalid path stays unchanged, so that the leaf reports the fault. */
const canonical = (path: string): string =>
  Result.getOrElse(Result.map(parsePath(path), (names) => names.join("/")), () => path)

const countLines = (text: string): number => text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0)

/** Patches a text. Git's diffs have the byte order mark in the first line; diffs that models write do not. */
const patchMarked = (
  { patchText }: PatchChange,
  { mark, newline, text }: FileText,
): Result.Result<PatchedText, FilePatchError> => {
  const plain = Result.map(patchText(text, newline), (patched) => ({ ...patched, text: mark + patched.text }))
  if (mark === "" || Result.isSuccess(plain)) return plain
  return Result.orElse(patchText(mark + text, newline), () => plain)
}

export const planPatch = (
  changes: ReadonlyArray<PatchChange>,
  maxBytes: number,
): Effect.Effect<PatchPlan, FileFault | FilePatchError, Files> =>
  Effect.gen(function* () {
    const files = new Map<string, PlannedFile>()
    const patched: Array<PatchedFile> = []
    let held = 0

    const hold = ({ line, path }: PatchChange, bytes: number): Effect.Effect<void, FilePatchError> => {
      held += bytes
      const what = `the files of the patch have more than ${maxBytes} bytes together; apply it in parts`
      return held > maxBytes ? Effect.fail(patchError("TooLarge", line, path, what)) : Effect.void
    }

    const fileAt = (
      change: PatchChange,
      path: string,
    ): Effect.Effect<PlannedFile, FileFault | FilePatchError, Files> =>
      Effect.gen(function* () {
        const planned = files.get(path)
        if (planned !== undefined) return planned
        const before = yield* Files.read(path, { maxBytes }).pipe(
          Effect.catchIf(({ faultKind }) => faultKind === "NotFound", () => Effect.undefined),
        )
        yield* hold(change, before?.length ?? 0)
        const isMade = before !== undefined && change.change !== "updated"
        const bits = isMade ? (yield* Files.stat(path)).permissions : undefined
        const file = { before, after: before, permissions: bits === undefined ? undefined : bits & 0o777 }
        files.set(path, file)
        return file
      })

    const put = (path: string, after: Uint8Array | undefined, from = files.get(path)): void => {
      files.set(path, { before: files.get(path)?.before, after, permissions: from?.permissions })
    }

    for (const change of changes) {
      const { addedLines, line, removedLines } = change
      const path = canonical(change.path)
      const target = change.movedTo === undefined ? undefined : canonical(change.movedTo)
      const source = yield* fileAt(change, path)
      // Git moves or copies the file as it was before the patch, even if the patch also changes that file.
      const content = target === undefined ? source.after : source.before
      if (change.change === "added" ? content !== undefined : content === undefined) {
        const error = content === undefined
          ? patchError("Missing", line, path, "there is no such file; list its folder")
          : patchError("Exists", line, path, "the patch adds it, and it exists already; update it instead")
        return yield* Effect.fail(error)
      }
      if (target !== undefined && (yield* fileAt(change, target)).after !== undefined) {
        return yield* Effect.fail(
          patchError("Exists", line, target, `${path} is moved or copied there, but the file exists already`),
        )
      }
      const file = decodeFileText(content ?? emptyBytes)
      const { fuzz, text } = yield* Effect.fromResult(patchMarked(change, file))
      const after = text === file.mark + file.text && content !== undefined ? content : file.encode(text)
      yield* hold(change, after.length)
      if (change.change === "deleted") put(path, undefined)
      else put(target ?? path, after, source)
      if (change.change === "moved") put(path, undefined)
      patched.push({
        change: change.change,
        path,
        ...(target === undefined ? undefined : { movedTo: target }),
        addedLines,
        removedLines: change.change === "deleted" ? countLines(file.text) : removedLines,
        fuzz,
      })
    }
    return { files, patched }
  })
