/** Lists a folder, and with `recursive` the folders below it, as events of at most 1,000 entries. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { groupListing } from "../../files/groupListing.ts"
import { defined } from "../../base/defined.ts"
import type { FileEvent, FileListingEntry } from "../../files/FileEvent.ts"
import { joinPath } from "../../files/FilePath.ts"
import type { FileList } from "../../files/FileRequest.ts"
import { pathMatcher } from "../../base/pathMatcher.ts"
import { BackendError, type BackendStat, type FileBackend, isClosed, type Names } from "./FileBackend.ts"

const entryOf = (
  path: string,
  { modified, size, type }: BackendStat,
  isSymlink: boolean,
  target?: string,
): FileListingEntry => ({
  path,
  size,
  modified,
  isDirectory: type === "directory",
  isSymlink,
  ...defined({ target }),
})

/** A folder whose path is too long for the system is reported, not left out silently. */
const isLeftOut = (error: BackendError): boolean => isClosed(error) && error.code !== "ENAMETOOLONG"

const nameTooDeep = (relative: string) => (error: BackendError): BackendError =>
  error.code === "ENAMETOOLONG" && relative !== ""
    ? new BackendError(
      error.code,
      `a folder below it is deeper than the system's paths can reach (${relative.split("/").length} names, from ${
        relative.slice(0, 100)
      } on): shorten the names above it, or list folder by folder without recursive`,
    )
    : error

/** The entries below a folder, depth first, in the order of their names; a folder comes before its content. */
const entriesBelow = (
  backend: FileBackend,
  folder: Names,
  relative: string,
  recursive: boolean,
): Stream.Stream<FileListingEntry, BackendError> =>
  Stream.fromEffect(Effect.mapError(backend.list(folder, relative === ""), nameTooDeep(relative))).pipe(
    Stream.map((entries) => entries.toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0)),
    Stream.flattenIterable,
    Stream.flatMap(([name, stat]) => {
      const names = [...folder, name]
      const path = joinPath(relative, name)
      if (stat.type !== "symlink") {
        const entry = Stream.succeed(entryOf(path, stat, false))
        if (!recursive || stat.type !== "directory") return entry
        const below = Stream.catchIf(entriesBelow(backend, names, path, true), isLeftOut, () => Stream.empty)
        return Stream.concat(entry, below)
      }
      const target = Effect.orElseSucceed(backend.stat(names, true), () => stat)
      return Stream.fromEffect(Effect.map(target, (followed) => entryOf(path, followed, true, stat.target)))
    }),
  )

export const listTree = (
  backend: FileBackend,
  { correlationId, pattern, recursive = false }: FileList,
  names: Names,
): Stream.Stream<FileEvent, BackendError> => {
  const isMeant = pattern === undefined ? () => true : pathMatcher(pattern)
  const entries = Stream.filter(entriesBelow(backend, names, "", recursive), ({ path }) => isMeant(path))
  return groupListing(entries, correlationId)
}
