/** Declares the file changes of a patch in either format. */
import type * as Result from "effect/Result"
import type { FilePatchError } from "./FilePatchError.ts"

/** A text after a patch. */
export interface PatchedText {
  readonly text: string
  /** The deviation of the matched lines from the patch: 0 is exact, 1 white space at line ends, 100 indentation. */
  readonly fuzz: number
}

/**
 * A change of one file. `line` is its first line in the patch; `addedLines` and `removedLines` count its lines, except
 * those of a deleted file, which a patch may leave out.
 */
export interface PatchChange {
  /** The change of the file at `path`; a copy leaves it unchanged. */
  readonly change: "added" | "updated" | "deleted" | "moved" | "copied"
  /** The path of the file before the patch. */
  readonly path: string
  /** Target of a move or a copy. */
  readonly movedTo?: string | undefined
  /** Its first line in the patch, from 1. */
  readonly line: number
  readonly addedLines: number
  readonly removedLines: number
  /** The new text of the file; its old text is empty where it is added. */
  readonly patchText: (text: string, newline: "\n" | "\r\n") => Result.Result<PatchedText, FilePatchError>
}
