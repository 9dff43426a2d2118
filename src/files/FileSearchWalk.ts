/** Walks a tree of files in the order of their paths, and skips hidden and ignored ones. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { FileListingEntry } from "./FileEvent.ts"
import type { FileFault } from "./FileFault.ts"
import { joinPath } from "./FilePath.ts"
import { Files } from "./Files.ts"
import type { FileCandidates } from "./FilesService.ts"
import { enterFolder, type IgnoreScopes, ignoreScopes, isIgnored } from "./FileSearchIgnore.ts"

export interface WalkSettings {
  readonly folder: string
  /** Whether names that begin with a dot are included; `.git` never is. */
  readonly hidden: boolean
  readonly gitignore: boolean
  /** Whether a file is included, by its path below the folder. */
  readonly isMeant: (path: string) => boolean
}

const skipped: ReadonlySet<FileFault["faultKind"]> = new Set(
  ["NotFound", "AccessDenied", "NotAFile", "NotADirectory", "InvalidPath", "PathTooLong"] as const,
)

/** Whether a fault leaves out one file or folder: it is gone, may not be read, or has a name that no path may have. */
export const isSkipped = ({ faultKind }: FileFault): boolean => skipped.has(faultKind)

const isNameMeant = (name: string, hidden: boolean): boolean => name !== ".git" && (hidden || !name.startsWith("."))

/** Compares paths in the order of a walk: name by name, each by its UTF-8 bytes, which is the order of code points. */
const comparePaths = (a: string, b: string): number => {
  for (let at = 0; at < a.length && at < b.length; at++) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) return orderAt(a, at) - orderAt(b, at)
  }
  return a.length - b.length
}

/** A name comes before every longer name that begins with it. */
const orderAt = (path: string, at: number): number => path[at] === "/" ? -1 : path.codePointAt(at) ?? 0

type Found = FileListingEntry

const belowFolder = (folder: string, path: string): string => folder === "" ? path : path.slice(folder.length + 1)

/** The files below a folder. Links are not followed; a folder that cannot be read has no files. */
export const walkFiles = (settings: WalkSettings): Stream.Stream<Found, FileFault, Files> => {
  const { folder: start, gitignore, hidden, isMeant } = settings
  const filesIn = (folder: string, scopes: IgnoreScopes): Stream.Stream<Found, FileFault, Files> =>
    Stream.fromIterableEffect(Effect.map(
      Stream.runCollect(Files.list(folder)),
      (entries) => entries.toSorted((a, b) => comparePaths(a.path, b.path)),
    )).pipe(Stream.flatMap((entry): Stream.Stream<Found, FileFault, Files> => {
      const path = joinPath(folder, entry.path)
      if (entry.isSymlink || !isNameMeant(entry.path, hidden)) return Stream.empty
      if (isIgnored(scopes, path, entry.isDirectory)) return Stream.empty
      if (!entry.isDirectory) {
        return isMeant(belowFolder(start, path)) ? Stream.succeed({ ...entry, path }) : Stream.empty
      }
      const inner = gitignore ? enterFolder(scopes, path) : Effect.succeed(scopes)
      return Stream.catchIf(
        Stream.unwrap(Effect.map(inner, (scopes) => filesIn(path, scopes))),
        isSkipped,
        () => Stream.empty,
      )
    }))
  return Stream.unwrap(
    Effect.map(gitignore ? ignoreScopes(start) : Effect.succeed([]), (scopes) => filesIn(start, scopes)),
  )
}

/**
 * Filters the paths that another program found below the folder to those that {@link walkFiles} would find, in its
 * order.
 */
export const filterPaths = (
  { gitignores, paths }: FileCandidates,
  { folder, gitignore, hidden, isMeant }: WalkSettings,
): Stream.Stream<string, never, Files> =>
  Stream.unwrap(Effect.map(gitignore ? ignoreScopes(folder) : Effect.succeed([]), (outer) => {
    // The folders of the previous path; the next path is often in the same ones.
    const way: Array<{ readonly folder: string; readonly scopes: IgnoreScopes | undefined }> = [{
      folder,
      scopes: outer,
    }]

    const known = new Set(gitignores)

    const scopesOf = (path: string): Effect.Effect<IgnoreScopes | undefined, never, Files> =>
      Effect.gen(function* () {
        while (way.length > 1 && !path.startsWith(`${way.at(-1)?.folder}/`)) way.pop()
        for (;;) {
          const { folder, scopes } = way.at(-1) ?? { folder: "", scopes: outer }
          const slash = path.indexOf("/", folder === "" ? 0 : folder.length + 1)
          if (slash < 0) return scopes
          const next = path.slice(0, slash)
          const isOut = scopes === undefined || isIgnored(scopes, next, true)
          way.push({
            folder: next,
            scopes: isOut ? undefined : gitignore ? yield* enterFolder(scopes, next, known) : scopes,
          })
        }
      })

    const isWanted = (path: string): boolean => {
      const below = belowFolder(folder, path)
      return below.split("/").every((name) => isNameMeant(name, hidden)) && isMeant(below)
    }

    return Stream.fromIterable(byFolder(paths.filter(isWanted).toSorted(comparePaths))).pipe(
      Stream.mapEffect(([first = "", ...others]) =>
        Effect.map(
          scopesOf(first),
          (scopes) => scopes === undefined ? [] : [first, ...others].filter((path) => !isIgnored(scopes, path, false)),
        )
      ),
      Stream.flattenIterable,
    )
  }))

const byFolder = (paths: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const groups: Array<Array<string>> = []
  let folder: string | undefined
  for (const path of paths) {
    const own = path.slice(0, path.lastIndexOf("/") + 1)
    if (own === folder) groups.at(-1)?.push(path)
    else groups.push([path])
    folder = own
  }
  return groups
}
