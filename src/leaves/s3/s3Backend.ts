/** Makes the file calls of a leaf from the objects of a bucket; a folder is a prefix. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { emptyBytes, encodeUtf8 } from "../../base/bytes.ts"
import { parsePath } from "../../files/FilePath.ts"
import * as Result from "effect/Result"
import { BackendError, type BackendStat, type FileBackend, type FileWriter, type Names } from "../files/FileBackend.ts"
import { appendToObject } from "./appendToObject.ts"
import { makeConditionalWrites } from "./ConditionalWrites.ts"
import { openObject } from "./ObjectReader.ts"
import { openWriter } from "./ObjectWriter.ts"
import { RecentFolders } from "./RecentFolders.ts"
import type { S3Client } from "./S3Client.ts"
import { backendError, malformed, type S3Failure } from "./S3Failure.ts"
import type { S3Settings } from "./S3FileSystemOptions.ts"
import { isConditionFailure, type ListPage, maxDeletedKeys, type S3Objects } from "./S3Objects.ts"

/** Maximum length of a key in UTF-8, with the slash of a folder. */
const maxKeyBytes = 1_024

/** Maximum number of names in a folder that are listed; they are sorted in memory. */
const maxListed = 1_000_000

/** Maximum number of pages in a row without a name: a service may leave out what was deleted, but comes to an end. */
const maxEmptyPages = 100

const folderStat = (modified: number): BackendStat => ({ type: "directory", size: 0, modified })

/** Whether a name is one that a path can have: objects of other programs may have others. */
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

