/**
 * Parses unified diffs, as diff(1), git and svn write them, into changes of files.
 *
 * npm `diff` parses and applies; this file adds line numbers of the patch, the line ends of the file, and git's extended
 * headers: new, deleted, moved and copied files.
 */
import { applyPatch, parsePatch, type StructuredPatch, type StructuredPatchHunk } from "diff"
import * as Result from "effect/Result"
import { errorMessage } from "../base/errorMessage.ts"
import type { PatchChange, PatchedText } from "./PatchChange.ts"
import { type FilePatchError, patchError } from "./FilePatchError.ts"

type Hunks = ReadonlyArray<StructuredPatchHunk>

const nothing = "/dev/null"

const isMarker = (line: string | undefined): boolean => line?.startsWith("\\") === true

/**
 * The signature below a mail of `git format-patch`. It looks like a removed line, and a removed line may look like a
 * signature.
 */
const signature = /\n-- \n[^\n]*\n*$/

const namesOf = ({ isGit, newFileName = "", oldFileName = "" }: StructuredPatch): readonly [string, string] => {
  const isPrefixed = isGit === true ||
    ((oldFileName.startsWith("a/") || oldFileName === nothing) &&
      (newFileName.startsWith("b/") || newFileName === nothing))
  const plain = (name: string): string => isPrefixed && name !== nothing ? name.replace(/^[ab]\//, "") : name
  return [plain(oldFileName), plain(newFileName)]
}

const hunkHeader = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

/**
 * Puts names that begin or end with a blank in quotes, as GNU diff does: npm `diff` trims others. git and diff end a name that
 * has a blank with a tab. Lines of hunks, which may look like names, are counted off.
 */
const quoteNames = (source: string): string => {
  if (!/^(?:---|\+\+\+) (?: |[^\t\n]* \t)/m.test(source)) return source
  let [oldLines, newLines] = [0, 0]
  return source.split("\n").map((line) => {
    if (oldLines > 0 || newLines > 0) {
      if (isMarker(line)) return line
      if (!line.startsWith("+")) oldLines--
      if (!line.startsWith("-")) newLines--
      return line
    }
    const hunk = hunkHeader.exec(line)
    if (hunk !== null) [oldLines, newLines] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)]
    const [, sign = "", name = "", rest = ""] = /^(---|\+\+\+) ([^\t"][^\t]*)(\t[\s\S]*)$/.exec(line) ?? []
    return name === name.trim() ? line : `${sign} "${name.replace(/["\\]/g, "\\$&")}"${rest}`
  }).join("\n")
}

const withCrlf = (hunks: Hunks): Hunks =>
  hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line, index) => isMarker(line) || isMarker(hunk.lines[index + 1]) ? line : `${line}\r`),
  }))

const withoutMarkers = (hunks: Hunks): Hunks =>
  hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.filter((line) => !isMarker(line)) }))

/**
 * Hunks in the order of their lines, none before the end of another: `applyPatch` requires this order, and repeats lines of
 * the file otherwise. With wrong numbers, only the start of the search for a hunk changes.
 */
const inOrder = <Hunk extends StructuredPatchHunk>(hunks: ReadonlyArray<Hunk>): ReadonlyArray<Hunk> => {
  let end = 0
  return hunks.toSorted((a, b) => a.oldStart - b.oldStart).map((hunk) => {
    const oldStart = Math.max(hunk.oldStart, end)
    end = oldStart + hunk.oldLines
    return { ...hunk, oldStart }
  })
}

/** Maximum number of line comparisons for one change, all attempts together: a hunk is tried at every line. */
const maxComparisons = 50_000_000

class TooManyComparisons extends Error {}

class HunkApplier {
  #left: number = maxComparisons

