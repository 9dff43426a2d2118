/** The built-in spells that search files and apply patches. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { defined } from "../../base/defined.ts"
import { FileFault } from "../../files/FileFault.ts"
import * as FilePatch from "../../files/FilePatch.ts"
import type { Files } from "../../files/Files.ts"
import * as FileSearch from "../../files/FileSearch.ts"
import { make, type Spell } from "../Spell.ts"
import * as SpellRoute from "../SpellRoute.ts"
import { MatchText } from "./MatchText.ts"
import { flag, optionalText, optionalTexts, text } from "./commandParameters.ts"

const between = (from: number, to: number) => Schema.Int.check(Schema.isBetween({ minimum: from, maximum: to }))

/** Matching lines of one answer: the maximum, and the default. */
const maxMatches = 1_000
const defaultMatches = 200

/** UTF-16 units of one answer. */
const maxLength = 48_000

const Found = Schema.Struct({
  text: Schema.String,
  matches: Schema.Int,
  files: Schema.Int,
  hasMore: Schema.optionalKey(Schema.String),
})

const why: Readonly<Record<NonNullable<FileSearch.FileSearchEnd["limit"]>, string>> = {
  matches: "there are more matches; search a folder below, or with a narrower pattern",
  files: "there are more files; search a folder below, or with a narrower pattern",
  time: "timed out before all files were searched; search a folder below, or with globs",
}

const listFiles = (options: FileSearch.FindOptions, most: number) =>
  Effect.map(Stream.runCollect(Stream.take(FileSearch.find(options), most + 1)), (found): typeof Found.Type => {
    const shown = new MatchText(maxLength)
    const fits = found.slice(0, most).filter(({ path }) => shown.addLine(path))
    return {
      text: shown.text,
      matches: fits.length,
      files: fits.length,
      ...(found.length > fits.length ? { hasMore: why.files } : undefined),
    }
  })

const searchLines = (pattern: string, options: FileSearch.SearchOptions) =>
  Effect.suspend(() => {
    const shown = new MatchText(maxLength)
    let [matches, files] = [0, 0]
    let path = ""
    let hasMore: string | undefined
    return FileSearch.search(pattern, options).pipe(
      Stream.takeUntil((event) => {
        if (event._tag === "FileSearchEnd") hasMore = event.limit && why[event.limit]
        else if (!shown.addMatch(event)) hasMore = why.matches
        else {
          matches++
          if (event.path !== path) files++
          path = event.path
        }
        return hasMore !== undefined
      }),
      Stream.runDrain,
      Effect.map((): typeof Found.Type => ({
        text: shown.text,
        matches,
        files,
        ...defined({ hasMore }),
      })),
    )
  })

/**
 * Searches files by name and by content.
 *
 * @example
 * ```ts
 * import { Files, MemoryFileSystem } from "@sluice/shell/files"
 * import { searchFiles, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const book = Spellbook.make(searchFiles)
 * const program = Effect.gen(function* () {
 *   yield* Files.write("src/a.ts", "let a = 1\n")
 *   return yield* Spellbook.cast(book, "search_files", { pattern: "let \\w" })
 * })
 * const found = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
 * console.log(JSON.stringify(found)) // {"text":"src/a.ts\n1:let a = 1","matches":1,"files":1}
 * ```
 */
export const searchFiles: Spell<"search_files", Files> = make({
  name: "search_files",
  description:
    "Searches files for lines that match a regular expression (RE2 syntax), or without pattern lists files by name. Obeys " +
    ".gitignore. Answers with the lines below the path of their file: LINE:TEXT for a match, LINE-TEXT for its context.",
  parameters: Schema.Struct({
    pattern: optionalText("Regular expression to find in lines. Leave out to list files"),
    path: optionalText("Folder or file to search. Default: everything"),
    globs: optionalTexts("Only paths that match one, such as *.ts; !*.md leaves out"),
    literal: flag("Take the pattern as text. Default: false"),
    ignoreCase: flag("Ignore upper and lower case. Default: false"),
    hidden: flag("Search names that begin with a dot too. Default: false"),
    context: Schema.optionalKey(between(0, 20).annotate({ description: "Lines around each match. Default: 0" })),
    maxMatches: Schema.optionalKey(
      between(1, maxMatches).annotate({ description: `Maximum number of matches. Default: ${defaultMatches}` }),
    ),
  }),
  success: Found,
  failure: Schema.Union([FileFault, FileSearch.FileSearchError]),
  readOnly: true,
  targets: ({ path = "" }) => [{ _tag: "Path", path, recursive: true }],
  routes: [SpellRoute.files("FileList", "FileRead", "FileStat")],
  cast: ({ maxMatches: most = defaultMatches, pattern, ...options }) =>
    pattern === undefined
      ? listFiles(options, maxMatches)
      : searchLines(pattern, { ...options, maxMatches: most, maxLineLength: 16_384 }),
})

/**
 * Applies a patch to files, all or none.
 *
 * @example
 * ```ts
 * import { Files, MemoryFileSystem } from "@sluice/shell/files"
 * import { applyPatch, Spellbook } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const book = Spellbook.make(applyPatch)
 * const patch = "*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch"
 * const program = Effect.andThen(Spellbook.cast(book, "apply_patch", { patch }), Files.readText("a.txt"))
 * console.log(await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))) // hello
 * ```
 */
export const applyPatch: Spell<"apply_patch", Files> = make({
  name: "apply_patch",
  description:
    "Applies a patch to one or more files: all of it, or nothing. The patch is a unified diff, or begins with " +
    "*** Begin Patch, then *** Add File: PATH with + lines, *** Update File: PATH with @@ sections of lines that begin with " +
    "a space, - or +, or *** Delete File: PATH, and ends with *** End Patch.",
  parameters: Schema.Struct({
    patch: text("The patch, with three lines of context around each change"),
    dryRun: flag("Check only, and change nothing. Default: false"),
  }),
  success: Schema.Struct({
    files: Schema.Array(Schema.Struct({
      change: Schema.Literals(["added", "updated", "deleted", "moved", "copied"]),
      path: Schema.String,
      movedTo: Schema.optionalKey(Schema.String),
      addedLines: Schema.Int,
      removedLines: Schema.Int,
      fuzz: Schema.Int,
    })),
  }),
  failure: Schema.Union([FileFault, FilePatch.FilePatchError]),
  targets: ({ patch }) =>
    Result.getOrElse(FilePatch.parse(patch), () => []).flatMap(({ movedTo, path }) =>
      [path, ...(movedTo === undefined ? [] : [movedTo])].map((path) => ({ _tag: "Path" as const, path }))
    ),
  routes: [SpellRoute.files("FileRead", "FileStat", "FileWrite", "FileDelete")],
  cast: ({ dryRun, patch }) =>
    Effect.map(FilePatch.apply(patch, { dryRun }), ({ files }) => ({
      files: files.map(({ movedTo, ...file }) => ({ ...file, ...defined({ movedTo }) })),
    })),
})