export const s3Backend = (client: S3Client, objects: S3Objects, settings: S3Settings): FileBackend => {
  const { prefix } = settings
  const keyOf = (names: Names): string => [...prefix, ...names].join("/")
  const folderKeyOf = (names: Names): string => names.length + prefix.length === 0 ? "" : `${keyOf(names)}/`
  const writes = makeConditionalWrites(objects, folderKeyOf([]), settings.conditionalWrites)
  const recent = new RecentFolders()

  const mapped = <A, R>(effect: Effect.Effect<A, S3Failure, R>): Effect.Effect<A, BackendError, R> =>
    Effect.mapError(effect, backendError)

  const forEachPage = (
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

  const checkKey = (names: Names): Effect.Effect<void, BackendError> => {
    const key = folderKeyOf(names)
    return key.length * 3 > maxKeyBytes && encodeUtf8(key).length > maxKeyBytes
      ? Effect.fail(
        new BackendError("ENAMETOOLONG", `with the prefix of the root it is longer than ${maxKeyBytes - 1} bytes`),
      )
      : Effect.void
  }

  /** The first object below a folder, its marker included. */
  const firstBelow = (names: Names) =>
    Effect.map(objects.listPage({ prefix: folderKeyOf(names), maxKeys: 1 }), ({ objects: [first] }) => first)

  const checkParents = (names: Names): Effect.Effect<void, BackendError> => {
    const parents = names.slice(0, -1).map((_, index) => names.slice(0, index + 1)).filter((parent) =>
      !recent.has(keyOf(parent))
    )
    return Effect.forEach(
      parents,
      (parent) =>
        Effect.flatMap(mapped(objects.head(keyOf(parent))), (head) => {
          if (head !== undefined) return Effect.fail(new BackendError("ENOTDIR"))
          recent.add(keyOf(parent))
          return Effect.void
        }),
      { concurrency: 4, discard: true },
    )
  }

  const absent = (names: Names): Effect.Effect<never, BackendError> =>
    Effect.andThen(checkParents(names), Effect.fail(new BackendError("ENOENT")))

  const stat = (names: Names): Effect.Effect<BackendStat, BackendError> =>
    Effect.gen(function* () {
      yield* checkKey(names)
      if (names.length === 0) return folderStat((yield* mapped(firstBelow(names)))?.modified ?? 0)
      const [head, first] = yield* mapped(
        Effect.all([objects.head(keyOf(names)), firstBelow(names)], { concurrency: 2 }),
      )
      if (head !== undefined) return { type: "file", size: head.size, modified: head.modified }
      return first === undefined ? yield* absent(names) : folderStat(first.modified)
    })

  /** Fails if a path cannot be a file: it is a folder, or below a file. */
  const checkTarget = (names: Names): Effect.Effect<void, BackendError> =>
    Effect.gen(function* () {
      yield* checkKey(names)
      const [first] = yield* Effect.all([mapped(firstBelow(names)), checkParents(names)], { concurrency: 2 })
      if (first !== undefined) return yield* Effect.fail(new BackendError("EISDIR"))
    })

  /** Keeps a folder that may have become empty. */
  const keepFolder = (names: Names): Effect.Effect<void, BackendError> =>
    names.length === 0 ? Effect.void : Effect.flatMap(
      mapped(firstBelow(names)),
      (first) => first === undefined ? putMarker(names) : Effect.void,
    )

  const putMarker = (names: Names): Effect.Effect<void, BackendError> =>
    mapped(objects.put(folderKeyOf(names), emptyBytes, { contentType: "application/x-directory" }))

  /** A file that is being written is no folder any more for the writes to come. */
  const written = (names: Names) => Effect.sync(() => recent.delete(keyOf(names)))

  const openStaged = (
    names: Names,
    commit: "create" | "replace",
  ): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
    Effect.gen(function* () {
      const key = keyOf(names)
      const writer = yield* openWriter(objects, key, settings)
      const end = commit === "replace" ? writer.commit() : writes.run(key, { _tag: "Absent" }, writer.commit)
      return {
        write: (bytes) => mapped(writer.write(bytes)),
        commit: Effect.mapError(
          end,
          (failure) =>
            commit === "create" && isConditionFailure(failure) ? new BackendError("EEXIST") : backendError(failure),
        ).pipe(Effect.andThen(written(names))),
      }
    })

  return {
    capabilities: { leaf: "s3", containment: "handles", caseSensitive: true },
    checkName: () => undefined,
    canonical: (folder) => Effect.succeed(folder),
    stat,

    list: (folder) =>
      Effect.gen(function* () {
        yield* checkKey(folder)
        const prefix = folderKeyOf(folder)
        const found = new Map<string, BackendStat>()
        let isThere = folder.length === 0
        yield* forEachPage({ prefix, delimiter: "/" }, (page) => {
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
        const head = yield* mapped(objects.head(keyOf(folder)))
        return head === undefined ? yield* absent(folder) : yield* Effect.fail(new BackendError("ENOTDIR"))
      }),

    open: (names, range = { offset: 0, length: Infinity }) =>
      Effect.gen(function* () {
        if (names.length === 0) return yield* Effect.fail(new BackendError("EISDIR"))
        yield* checkKey(names)
        const { read, size } = yield* openObject(client, keyOf(names), range).pipe(
          Effect.catch((failure): Effect.Effect<never, BackendError> =>
            // A request of HEAD is refused without a code.
            failure.status !== 404 || failure.code === "NoSuchBucket"
              ? Effect.fail(backendError(failure))
              : Effect.flatMap(mapped(firstBelow(names)), (first) =>
                first === undefined ? absent(names) : Effect.fail(new BackendError("EISDIR")))
          ),
        )
        return {
          size,
          read: (offset, length) =>
            mapped(read(offset, length)),
        }
      }),

    create: (names) =>
      Effect.gen(function* () {
        yield* Effect.all([checkTarget(names), mapped(writes.check)], { concurrency: 2 })
        if ((yield* mapped(objects.head(keyOf(names)))) !== undefined) {
          return yield* Effect.fail(new BackendError("EEXIST"))
        }
        return yield* openStaged(names, "create")
      }),

    replace: (names, mustExist) =>
      Effect.gen(function* () {
        yield* checkTarget(names)
        if (mustExist && (yield* mapped(objects.head(keyOf(names)))) === undefined) return yield* absent(names)
        return yield* openStaged(names, "replace")
      }),

    append: (names, create) =>
      Effect.gen(function* () {
        yield* Effect.all([checkTarget(names), mapped(writes.check)], { concurrency: 2 })
        const key = keyOf(names)
        const head = yield* mapped(objects.head(key))
        if (head === undefined && !create) return yield* absent(names)
        const writer = yield* appendToObject({ client, objects, writes, settings }, key, head)
        return {
          write: (bytes) => mapped(writer.write(bytes)),
          commit: Effect.andThen(mapped(writer.commit), written(names)),
        }
      }),

    makeDirectory: (names) =>
      Effect.matchEffect(stat(names), {
        onSuccess: () => Effect.fail(new BackendError("EEXIST")),
        onFailure: (error) => error.code === "ENOENT" ? putMarker(names) : Effect.fail(error),
      }),

    removeFile: (names) => Effect.andThen(mapped(objects.remove(keyOf(names))), keepFolder(names.slice(0, -1))),

    removeDirectory: (names) =>
      Effect.gen(function* () {
        const folder = folderKeyOf(names)
        const { objects: found } = yield* mapped(objects.listPage({ prefix: folder, maxKeys: 2 }))
        if (found.some(({ key }) => key !== folder)) return yield* Effect.fail(new BackendError("ENOTEMPTY"))
        yield* mapped(objects.remove(folder))
        yield* keepFolder(names.slice(0, -1))
      }),

    removeTree: (names) =>
      Effect.gen(function* () {
        const folder = folderKeyOf(names)
        let count = 1
        let folders: ReadonlyArray<string> = []
        yield* forEachPage({ prefix: folder, maxKeys: maxDeletedKeys }, (page) => {
          // Keys are sorted, so that those of a folder stand together.
          for (const { key } of page.objects) {
            const before = folders
            folders = foldersOf(key, folder)
            count += folders.filter((below, index) => before[index] !== below).length + (key.endsWith("/") ? 0 : 1)
          }
          return mapped(objects.removeAll(page.objects.map(({ key }) => key)))
        })
        yield* keepFolder(names.slice(0, -1))
        return count
      }),
  }
}
