/**
 * Plans a patch: reads the files that it changes and makes their new contents, without writing any.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { emptyBytes } from "../base/bytes.ts"
import type { PatchChange } from "./PatchChange.ts"
import type { FileFault } from "./FileFault.ts"
import { type FilePatchError, patchError } from "./FilePatchError.ts"
import { parsePath } from "./FilePath.ts"
import { Files } from "./Files.ts"
import { decodeFileText } from "./FileText.ts"

/** A file before and after a patch; `undefined` where there is none. */
export interface PlannedFile {
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array | undefined
}

/**
 * What a patch did to a file, or would do.
 *
 * @stability experimental
 */
export interface PatchedFile {
  /** What was done. */
  readonly change: PatchChange["change"]
  /** The path of the file before the patch. */
  readonly path: string
  /** Where it was moved or copied to. */
  readonly movedTo?: string | undefined
  /** Number of lines that the patch adds. */
  readonly addedLines: number
  /** Number of lines that the patch removes. */
  readonly removedLines: number
  /** How far the places were from what the patch says: 0 is exact, 1 white space at line ends, 100 indentation. */
  readonly fuzz: number
}

/** A patch that fits. */
export interface PatchPlan {
  readonly files: ReadonlyMap<string, PlannedFile>
  readonly patched: ReadonlyArray<PatchedFile>
}

/** One name for the spellings of a path; a path that cannot be used stays, for the fault of the leaf. */
const canonical = (path: string): string =>
  Result.getOrElse(Result.map(parsePath(path), (names) => names.join("/")), () => path)

const countLines = (text: string): number => text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0)

/** Makes the contents of all files of a patch; `maxBytes` bounds what it holds of them. */
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

    /** The bytes of a file as the changes so far leave it. */
    const contentOf = (
      change: PatchChange,
      path: string,
    ): Effect.Effect<Uint8Array | undefined, FileFault | FilePatchError, Files> =>
      Effect.gen(function* () {
        const planned = files.get(path)
        if (planned !== undefined) return planned.after
        const before = yield* Files.read(path, { maxBytes }).pipe(
          Effect.catchIf(({ faultKind }) => faultKind === "NotFound", () => Effect.succeed(undefined)),
        )
        yield* hold(change, before?.length ?? 0)
        files.set(path, { before, after: before })
        return before
      })

    const put = (path: string, after: Uint8Array | undefined): void => {
      files.set(path, { before: files.get(path)?.before, after })
    }

    for (const change of changes) {
      const { addedLines, line, removedLines } = change
      const path = canonical(change.path)
      const target = change.movedTo === undefined ? undefined : canonical(change.movedTo)
      const content = yield* contentOf(change, path)
      if (change.change === "added" ? content !== undefined : content === undefined) {
        const error = content === undefined
          ? patchError("Missing", line, path, "there is no such file; list its folder to see what is there")
          : patchError("Exists", line, path, "the patch adds it, and it is there already; update it instead")
        return yield* Effect.fail(error)
      }
      if (target !== undefined && (yield* contentOf(change, target)) !== undefined) {
        return yield* Effect.fail(patchError("Exists", line, target, `${path} goes there, and there is a file already`))
      }
      const file = decodeFileText(content ?? emptyBytes)
      const { fuzz, text } = yield* Effect.fromResult(change.patchText(file.text, file.newline))
      const after = text === file.text && content !== undefined ? content : file.encode(text)
      yield* hold(change, after.length)
      if (change.change === "deleted") put(path, undefined)
      else put(target ?? path, after)
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
