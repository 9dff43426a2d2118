/**
 * Searches the files of the context by name and by content, on any leaf, as a stream in the order of their paths.
 *
 * @module
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import { type DurationInput, durationOf } from "../base/duration.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { countRule, isCount, showValue } from "../base/OptionError.ts"
import type { FileListingEntry } from "./FileEvent.ts"
import type { FileFault } from "./FileFault.ts"
import { FileRead } from "./FileRequest.ts"
import { Files } from "./Files.ts"
import { type FileSearchError, searchError } from "./FileSearchError.ts"
import { compilePattern, type LineMatcher, type PatternOptions } from "./FileSearchMatcher.ts"
import { type FileMatch, FileSearchScanner, type ScanSettings } from "./FileSearchScanner.ts"
import { filterPaths, isSkipped, walkFiles, type WalkSettings } from "./FileSearchWalk.ts"
import { pathMatcher } from "../base/pathMatcher.ts"

export { FileSearchError } from "./FileSearchError.ts"
export type { PatternOptions } from "./FileSearchMatcher.ts"
export type { FileMatch } from "./FileSearchScanner.ts"

/** Selects the files that are searched. */
export interface FindOptions {
  /** The folder or the file to search. Default: the root. */
  readonly path?: string | undefined
  /**
   * Globs of paths below the folder, such as `*.ts` or `src/**`; one that begins with `!` leaves files out. A glob without a
   * slash is matched against names. Default: all files.
   */
  readonly globs?: ReadonlyArray<string> | undefined
  /** Whether to search files and folders whose names begin with a dot; `.git` is never searched. Default: `false`. */
  readonly hidden?: boolean | undefined
  /** Whether to obey the `.gitignore` files of the tree. Default: `true`. */
  readonly gitignore?: boolean | undefined
}

/** Options of {@link search}. */
export interface SearchOptions extends FindOptions, PatternOptions {
  /** Lines before and after each match, at most 100. Default: 0. */
  readonly context?: number | undefined
  /** Maximum number of matching lines. Default: 1,000. */
  readonly maxMatches?: number | undefined
  /** Maximum number of files with matches. Default: 1,000. */
  readonly maxFiles?: number | undefined
  /**
   * Maximum UTF-16 units of a line that are searched and returned; the rest of a longer line is skipped. Default:
   * 65,536.
   */
  readonly maxLineLength?: number | undefined
  /** Maximum duration of the search. Default: 30 seconds. */
  readonly timeout?: DurationInput | undefined
}

/**
 * The end of a search. `limit` is the reason why it ended early: more matches, or files with matches, than requested,
 * or the time limit.
 */
export interface FileSearchEnd {
  /** Distinguishes it from a match. */
  readonly _tag: "FileSearchEnd"
  /** Number of matching lines. */
  readonly matches: number
  /** Number of files with matches. */
  readonly files: number
  /** The reason for which it ended early. */
  readonly limit?: "matches" | "files" | "time" | undefined
}

const limits = {
  context: [0, 100, 0],
  maxMatches: [1, 1_000_000, 1_000],
  maxFiles: [1, 1_000_000, 1_000],
  maxLineLength: [1, 16 * 1024 * 1024, 65_536],
} as const

const limitOf = (options: SearchOptions, name: keyof typeof limits): Effect.Effect<number, FileSearchError> => {
  const [min, max, byDefault] = limits[name]
  const value = options[name] ?? byDefault
  const bounds = { min, max }
  return isCount(value, bounds)
    ? Effect.succeed(value)
    : Effect.fail(searchError("InvalidOption", `${name} must be ${countRule(bounds)}, got ${showValue(value)}`))
}

const timeoutOf = (
  { timeout = "30 seconds" }: SearchOptions,
): Effect.Effect<Duration.Duration, FileSearchError> =>
  Effect.try({
    try: () => durationOf("timeout", timeout),
    catch: (error) => searchError("InvalidOption", errorMessage(error)),
  })

const plainPath = (path: string): string => path.replace(/^(?:\.?\/|\.$)/, "").replace(/\/$/, "")

const walkSettings = ({ gitignore = true, globs = [], hidden = false, path = "" }: FindOptions): WalkSettings => {
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map(pathMatcher)
  const unwanted = globs.filter((glob) => glob.startsWith("!")).map((glob) => pathMatcher(glob.slice(1)))
  return {
    folder: plainPath(path),
    gitignore,
    hidden,
    isMeant: (path) =>
      (wanted.length === 0 || wanted.some((matches) => matches(path))) && !unwanted.some((matches) => matches(path)),
  }
}

/**
 * The files of a tree in the order of their paths, which are from the root. Links are not followed.
 *
 * @example
 * ```ts
 * import { Files, FileSearch, MemoryFileSystem } from "@sluice/shell/files"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Files.write(".gitignore", "dist/\n")
 *   yield* Files.write("dist/a.ts", "")
 *   yield* Files.write("src/a.ts", "")
 *   return yield* FileSearch.find({ globs: ["*.ts"] }).pipe(Stream.runCollect)
 * })
 * const files = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
 * console.log(files.map(({ path }) => path).join()) // src/a.ts
 * ```
 */
