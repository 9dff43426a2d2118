/** Lists and removes the objects below a prefix of a bucket. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parsePath } from "../../files/FilePath.ts"
import { BackendError, type BackendStat, type Names } from "../files/FileBackend.ts"
import { backendError, malformed } from "./S3Failure.ts"
import { type ListPage, maxDeletedKeys, type S3Objects } from "./S3Objects.ts"
import { folderStat, mapped, type S3Paths } from "./S3Paths.ts"

/** Maximum number of names in a folder that are listed; they are sorted in memory. */
const maxListed = 1_000_000

/** Maximum number of pages in a row without a name: a service may leave out deleted objects, but its listing ends. */
const maxEmptyPages = 100

/** Whether a path can have this name; objects of other programs may have other names. */
const isName = (name: string): boolean => {
  const names = parsePath(name)
  return Result.isSuccess(names) && names.success.length === 1 && names.success[0] === name
}

/** The folders of a key below a prefix, as keys: `a/` and `a/b/` for `a/b/c`. */
const foldersOf = (key: string, prefix: string): ReadonlyArray<string> => {
  const folders: Array<string> = []
  for (let at = key.indexOf("/", prefix.length); at !== -1; at = key.indexOf("/", at + 1)) {
    folders.push(key.slice(0, at + 1))
  }
  return folders
}

const forEachPage = (
  objects: S3Objects,
  options: { readonly prefix: string; readonly delimiter?: string; readonly maxKeys?: number },
  take: (page: ListPage) => Effect.Effect<void, BackendError>,
): Effect.Effect<void, BackendError> =>
  Effect.gen(function* () {
    let emptyPages = 0
    let token: string | undefined
    do {
      const page = yield* mapped(objects.listPage({ ...options, token }))
      emptyPages = page.objects.length + page.prefixes.length === 0 ? emptyPages + 1 : 0
      if (emptyPages > maxEmptyPages) {
        const problem = `the listing goes on after ${maxEmptyPages} pages without a name`
        return yield* Effect.fail(backendError(malformed(problem)))
      }
      yield* take(page)
      token = page.next
    } while (token !== undefined)
  })

export const listFolder = (
  objects: S3Objects,
  paths: S3Paths,
  folder: Names,
): Effect.Effect<ReadonlyArray<readonly [string, BackendStat]>, BackendError> =>
  Effect.gen(function* () {
    yield* paths.checkKey(folder)
    const prefix = paths.folderKeyOf(folder)
    const found = new Map<string, BackendStat>()
    let isThere = folder.length === 0
    yield* forEachPage(objects, { prefix, delimiter: "/" }, (page) => {
      isThere ||= page.objects.length > 0 || page.prefixes.length > 0
      for (const below of page.prefixes) {
        const name = below.slice(prefix.length, -1)
        if (isName(name) && !found.has(name)) found.set(name, folderStat(0))
      }
      // A file hides a folder of its name.
      for (const { key, modified, size } of page.objects) {
        const name = key.slice(prefix.length)
        if (isName(name)) found.set(name, { type: "file", size, modified })
      }
      if (found.size > maxListed) {
        return Effect.fail(
          new BackendError("EOVERFLOW", `the folder has more than ${maxListed} names; list folders below it`),
        )
      }
      return Effect.void
    })
    if (isThere) return [...found]
    const head = yield* mapped(objects.head(paths.keyOf(folder)))
    return head === undefined ? yield* paths.absent(folder) : yield* Effect.fail(new BackendError("ENOTDIR"))
  })

/** Removes all objects below a folder, and counts the removed files and folders. */
export const removeTree = (objects: S3Objects, paths: S3Paths, names: Names): Effect.Effect<number, BackendError> =>
  Effect.gen(function* () {
    const folder = paths.folderKeyOf(names)
    let count = 1
    let folders: ReadonlyArray<string> = []
    yield* forEachPage(objects, { prefix: folder, maxKeys: maxDeletedKeys }, (page) => {
      // Keys are sorted, so that those of a folder are adjacent.
      for (const { key } of page.objects) {
        const before = folders
        folders = foldersOf(key, folder)
        count += folders.filter((below, index) => before[index] !== below).length + (key.endsWith("/") ? 0 : 1)
      }
      return mapped(objects.removeAll(page.objects.map(({ key }) => key)))
    })
    yield* paths.keepFolder(names.slice(0, -1))
    return count
  })
