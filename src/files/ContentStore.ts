/** Stores file contents in a file system by SHA-256, and verifies them when they are read. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import { sha256, sha256Stream } from "../base/sha256.ts"
import type { FileFault } from "./FileFault.ts"
import { Files } from "./Files.ts"
import type { FilesService } from "./FilesService.ts"
import { type FileSnapshotError, snapshotError } from "./FileSnapshotError.ts"

/** Maximum size of a file that is read once and held in memory. */
const maxHeldBytes = 1_048_576

const objectPath = (hash: string): string => `${hash.slice(0, 2)}/${hash}`

/** The bytes of a file; the stream fails at its end if their hash differs. */
const verified = (
  files: FilesService,
  path: string,
  hash: string,
): Stream.Stream<Uint8Array, FileFault | FileSnapshotError> =>
  Stream.suspend(() => {
    const hasher = sha256Stream()
    const bytes = Files.stream(path).pipe(
      Stream.provideService(Files, files),
      Stream.tap((piece) => Effect.sync(() => hasher.update(piece))),
    )
    const check = Effect.suspend(() =>
      hasher.digest() === hash
        ? Effect.void
        : Effect.fail(snapshotError("Changed", [path], "the hash of the content has changed"))
    )
    return Stream.concat(bytes, Stream.drain(Stream.fromEffect(check)))
  })

export const hasContent = (store: FilesService, hash: string): Effect.Effect<boolean, FileFault> =>
  Effect.provideService(Files.exists(objectPath(hash)), Files, store)

export const hashFile = (
  files: FilesService,
  path: string,
  size: number,
  store: FilesService | undefined,
): Effect.Effect<string, FileFault | FileSnapshotError> =>
  Effect.gen(function* () {
    if (size <= maxHeldBytes) {
      const bytes = yield* Effect.provideService(Files.read(path), Files, files)
      const hash = sha256(bytes)
      if (store === undefined || (yield* hasContent(store, hash))) return hash
      yield* Effect.provideService(Files.write(objectPath(hash), bytes), Files, store)
      return hash
    }
    const hasher = sha256Stream()
    const read = Stream.runForEach(Files.stream(path), (piece) => Effect.sync(() => hasher.update(piece)))
    yield* Effect.provideService(read, Files, files)
    const hash = hasher.digest()
    if (store === undefined || (yield* hasContent(store, hash))) return hash
    yield* copy({ files, path }, hash, { files: store, path: objectPath(hash) })
    return hash
  })

export const writeContent = (
  store: FilesService,
  hash: string,
  files: FilesService,
  path: string,
  permissions: number | undefined,
): Effect.Effect<void, FileFault | FileSnapshotError> =>
  copy({ files: store, path: objectPath(hash) }, hash, { files, path }, permissions)

interface Place {
  readonly files: FilesService
  readonly path: string
}

/** Copies a file. A copy with another hash than expected never becomes visible. */
const copy = (
  from: Place,
  hash: string,
  to: Place,
  permissions?: number,
): Effect.Effect<void, FileFault | FileSnapshotError> =>
  Effect.suspend(() => {
    let wrong: FileSnapshotError | undefined
    const content = Stream.tapError(verified(from.files, from.path, hash), (error) =>
      Effect.sync(() => {
        if (error._tag === "FileSnapshotError") wrong = error
      }))
    return Files.write(to.path, content, { ...defined({ permissions }) }).pipe(
      Effect.asVoid,
      Effect.provideService(Files, to.files),
      Effect.mapError((fault) => wrong ?? fault),
    )
  })
