/** Makes the file calls of a leaf from the objects of a bucket; a folder is a prefix. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { BackendError, type FileBackend, type Names, type OpenedFile, type ReadRange } from "../files/FileBackend.ts"
import { makeConditionalWrites } from "./ConditionalWrites.ts"
import { openObject } from "./ObjectReader.ts"
import type { S3Client } from "./S3Client.ts"
import { backendError } from "./S3Failure.ts"
import type { S3Settings } from "./S3FileSystemOptions.ts"
import { listFolder, removeTree } from "./s3Listing.ts"
import type { S3Objects } from "./S3Objects.ts"
import { mapped, S3Paths } from "./S3Paths.ts"
import { appendObject, createObject, replaceObject } from "./s3Writes.ts"

const open = (
  client: S3Client,
  paths: S3Paths,
  names: Names,
  range: ReadRange,
): Effect.Effect<OpenedFile, BackendError, Scope.Scope> =>
  Effect.gen(function* () {
    if (names.length === 0) return yield* Effect.fail(new BackendError("EISDIR"))
    yield* paths.checkKey(names)
    const { read, size } = yield* openObject(client, paths.keyOf(names), range).pipe(
      Effect.catch((failure): Effect.Effect<never, BackendError> =>
        // A HEAD request is refused without a code.
        failure.status !== 404 || failure.code === "NoSuchBucket"
          ? Effect.fail(backendError(failure))
          : Effect.flatMap(mapped(paths.firstBelow(names)), (first) =>
            first === undefined ? paths.absent(names) : Effect.fail(new BackendError("EISDIR")))
      ),
    )
    return {
      size,
      read: (offset, length) =>
        mapped(read(offset, length)),
    }
  })

export const s3Backend = (client: S3Client, objects: S3Objects, settings: S3Settings): FileBackend => {
  const paths = new S3Paths(objects, settings.prefix)
  const writes = makeConditionalWrites(objects, paths.folderKeyOf([]), settings.conditionalWrites)
  const context = { client, objects, paths, settings, writes }
  return {
    capabilities: { leaf: "s3", containment: "handles", caseSensitive: true },
    checkName: () => undefined,
    canonical: (folder) => Effect.succeed(folder),
    stat: (names) => paths.stat(names),
    list: (folder) => listFolder(objects, paths, folder),
    open: (names, range = { offset: 0, length: Infinity }) => open(client, paths, names, range),
    create: (names) => createObject(context, names),
    replace: (names, mustExist) => replaceObject(context, names, mustExist),
    append: (names, create) => appendObject(context, names, create),
    makeDirectory: (names) =>
      Effect.matchEffect(paths.stat(names), {
        onSuccess: () => Effect.fail(new BackendError("EEXIST")),
        onFailure: (error) => error.code === "ENOENT" ? paths.putMarker(names) : Effect.fail(error),
      }),
    removeFile: (names) =>
      Effect.andThen(mapped(objects.remove(paths.keyOf(names))), paths.keepFolder(names.slice(0, -1))),
    removeDirectory: (names) =>
      Effect.gen(function* () {
        const folder = paths.folderKeyOf(names)
        const { objects: found } = yield* mapped(objects.listPage({ prefix: folder, maxKeys: 2 }))
        if (found.some(({ key }) => key !== folder)) return yield* Effect.fail(new BackendError("ENOTEMPTY"))
        yield* mapped(objects.remove(folder))
        yield* paths.keepFolder(names.slice(0, -1))
      }),
    removeTree: (names) => removeTree(objects, paths, names),
  }
}
