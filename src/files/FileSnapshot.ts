/**
 * Takes snapshots of a folder, compares them, and restores the folder to one, for example to undo the changes of an
 * agent.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import { hasContent, hashFile, writeContent } from "./ContentStore.ts"
import { type FileSnapshotError, snapshotError } from "./FileSnapshotError.ts"
import type { FileListingEntry } from "./FileEvent.ts"
import type { FileFault } from "./FileFault.ts"
import { joinPath } from "./FilePath.ts"
import { Files } from "./Files.ts"
import type { FilesService } from "./FilesService.ts"
import { pathFilter } from "./pathFilter.ts"
import { compare, type FileSnapshot, type SnapshotDifference, type SnapshotEntry } from "./SnapshotEntry.ts"

export { FileSnapshotError } from "./FileSnapshotError.ts"
export { compare, FileSnapshot, type SnapshotDifference, SnapshotEntry } from "./SnapshotEntry.ts"

/** Options of {@link take}. */
export interface TakeOptions {
  /** Globs of paths that are left out with all that is in them, as for `Files.list`. Default: none. */
  readonly ignore?: ReadonlyArray<string> | undefined
  /** File system that stores contents by their hash, for {@link restore}. Default: contents are not stored. */
  readonly store?: FilesService | undefined
  /** Number of files that are read at once. Default: 8. */
  readonly concurrency?: number | undefined
  /** Maximum number of files and folders; with more the call fails with `TooMany`. Default: 262,144. */
  readonly maxEntries?: number | undefined
}

/** Options of {@link restore}. */
export interface RestoreOptions {
  /** The file system in which {@link take} stored the contents. */
  readonly store: FilesService
  /** Number of files that are written at once. Default: 8. */
  readonly concurrency?: number | undefined
}

const takeNames: Readonly<Record<keyof TakeOptions, true>> = {
  ignore: true,
  store: true,
  concurrency: true,
  maxEntries: true,
}

const restoreNames: Readonly<Record<keyof RestoreOptions, true>> = { store: true, concurrency: true }

const maxRetries = 2

const isGone = (error: FileFault | FileSnapshotError): boolean =>
  error._tag === "FileFault" && (error.faultKind === "NotFound" || error.faultKind === "NotADirectory")

/**
 * Takes a snapshot of a folder: the type, size, permissions and SHA-256 of all that is in it. With `store` the contents
 * are also kept, each once, so that the folder can be restored. A file that disappears before it was read is left out.
 *
 * @example
 * ```ts
 * import { Files, FileSnapshot, MemoryFileSystem } from "@sluice/shell/files"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const store = yield* MemoryFileSystem.make()
 *   yield* Files.write("src/a.ts", "let a = 1\n")
 *   const before = yield* FileSnapshot.take("src", { store, ignore: ["node_modules"] })
 *   // An agent does its work.
 *   yield* Files.delete("src", { recursive: true })
 *   yield* Files.write("src/b.ts", "")
 *   yield* FileSnapshot.restore(before, { store })
 *   return yield* Files.readText("src/a.ts")
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))) // let a = 1
 * ```
 */
export const take = (
  path: string,
  options: TakeOptions = {},
): Effect.Effect<FileSnapshot, FileFault | FileSnapshotError | OptionError, Files> =>
  Effect.gen(function* () {
    const files = yield* Files
    const { concurrency, isIgnored, maxEntries } = yield* attemptOptions(() => {
      refuseUnknownOptions("FileSnapshot", options, takeNames)
      return {
        isIgnored: pathFilter(options.ignore ?? []),
        concurrency: requireCount("FileSnapshot", "concurrency", options.concurrency ?? 8, { min: 1 }),
        maxEntries: requireCount("FileSnapshot", "maxEntries", options.maxEntries ?? 262_144, { min: 1 }),
      }
    })
    const found: Array<FileListingEntry> = []
    const walk = (folder: string): Effect.Effect<void, FileFault | FileSnapshotError, Files> =>
      Effect.gen(function* () {
        const folders: Array<string> = []
        yield* Stream.runForEach(Files.list(joinPaths(path, folder)), (entry) => {
          const below = joinPath(folder, entry.path)
          if (isIgnored(below)) return Effect.void
          found.push({ ...entry, path: below })
          if (entry.isDirectory && !entry.isSymlink) folders.push(below)
          return found.length <= maxEntries ? Effect.void : Effect.fail(
            snapshotError("TooMany", [path], `there are more than ${maxEntries} files and folders; ignore some`),
          )
        })
        for (const below of folders) yield* Effect.catchIf(walk(below), isGone, () => Effect.void)
      })
    yield* walk("")
    const entries = yield* Effect.forEach(
      found,
      (entry) => Effect.catchIf(entryOf(files, path, entry, options.store), isGone, () => Effect.undefined),
      { concurrency },
    )
    const isThere = (entry: SnapshotEntry | undefined): entry is SnapshotEntry => entry !== undefined
    return {
      path,
      ignore: [...options.ignore ?? []],
      entries: entries.filter(isThere).toSorted((a, b) => a.path < b.path ? -1 : 1),
    }
  })

