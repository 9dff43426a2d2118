/**
 * Puts a new file in the place of an old one, or where none was.
 *
 * A crash at any point leaves one of the two, whole: `rename(2)` changes the one for the other at once.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { JournalError } from "../../JournalError.ts"
import { syncDirectory } from "./paths.ts"
import { fsError } from "./fsError.ts"
import type { HostSystem } from "./HostSystem.ts"

/** Whose a file is, and who may do what with it. */
export interface Ownership {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** Writes bytes at the end of the new file; throws what the file system throws. */
export type Write = (bytes: Uint8Array) => void

const keepOwnership = ({ files }: HostSystem, descriptor: number, { gid, mode, uid }: Ownership): void => {
  files.fchmodSync(descriptor, mode & 0o7777)
  const own = files.fstatSync(descriptor)
  if (own.uid === uid && own.gid === gid) return
  try {
    files.fchownSync(descriptor, uid, gid)
  } catch {
    // Only root gives files away. It is the writer's own then.
  }
}

const confirmed = (system: HostSystem, descriptor: number, path: string): Effect.Effect<void, JournalError> =>
  Effect.uninterruptible(Effect.callback((resume) => {
    // Beside the event loop, as there may be much to write.
    system.files.fsync(descriptor, (error) => {
      const failed = error !== null && error !== undefined
      resume(
        failed
          ? Effect.fail(fsError(error, { path, what: "was not written: the disk did not confirm it" }))
          : Effect.void,
      )
    })
  }))

/**
 * Replaces a file by what `fill` writes, once the disk has it; answers with its descriptor, open for reading and for
 * writing at the end. When it fails or is interrupted, the old file stays.
 */
export const replaceFile = (
  system: HostSystem,
  path: string,
  ownership: Ownership | undefined,
  fill: (write: Write) => Effect.Effect<void, JournalError>,
): Effect.Effect<number, JournalError> => {
  const { files } = system
  const temporary = `${path}.tmp-${crypto.randomUUID()}`
  const attempt = <A>(work: () => A): Effect.Effect<A, JournalError> =>
    Effect.try({ try: work, catch: (error) => fsError(error, { path, what: "was not written" }) })
  return Effect.acquireUseRelease(
    attempt(() => files.openSync(temporary, "ax+", 0o600)),
    (descriptor) =>
      Effect.gen(function* () {
        if (ownership !== undefined) yield* attempt(() => keepOwnership(system, descriptor, ownership))
        yield* fill((bytes) => {
          for (let done = 0; done < bytes.length;) {
            done += files.writeSync(descriptor, bytes, done, bytes.length - done, null)
          }
        })
        yield* confirmed(system, descriptor, path)
        return yield* attempt(() => {
          files.renameSync(temporary, path)
          syncDirectory(system, path)
          return descriptor
        })
      }),
    (descriptor, exit) =>
      Effect.sync(() => {
        if (exit._tag === "Success") return
        files.closeSync(descriptor)
        try {
          files.unlinkSync(temporary)
        } catch {
          // The next writer sweeps it away.
        }
      }),
  )
}
