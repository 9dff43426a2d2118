/** The built-in spells on files: read, write, edit, list, delete. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { FileFault } from "../../files/FileFault.ts"
import * as FileEdit from "../../files/FileEdit.ts"
import { Files } from "../../files/Files.ts"
import { make, type Spell } from "../Spell.ts"
import * as SpellRoute from "../SpellRoute.ts"
import type { SpellTarget } from "../SpellTarget.ts"
import { shapeOutput } from "../shapeOutput.ts"
import { NotText, readLines } from "./readLines.ts"
import { flag, optionalText, text } from "./commandParameters.ts"

const Path = text("Path from the root of the workspace, with forward slashes")
const Line = Schema.Int.check(Schema.isGreaterThan(0))
const touched = (
  { path, recursive }: { readonly path: string; readonly recursive?: boolean },
): ReadonlyArray<SpellTarget> => [{ _tag: "Path", path, recursive }]

/** Lines and UTF-16 units of one answer. */
const maxLines = 2_000
const maxLength = 64_000
const maxEntries = 1_000

/** UTF-16 units of a diff. */
const maxDiffLength = 16_384

/**
 * Reads lines of a text file.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { readFile, writeFile, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const book = Spellbook.make(readFile, writeFile)
 * const program = Effect.gen(function* () {
 *   yield* Spellbook.cast(book, "write_file", { path: "a.txt", content: "one\ntwo\n" })
 *   return yield* Spellbook.cast(book, "read_file", { path: "a.txt", firstLine: 2 })
 * })
 * const result = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
 * console.log(JSON.stringify(result) === JSON.stringify({ text: "     2\ttwo", totalLines: 2 })) // true
 * ```
 */
export const readFile: Spell<"read_file", Files> = make({
  name: "read_file",
  description: "Reads a text file. Answers with numbered lines, at most 2,000 at once; nextLine says where to read on.",
  parameters: Schema.Struct({
    path: Path,
    firstLine: Schema.optionalKey(Line.annotate({ description: "Line to begin with, from 1. Default: 1" })),
    maxLines: Schema.optionalKey(Line.annotate({ description: "Maximum number of lines. Default: 2000" })),
  }),
  success: Schema.Struct({
    text: Schema.String,
    totalLines: Schema.Int,
    nextLine: Schema.optionalKey(Schema.Int),
  }),
  failure: Schema.Union([FileFault, NotText]),
  targets: touched,
  readOnly: true,
  routes: [SpellRoute.files("FileRead")],
  cast: ({ firstLine = 1, maxLines: wanted = maxLines, path }) =>
    Effect.map(
      readLines(path, firstLine, Math.min(wanted, maxLines), maxLength),
      ({ nextLine, ...lines }) => nextLine === undefined ? lines : { ...lines, nextLine },
    ),
})

/**
 * Writes a whole file.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { writeFile, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const call = Spellbook.cast(Spellbook.make(writeFile), "write_file", { path: "src/a.txt", content: "hello" })
 * const result = await Effect.runPromise(Effect.provide(call, MemoryFileSystem.layer))
 * console.log(JSON.stringify(result)) // {"path":"src/a.txt","bytesWritten":5}
 * ```
 */
export const writeFile: Spell<"write_file", Files> = make({
  name: "write_file",
  description: "Writes a whole text file, and makes missing folders. To change a part of a file use edit_file.",
  parameters: Schema.Struct({
    path: Path,
    content: Schema.String,
    append: flag("Add to the end instead of replacing. Default: false"),
  }),
  success: Schema.Struct({ path: Schema.String, bytesWritten: Schema.Int }),
  failure: FileFault,
  targets: touched,
  routes: [SpellRoute.files("FileWrite")],
  cast: ({ append = false, content, path }) =>
    Effect.map(
      Files.write(path, content, { createMode: append ? "CreateOrAppend" : "CreateOrReplace" }),
      ({ bytesWritten }) => ({ path, bytesWritten }),
    ),
})