export const find = (options: FindOptions = {}): Stream.Stream<FileListingEntry, FileFault, Files> => {
  const settings = walkSettings(options)
  return Stream.unwrap(
    Effect.map(
      Files.stat(settings.folder),
      ({ isDirectory, isSymlink, modified, size }) =>
        isDirectory
          ? walkFiles(settings)
          : Stream.succeed({ path: settings.folder, size, modified, isDirectory, isSymlink }),
    ),
  )
}

/** Number of files that are read concurrently: a server's answers take longer than searching them. */
const readsAtOnce = 4

const scanFile = (
  path: string,
  matcher: LineMatcher,
  settings: ScanSettings,
): Effect.Effect<Stream.Stream<FileMatch, FileFault, Files>, FileFault, Files> =>
  Stream.runHead(Files.request(FileRead.make({ path }))).pipe(
    Effect.map((head) => {
      if (Option.isNone(head) || head.value._tag !== "FileContent") return matchesIn(path, matcher, settings)
      const scanner = new FileSearchScanner(path, matcher, settings)
      const found = [...scanner.push(head.value.content), ...scanner.end()]
      return found.length === 0 ? Stream.empty : Stream.fromArray(found)
    }),
    Effect.catchIf(isSkipped, () => Effect.succeed(Stream.empty)),
  )

const matchesIn = (
  path: string,
  matcher: LineMatcher,
  settings: ScanSettings,
): Stream.Stream<FileMatch, FileFault, Files> =>
  Stream.suspend(() => {
    const scanner = new FileSearchScanner(path, matcher, settings)
    return Files.stream(path).pipe(
      Stream.map((bytes) => scanner.push(bytes)),
      Stream.takeUntil(() => scanner.isBinary),
      Stream.concat(Stream.sync(() => scanner.end())),
      Stream.flattenIterable,
      Stream.catchIf(isSkipped, () => Stream.empty),
    )
  })

/** The paths of the files that may have matches: those that the leaf finds, or all. */
const candidates = (
  pattern: string,
  options: SearchOptions,
): Stream.Stream<string, FileFault, Files> =>
  Stream.unwrap(Effect.gen(function* () {
    const settings = walkSettings(options)
    const { folder } = settings
    const { isDirectory } = yield* Files.stat(folder)
    if (!isDirectory) return Stream.succeed(folder)
    const { findCandidates } = yield* Files
    const { gitignore = true, globs = [], ignoreCase = false, literal = false } = options
    const found = findCandidates === undefined
      ? undefined
      : yield* findCandidates({ folder, pattern, literal, ignoreCase, gitignore, globs })
    return found === undefined ? Stream.map(walkFiles(settings), ({ path }) => path) : filterPaths(found, settings)
  }))

/**
 * The lines that match a pattern, in the order of their paths and lines, then one {@link FileSearchEnd}.
 *
 * The pattern is a regular expression in the syntax of RE2, or text with `literal`; the time grows linearly with the
 * files, whatever the pattern. Binary files (with a NUL in their first 8,000 bytes) and files that cannot be read are
 * left out; UTF-16 is recognized by its byte order mark. Everything is read through `Files`, so paths and permissions
 * are those of the leaf. A leaf with a faster engine, such as `LocalFileSystem.layerWithRipgrep`, finds the same
 * matches.
 *
 * @example
 * ```ts
 * import { Files, FileSearch, MemoryFileSystem } from "@sluice/shell/files"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Files.write("src/a.ts", "const a = 1\nlet b = 2\n")
 *   return yield* FileSearch.search("l.t \\w+").pipe(Stream.runCollect)
 * })
 * const [match, end] = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
 * console.log(match?._tag === "FileMatch" && match.line === 2 && end?._tag) // FileSearchEnd
 * ```
 */
export const search = (
  pattern: string,
  options: SearchOptions = {},
): Stream.Stream<FileMatch | FileSearchEnd, FileFault | FileSearchError, Files> =>
  Stream.unwrap(Effect.gen(function* () {
    const context = yield* limitOf(options, "context")
    const maxLineLength = yield* limitOf(options, "maxLineLength")
    const maxMatches = yield* limitOf(options, "maxMatches")
    const maxFiles = yield* limitOf(options, "maxFiles")
    const timeout = yield* timeoutOf(options)
    if (options.globs !== undefined && !Array.isArray(options.globs)) {
      const what = `globs is ${showValue(options.globs)}; it is a list of globs, such as ["*.ts"]`
      return yield* Effect.fail(searchError("InvalidOption", what))
    }
    const matcher = yield* compilePattern(pattern, options)
    let [matches, files] = [0, 0]
    let limit: FileSearchEnd["limit"]
    let path: string | undefined
    const isWithin = (match: FileMatch): boolean => {
      limit = matches === maxMatches ? "matches" : path !== match.path && files === maxFiles ? "files" : undefined
      if (limit !== undefined) return false
      if (path !== match.path) files++
      path = match.path
      matches++
      return true
    }
    const timeUp = Effect.andThen(
      Effect.sleep(timeout),
      Effect.sync(() => {
        limit = "time"
      }),
    )
    return candidates(pattern, options).pipe(
      Stream.mapEffect((path) => scanFile(path, matcher, { context, maxLineLength }), { concurrency: readsAtOnce }),
      Stream.flatten,
      Stream.takeWhile(isWithin),
      Stream.interruptWhen(timeUp),
      Stream.concat(Stream.sync((): FileSearchEnd => ({
        _tag: "FileSearchEnd",
        matches,
        files,
        ...defined({ limit }),
      }))),
    )
  }))
