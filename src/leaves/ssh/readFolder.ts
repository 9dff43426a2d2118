/**
 * Reads the names in a folder of an SFTP server, part by part, so that an interruption also ends an endless listing.
 *
 * Source: draft-ietf-secsh-filexfer-02, 6.7.
 */
import * as Effect from "effect/Effect"
import type { FileEntryWithStats } from "ssh2"
import type * as NodeBuffer from "node:buffer"
import type { BackendError } from "../files/FileBackend.ts"
import { closeOn } from "./sftpHandles.ts"
import { fail } from "./sftpPaths.ts"
import { lostSessionCode, type SftpSession } from "./SftpSession.ts"

/** Maximum number of names of one folder, which are held in memory together. */
const maxNames = 1_000_000

/** Whether a text is a single name: a path from a hostile server would lead its reader elsewhere. */
const isOneName = ({ filename }: FileEntryWithStats): boolean =>
  filename !== "" && filename !== "." && filename !== ".." && !/[/\0]/.test(filename)

/** Reads the names, once more where the connection was lost. */
export const readFolder = (
  session: SftpSession,
  path: string,
): Effect.Effect<ReadonlyArray<FileEntryWithStats>, BackendError> => {
  const once = Effect.scoped(Effect.gen(function* () {
    const current = yield* session.opened
    const close = (handle: NodeBuffer.Buffer): void => closeOn(current, handle)
    const id = yield* Effect.acquireRelease(
      Effect.interruptible(
        session.callOn<NodeBuffer.Buffer>(current, (sftp, done) => sftp.opendir(path, done), { onLate: close }),
      ),
      (handle) => Effect.sync(() => close(handle)),
    )
    const found: Array<FileEntryWithStats> = []
    // Empty parts count too.
    for (let parts = 0; found.length + parts < maxNames; parts++) {
      const part = yield* Effect.catchIf(
        session.callOn<ReadonlyArray<FileEntryWithStats>>(current, (sftp, done) => sftp.readdir(id, done)),
        ({ code }: BackendError) => code === "EOF",
        () => Effect.undefined,
      )
      if (part === undefined) return found
      for (const entry of part) if (isOneName(entry)) found.push(entry)
    }
    return yield* fail("EIO", `the folder has more than about ${maxNames} names`)
  }))
  return Effect.retry(once, { times: 2, while: ({ code }: BackendError) => code === lostSessionCode })
}
