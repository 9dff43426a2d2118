/**
 * Replaces exact pieces of text in a file, all or none, and answers with a unified diff.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { createTwoFilesPatch } from "diff"
import { isSameBytes } from "../base/bytes.ts"
import { FileEditError } from "./FileEditError.ts"
import type { FileFault } from "./FileFault.ts"
import { Files } from "./Files.ts"
import { decodeFileText } from "./FileText.ts"

export { FileEditError } from "./FileEditError.ts"

/** One replacement. */
export interface Replacement {
  /** The text to replace, exactly as it is in the file; it must occur exactly once. */
  readonly oldText: string
  /** The replacement. */
  readonly newText: string
  /** Whether every occurrence is replaced. Default: `false`. */
  readonly replaceAll?: boolean | undefined
}

/** A text after its replacements. */
export interface EditedText {
  /** The text with the edits. */
  readonly text: string
  /** Number of places that were replaced. */
  readonly replacements: number
  /** A unified diff with three lines of context; empty where more than 4,000 lines are removed and added. */
  readonly diff: string
}

const maxPlaces = 20

/** Default maximum size of an edited file: its text, and the text with the edits, are held in memory. */
const defaultMaxBytes = 256 * 1024 * 1024

/** Maximum number of lines that a diff removes and adds: its time grows with their square. */
const maxChangedLines = 4_000

const lineAt = (text: string, offset: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}

const placesOf = (text: string, wanted: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  for (let at = text.indexOf(wanted); at >= 0 && places.length <= maxPlaces; at = text.indexOf(wanted, at + 1)) {
    places.push(at)
  }
  return places
}

const withCrlf = (part: string): string => part.includes("\r") ? part : part.replaceAll("\n", "\r\n")

/**
 * A replacement with the line ends of the text: those of most lines, or the other kind if the text to replace occurs
 * only with that.
 */
const fitLineEnds = (
  text: string,
  { newText, oldText }: Replacement,
  newline: "\n" | "\r\n",
): readonly [oldText: string, newText: string] => {
  const [plain, crlf] = [[oldText, newText], [withCrlf(oldText), withCrlf(newText)]] as const
  const [first, second] = newline === "\n" ? [plain, crlf] : [crlf, plain]
  return first[0] !== second[0] && !text.includes(first[0]) && text.includes(second[0]) ? second : first
}

/** The line of a text that begins like the wanted text, apart from white space. */
const nearestLine = (text: string, wanted: string): number | undefined => {
  const first = wanted.split("\n").map((line) => line.trim()).find((line) => line !== "")
  if (first === undefined) return undefined
  const index = text.split("\n").findIndex((line) => line.trim() === first || line.includes(first))
  return index < 0 ? undefined : index + 1
}

const refuse = (
  path: string,
  tag: FileEditError["reason"]["_tag"],
  index: number,
  what: string,
  lines: ReadonlyArray<number> = [],
): Result.Result<never, FileEditError> =>
  Result.fail(
    new FileEditError({
      reason: { _tag: tag },
      index,
      lines,
      message: `edit ${path}: replacement ${index + 1}: ${what}`,
    }),
  )

/**
 * Makes replacements in a text, one after the other. In a text with CRLF line ends, LF in a replacement stands for CRLF; where
 * both are in the text, `newline` is tried first.
 *
 * @example
 * ```ts
 * import { FileEdit } from "@sluice/shell/files"
 * import { Result } from "effect"
 *
 * const edited = FileEdit.editText("a.ts", "let a = 1\n", [{ oldText: "let", newText: "const" }])
 * console.log(Result.getOrThrow(edited).text) // const a = 1
 * ```
 */
export const editText = (
  path: string,
  text: string,
  replacements: ReadonlyArray<Replacement>,
  newline: "\n" | "\r\n" = "\n",
): Result.Result<EditedText, FileEditError> => {
  let edited = text
  let count = 0
  for (const [index, { replaceAll = false, ...replacement }] of replacements.entries()) {
    const [oldText, newText] = fitLineEnds(edited, replacement, newline)
    if (oldText === "") return refuse(path, "Empty", index, "oldText is empty; give the text to replace")
    if (oldText === newText) return refuse(path, "NoChange", index, "oldText and newText are the same")
    const places = placesOf(edited, oldText)
    if (places.length === 0) {
      const near = nearestLine(edited, oldText)
      const hint = near === undefined
        ? "read the file again"
        : `line ${near} starts the same way: compare its white space`
      return refuse(path, "NotFound", index, `oldText is not in the file; ${hint}`, near === undefined ? [] : [near])
    }
    if (places.length > 1 && !replaceAll) {
      const lines = places.slice(0, maxPlaces).map((at) => lineAt(edited, at))
      const isMore = places.length > maxPlaces
      const where = `${isMore ? "more than " : ""}${lines.length} times, in lines ${lines.join(", ")}${
        isMore ? ", …" : ""
      }`
      const what = `oldText occurs ${where}; add lines around it, or set replaceAll`
      return refuse(path, "Ambiguous", index, what, lines)
    }
    const parts = edited.split(oldText)
    edited = parts.join(newText)
    count += parts.length - 1
  }
  const options = { context: 3, maxEditLength: maxChangedLines }
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, text, edited, undefined, undefined, options) ?? ""
  // As git writes it: patch(1) accepts a name with a blank only if a tab ends the name.
  const diff = patch.replace(/^=+\n/, "").replace(/^(--- .* .*)\n(.*)/, "$1\t\n$2\t")
  return Result.succeed({ text: edited, replacements: count, diff })
}

/** Options of {@link edit}. */
export interface EditOptions {
  /** Maximum bytes of the file that are held in memory. Default: 256 MiB. */
  readonly maxBytes?: number | undefined
}

/**
 * Makes replacements in a file: all, or none. Its encoding, byte order mark and line ends stay. Fails with `Changed` when
 * another process has changed the file meanwhile.
 *
 * @example
 * ```ts
 * import { FileEdit, Files, MemoryFileSystem } from "@sluice/shell/files"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Files.write("a.ts", "let a = 1\nlet b = 2\n")
 *   return yield* FileEdit.edit("a.ts", [{ oldText: "let b", newText: "const b" }])
 * })
 * const { diff } = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
 * console.log(diff.includes("-let b = 2\n+const b = 2")) // true
 * ```
 */
export const edit = (
  path: string,
  replacements: ReadonlyArray<Replacement>,
  { maxBytes = defaultMaxBytes }: EditOptions = {},
): Effect.Effect<EditedText, FileFault | FileEditError, Files> =>
  Effect.gen(function* () {
    const before = yield* Files.read(path, { maxBytes })
    const file = decodeFileText(before)
    // The byte order mark is in the diff, as in git's.
    const edited = yield* Effect.fromResult(editText(path, file.mark + file.text, replacements, file.newline))
    const now = yield* Files.read(path, { length: before.length + 1, maxBytes: before.length + 1 })
    if (!isSameBytes(now, before)) {
      return yield* Effect.fail(
        new FileEditError({
          reason: { _tag: "Changed" },
          index: 0,
          lines: [],
          message: `edit ${path}: the file was changed meanwhile; read it again`,
        }),
      )
    }
    yield* Files.write(path, file.encode(edited.text), { createMode: "ReplaceExisting" })
    return edited
  })