/**
 * Replaces exact pieces of text in a file.
 *
 * @example
 * ```ts
 * import { Files, MemoryFileSystem } from "@sluice/shell/files"
 * import { editFile, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Files.write("a.ts", "let a = 1\n")
 *   const edits = [{ oldText: "let", newText: "const" }]
 *   yield* Spellbook.cast(Spellbook.make(editFile), "edit_file", { path: "a.ts", edits })
 *   return yield* Files.readText("a.ts")
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))) // const a = 1
 * ```
 */
export const editFile: Spell<"edit_file", Files> = make({
  name: "edit_file",
  description: "Replaces exact pieces of text in a file: all of them, or none. Each oldText must occur exactly once, " +
    "including its white space; add surrounding lines to make it unique. Answers with a diff.",
  parameters: Schema.Struct({
    path: Path,
    edits: Schema.NonEmptyArray(Schema.Struct({
      oldText: text("Text to replace, exactly as it is in the file"),
      newText: text("Text to put in its place"),
      replaceAll: flag("Replace it everywhere. Default: false"),
    })),
  }),
  success: Schema.Struct({ replacements: Schema.Int, diff: Schema.String }),
  failure: Schema.Union([FileFault, FileEdit.FileEditError]),
  targets: touched,
  routes: [SpellRoute.files("FileRead", "FileWrite")],
  cast: ({ edits, path }) =>
    Effect.map(FileEdit.edit(path, edits), ({ diff, replacements }) => ({
      replacements,
      diff: shapeOutput(diff, maxDiffLength, (omitted) => `${omitted} characters left out`).text,
    })),
})

/**
 * Lists a folder.
 *
 * @example
 * ```ts
 * import { Files, MemoryFileSystem } from "@sluice/shell/files"
 * import { listDirectory, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Files.write("src/a.ts", "")
 *   return yield* Spellbook.cast(Spellbook.make(listDirectory), "list_directory", { path: "", recursive: true })
 * })
 * const result = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
 * console.log(JSON.stringify(result)) // {"entries":["src/","src/a.ts"]}
 * ```
 */
export const listDirectory: Spell<"list_directory", Files> = make({
  name: "list_directory",
  description: "Lists a folder, at most 1,000 entries. Folders end with a slash.",
  parameters: Schema.Struct({
    path: Path,
    recursive: flag("List folders below it as well. Default: false"),
    pattern: optionalText("Only paths that match a glob, such as *.ts or src/**/*.md"),
  }),
  success: Schema.Struct({ entries: Schema.Array(Schema.String), hasMore: Schema.optionalKey(Schema.Boolean) }),
  failure: FileFault,
  targets: touched,
  readOnly: true,
  routes: [SpellRoute.files("FileList")],
  cast: ({ path, ...options }) =>
    Files.list(path, options).pipe(
      Stream.take(maxEntries + 1),
      Stream.map((entry) => `${entry.path}${entry.isDirectory ? "/" : ""}`),
      Stream.runCollect,
      Effect.map((entries) =>
        entries.length > maxEntries ? { entries: entries.slice(0, maxEntries), hasMore: true } : { entries }
      ),
    ),
})

/**
 * Deletes a file or a folder.
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { deleteFile, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const call = Spellbook.cast(Spellbook.make(deleteFile), "delete_file", { path: "none.txt" })
 * const fault = await Effect.runPromise(Effect.flip(Effect.provide(call, MemoryFileSystem.layer)))
 * console.log(fault.message) // delete_file: delete none.txt: there is nothing at this path…
 * ```
 */
export const deleteFile: Spell<"delete_file", Files> = make({
  name: "delete_file",
  description: "Deletes a file, or a folder.",
  parameters: Schema.Struct({ path: Path, recursive: flag("Delete a folder with everything in it. Default: false") }),
  success: Schema.Struct({ deletedCount: Schema.Int }),
  failure: FileFault,
  targets: touched,
  idempotent: true,
  routes: [SpellRoute.files("FileDelete")],
  cast: ({ path, recursive }) =>
    Effect.map(Files.delete(path, { recursive }), ({ deletedCount }) => ({ deletedCount })),
})
