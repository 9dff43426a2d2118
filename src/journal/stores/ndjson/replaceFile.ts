/**
 * Creates or replaces a file atomically, with the owner and permissions of the old one: writes a temporary file, syncs
 * it, renames it, and syncs the directory; removes the temporary file after a failure.
 *
 * A crash at any point leaves the old file or the new one, because `rename(2)` is atomic.
 */
import * as Effect from "effect/Effect"
import type * as NodeFs from "node:fs"
import { callbackLater } from "../../../base/waits.ts"
import type { JournalError } from "../../JournalError.ts"
import { syncDirectory } from "./paths.ts"
import { attemptFile, fsError } from "./fsError.ts"
import type { HostSystem } from "./HostSystem.ts"

export type FileOwnership = Pick<NodeFs.Stats, "mode" | "uid" | "gid">

export type WriteBytes = (bytes: Uint8Array) => void

const copyOwnership = ({ files }: HostSystem, descriptor: number, { gid, mode, uid }: FileOwnership): void => {
  files.fchmodSync(descriptor, mode & 0o7777)
  const own = files.fstatSync(descriptor)
  if (own.uid === uid && own.gid === gid) return
  try {
    files.fchownSync(descriptor, uid, gid)
  } catch {
    // Only root can change the owner: the file then belongs to the writer.
  }
}

const sync = (system: HostSystem, descriptor: number, path: string): Effect.Effect<void, JournalError> =>
  Effect.uninterruptible(callbackLater((resume) => {
    // Written asynchronously, because there may be much to write.
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
 * Replaces a file with the content that `fill` writes, once that is on the disk; returns its descriptor, open for
 * reading and for appending. When this fails or is interrupted, the old file stays.
 */
export const replaceFile = (
  system: HostSystem,
  path: string,
  ownership: FileOwnership | undefined,
  fill: (write: WriteBytes) => Effect.Effect<void, JournalError>,
): Effect.Effect<number, JournalError> => {
  const { files } = system
  const temporary = `${path}.tmp-${crypto.randomUUID()}`
  const attempt = <A>(work: () => A): Effect.Effect<A, JournalError> =>
    attemptFile({ path, what: "was not written" }, work)
  return Effect.acquireUseRelease(
    attempt(() => files.openSync(temporary, "ax+", 0o600)),
    (descriptor) =>
      Effect.gen(function* () {
        if (ownership !== undefined) yield* attempt(() => copyOwnership(system, descriptor, ownership))
        yield* fill((bytes) => {
          for (let done = 0; done < bytes.length;) {
            done += files.writeSync(descriptor, bytes, done, bytes.length - done, null)
          }
        })
        yield* sync(system, descriptor, path)
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
          // The next writer removes a temporary file that is left.
        }
      }),
  )
}