  apply(text: string, hunks: Hunks): string | undefined {
    const patch = { oldFileName: "a", newFileName: "b", oldHeader: "", newHeader: "", hunks: [...hunks] }
    const compareLine = (_line: number, line: string, _sign: string, content: string): boolean => {
      if (--this.#left < 0) throw new TooManyComparisons()
      return line === content
    }
    const patched = applyPatch(text, patch, { autoConvertLineEndings: false, compareLine })
    return patched === false ? undefined : patched
  }
}

/** Applies hunks exactly, or to a file that differs in its line ends or in the newline at its end, which then stay. */
const patchText = (
  applier: HunkApplier,
  text: string,
  hunks: Hunks,
  newline: "\n" | "\r\n",
): PatchedText | undefined => {
  const convert = newline === "\r\n" && !hunks.some(({ lines }) => lines.some((line) => line.endsWith("\r")))
  const hasOldLines = hunks.some(({ lines }) => lines.some((line) => !line.startsWith("+") && !isMarker(line)))
  const exact = convert && !hasOldLines ? undefined : applier.apply(text, hunks)
  if (exact !== undefined) return { text: exact, fuzz: 0 }
  const native = convert ? withCrlf(hunks) : hunks
  const converted = convert ? applier.apply(text, native) : undefined
  if (converted !== undefined) return { text: converted, fuzz: 0 }
  const isCut = text !== "" && !text.endsWith("\n")
  const whole = applier.apply(
    isCut ? text + newline : text,
    convert ? withCrlf(withoutMarkers(hunks)) : withoutMarkers(hunks),
  )
  if (whole === undefined) return undefined
  return { text: isCut && whole.endsWith(newline) ? whole.slice(0, -newline.length) : whole, fuzz: 1 }
}

const firstConflict = (applier: HunkApplier, text: string, hunks: Hunks, newline: "\n" | "\r\n"): number => {
  // The number of leading hunks that fit, found by bisection: if some hunks do not fit, more of them do not either.
  let [fitting, conflicting] = [0, hunks.length]
  while (conflicting - fitting > 1) {
    const count = Math.floor((fitting + conflicting) / 2)
    if (patchText(applier, text, hunks.slice(0, count), newline) === undefined) conflicting = count
    else fitting = count
  }
  return fitting
}

const countLines = (hunks: Hunks, sign: "+" | "-"): number =>
  hunks.reduce((count, { lines }) => count + lines.filter((line) => line.startsWith(sign)).length, 0)

const unsupported = (patch: StructuredPatch): string | undefined => {
  if (patch.isBinary === true) return "it changes a binary file; write the file instead"
  if (patch.newMode?.startsWith("12") === true) return "it makes a symbolic link"
  return patch.hunks.length === 0 && patch.oldMode !== undefined && patch.newMode !== undefined && !patch.isRename
    ? "it changes permissions only, which a patch cannot do here"
    : undefined
}

/** Makes the change of one file. `lines` are the lines of its hunks in the patch. */
const toChange = (
  patch: StructuredPatch,
  line: number,
  lines: ReadonlyArray<number>,
): Result.Result<PatchChange, FilePatchError> => {
  const hunks = inOrder(patch.hunks.map((hunk, index) => ({ ...hunk, line: lines[index] ?? line })))
  const [from, to] = namesOf(patch)
  const isAdded = from === nothing || patch.isCreate === true
  const isDeleted = to === nothing || patch.isDelete === true
  const path = isAdded ? to : from
  if (path === "" || path === nothing) {
    const what = 'it names no file; write "--- a/PATH" and "+++ b/PATH" before its hunks'
    return Result.fail(patchError("Syntax", line, undefined, what))
  }
  const why = unsupported(patch)
  if (why !== undefined) return Result.fail(patchError("Unsupported", line, path, why))
  const isMoved = !isAdded && !isDeleted && from !== to
  return Result.succeed({
    change: isAdded
      ? "added"
      : isDeleted
      ? "deleted"
      : patch.isCopy === true
      ? "copied"
      : isMoved
      ? "moved"
      : "updated",
    path,
    movedTo: isMoved ? to : undefined,
    line,
    addedLines: countLines(hunks, "+"),
    removedLines: countLines(hunks, "-"),
    patchText: (text, newline) => {
      const applier = new HunkApplier()
      try {
        const patched = patchText(applier, text, hunks, newline)
        if (patched !== undefined && !(isDeleted && patched.text !== "")) return Result.succeed(patched)
        if (patched !== undefined) {
          return Result.fail(patchError("Conflict", line, path, "the file has lines that the patch does not delete"))
        }
        const index = firstConflict(applier, text, hunks, newline)
        const what = `hunk ${index + 1} of ${hunks.length} does not fit: its lines are not in the file; read it again`
        return Result.fail(patchError("Conflict", hunks[index]?.line ?? line, path, what))
      } catch (error) {
        if (!(error instanceof TooManyComparisons)) throw error
        const what =
          "no place for its hunks was found in time: too many lines of the file are alike; give exact line numbers"
        return Result.fail(patchError("TooLarge", line, path, what))
      }
    },
  })
}

export const parseUnifiedDiff = (text: string): Result.Result<ReadonlyArray<PatchChange>, FilePatchError> => {
  // A diff that was sent with CRLF has it on every line; a diff of files with CRLF has it only on the lines of the
  // files.
  const lines = text.split("\n")
  const isSentWithCrlf = lines.every((line, index) => line.endsWith("\r") || index === lines.length - 1)
  const source = quoteNames(isSentWithCrlf ? text.replaceAll("\r\n", "\n") : text)
  const binary = lines.findIndex((line) => line.startsWith("GIT binary patch"))
  if (binary >= 0) {
    return Result.fail(
      patchError("Unsupported", binary + 1, undefined, "it changes a binary file; write the file instead"),
    )
  }
  const parsePlain = (source: string) =>
    Result.try({
      try: () => parsePatch(source),
      catch: (error) => {
        const what = errorMessage(error)
        return patchError("Syntax", Number(/line (\d+)/.exec(what)?.[1] ?? 0), undefined, what)
      },
    })
  const parsed = parsePlain(source)
  const unsigned = Result.isFailure(parsed) ? parsePlain(source.replace(signature, "\n")) : parsed
  return Result.flatMap(Result.orElse(unsigned, () => parsed), (patches) => {
    const hunkLines = lines.flatMap((line, index) => /^@@\s/.test(line) ? [index + 1] : [])
    const changes: Array<PatchChange> = []
    let hunks = 0
    for (const patch of patches) {
      if (patch.hunks.length === 0 && patch.oldFileName === undefined) continue
      const own = hunkLines.slice(hunks, hunks += patch.hunks.length)
      const change = toChange(patch, own[0] ?? 0, own)
      if (Result.isFailure(change)) return Result.fail(change.failure)
      changes.push(change.success)
    }
    return changes.length > 0
      ? Result.succeed(changes)
      : Result.fail(patchError("Syntax", 1, undefined, "it has no change: no hunk, and no header of git"))
  })
}