const joinPaths = (folder: string, path: string): string =>
  path === "" ? folder : joinPath(folder === "." || folder === "/" ? "" : folder, path)

const entryOf = (
  files: FilesService,
  folder: string,
  { isDirectory, isSymlink, path, size, target }: FileListingEntry,
  store: FilesService | undefined,
): Effect.Effect<SnapshotEntry, FileFault | FileSnapshotError> =>
  Effect.gen(function* () {
    if (isSymlink) return { path, type: "link" as const, size: 0, ...defined({ target }) }
    const place = joinPaths(folder, path)
    const { permissions } = yield* Effect.provideService(Files.stat(place), Files, files)
    const known = permissions === undefined ? undefined : { permissions }
    if (isDirectory) return { path, type: "directory" as const, size: 0, ...known }
    const sha256 = yield* Effect.retry(hashFile(files, place, size, store), {
      while: (error) => error._tag === "FileSnapshotError" && error.reason._tag === "Changed",
      times: maxRetries,
    })
    return { path, type: "file" as const, size, ...known, sha256 }
  })

/**
 * Restores a folder to a snapshot: writes changed and deleted files, deletes added ones, and compares at the end. Paths
 * that the snapshot left out stay as they are. Fails with `Missing`, before any change, if the store lacks a content,
 * and with `Mismatch`, which names the paths, if the folder still differs: because another process writes there, or
 * because a link, a set-id bit or a folder's permissions were changed, which a write cannot restore. In this case
 * everything else is restored. Returns the differences that it found.
 *
 * @example
 * ```ts
 * import { Files, FileSnapshot, MemoryFileSystem } from "@sluice/shell/files"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const store = yield* MemoryFileSystem.make()
 *   const before = yield* FileSnapshot.take("", { store })
 *   yield* Files.write("new.txt", "")
 *   return yield* FileSnapshot.restore(before, { store })
 * })
 * const undone = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
 * console.log(undone.map(({ kind, path }) => `${kind} ${path}`).join()) // Created new.txt
 * ```
 */
export const restore = (
  snapshot: FileSnapshot,
  options: RestoreOptions,
): Effect.Effect<ReadonlyArray<SnapshotDifference>, FileFault | FileSnapshotError | OptionError, Files> =>
  Effect.gen(function* () {
    const files = yield* Files
    const concurrency = yield* attemptOptions(() => {
      refuseUnknownOptions("FileSnapshot", options, restoreNames)
      return requireCount("FileSnapshot", "concurrency", options.concurrency ?? 8, { min: 1 })
    })
    const { store } = options
    const { ignore, path } = snapshot
    const place = (below: string): string => joinPaths(path, below)
    const differences = compare(snapshot, yield* take(path, { ignore, concurrency }))
    const entries = new Map(snapshot.entries.map((entry) => [entry.path, entry]))
    const wanted = differences.flatMap((difference) => entries.get(difference.path) ?? [])

    const lacking = yield* Effect.filter(
      wanted,
      ({ sha256 }) =>
        sha256 === undefined ? Effect.succeed(false) : Effect.map(hasContent(store, sha256), (has) => !has),
      { concurrency },
    )
    if (lacking.length > 0) {
      const paths = lacking.map((entry) => entry.path)
      return yield* Effect.fail(snapshotError("Missing", paths, "the store has no content for these files"))
    }

    // The content of a folder is deleted before the folder.
    for (const { kind, path: below } of differences.toReversed()) {
      if (kind !== "Created" && kind !== "Replaced") continue
      // A folder with files that the snapshot left out stays.
      const isKept = (fault: FileFault) =>
        isGone(fault) || (kind === "Created" && fault.faultKind === "DirectoryNotEmpty")
      yield* Effect.catchIf(Files.delete(place(below), { recursive: kind === "Replaced" }), isKept, () => Effect.void)
    }
    for (const entry of wanted) if (entry.type === "directory") yield* makeFolder(place(entry.path))
    yield* Effect.forEach(
      wanted,
      ({ path: below, permissions, sha256 }) =>
        sha256 === undefined ? Effect.void : writeContent(
          store,
          sha256,
          files,
          place(below),
          permissions === undefined ? undefined : permissions & 0o777,
        ),
      { concurrency, discard: true },
    )

    const left = compare(snapshot, yield* take(path, { ignore, concurrency }))
    if (left.length === 0) return differences
    const what = "these differ from the snapshot after it was restored"
    return yield* Effect.fail(snapshotError("Mismatch", left.map((difference) => difference.path), what))
  })

const makeFolder = (path: string): Effect.Effect<void, FileFault, Files> => {
  const temporary = joinPath(path, `.sluice-${crypto.randomUUID()}`)
  return Effect.andThen(Files.write(temporary, ""), Effect.asVoid(Files.delete(temporary)))
}
