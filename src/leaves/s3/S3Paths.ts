/** Maps the paths of a leaf to a bucket: to an object, or to a prefix of keys that stands for a folder. */
import * as Effect from "effect/Effect"
import { emptyBytes, encodeUtf8 } from "../../base/bytes.ts"
import { BackendError, type BackendStat, type Names } from "../files/FileBackend.ts"
import { RecentFolders } from "./RecentFolders.ts"
import { backendError, type S3Failure } from "./S3Failure.ts"
import type { ListedObject, S3Objects } from "./S3Objects.ts"

/** Maximum length of a key in UTF-8, with the slash of a folder. */
const maxKeyBytes = 1_024

export const folderStat = (modified: number): BackendStat => ({ type: "directory", size: 0, modified })

export const mapped = <A, R>(effect: Effect.Effect<A, S3Failure, R>): Effect.Effect<A, BackendError, R> =>
  Effect.mapError(effect, backendError)

export class S3Paths {
  readonly #objects: S3Objects
  readonly #prefix: Names
  readonly #recent = new RecentFolders()

  constructor(objects: S3Objects, prefix: Names) {
    this.#objects = objects
    this.#prefix = prefix
  }

  keyOf(names: Names): string {
    return [...this.#prefix, ...names].join("/")
  }

  folderKeyOf(names: Names): string {
    return names.length + this.#prefix.length === 0 ? "" : `${this.keyOf(names)}/`
  }

  checkKey(names: Names): Effect.Effect<void, BackendError> {
    const key = this.folderKeyOf(names)
    return key.length * 3 > maxKeyBytes && encodeUtf8(key).length > maxKeyBytes
      ? Effect.fail(
        new BackendError("ENAMETOOLONG", `with the prefix of the root it is longer than ${maxKeyBytes - 1} bytes`),
      )
      : Effect.void
  }

  /** The first object below a folder, its marker included. */
  firstBelow(names: Names): Effect.Effect<ListedObject | undefined, S3Failure> {
    return Effect.map(
      this.#objects.listPage({ prefix: this.folderKeyOf(names), maxKeys: 1 }),
      ({ objects: [first] }) => first,
    )
  }

  #checkParents(names: Names): Effect.Effect<void, BackendError> {
    const parents = names.slice(0, -1).map((_, index) => this.keyOf(names.slice(0, index + 1)))
    return Effect.forEach(
      parents.filter((key) => !this.#recent.has(key)),
      (key) =>
        Effect.flatMap(mapped(this.#objects.head(key)), (head) => {
          if (head !== undefined) return Effect.fail(new BackendError("ENOTDIR"))
          this.#recent.add(key)
          return Effect.void
        }),
      { concurrency: 4, discard: true },
    )
  }

  absent(names: Names): Effect.Effect<never, BackendError> {
    return Effect.andThen(this.#checkParents(names), Effect.fail(new BackendError("ENOENT")))
  }

  stat(names: Names): Effect.Effect<BackendStat, BackendError> {
    return Effect.gen({ self: this }, function* () {
      yield* this.checkKey(names)
      if (names.length === 0) return folderStat((yield* mapped(this.firstBelow(names)))?.modified ?? 0)
      const [head, first] = yield* mapped(
        Effect.all([this.#objects.head(this.keyOf(names)), this.firstBelow(names)], { concurrency: 2 }),
      )
      if (head !== undefined) return { type: "file", size: head.size, modified: head.modified }
      return first === undefined ? yield* this.absent(names) : folderStat(first.modified)
    })
  }

  /** Fails if a path cannot be a file: it is a folder, or below a file. */
  checkTarget(names: Names): Effect.Effect<void, BackendError> {
    return Effect.gen({ self: this }, function* () {
      yield* this.checkKey(names)
      const [first] = yield* Effect.all([mapped(this.firstBelow(names)), this.#checkParents(names)], { concurrency: 2 })
      if (first !== undefined) return yield* Effect.fail(new BackendError("EISDIR"))
    })
  }

  /** Keeps a folder that may have become empty. */
  keepFolder(names: Names): Effect.Effect<void, BackendError> {
    return names.length === 0 ? Effect.void : Effect.flatMap(
      mapped(this.firstBelow(names)),
      (first) => first === undefined ? this.putMarker(names) : Effect.void,
    )
  }

  putMarker(names: Names): Effect.Effect<void, BackendError> {
    return mapped(this.#objects.put(this.folderKeyOf(names), emptyBytes, { contentType: "application/x-directory" }))
  }

  /** Once a file is being written, later writes no longer treat its path as a folder. */
  written(names: Names): Effect.Effect<void> {
    return Effect.sync(() => void this.#recent.delete(this.keyOf(names)))
  }
}
