/** Opens, writes, flushes and closes files of an SFTP server by their handles. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Stats } from "ssh2"
import type * as NodeBuffer from "node:buffer"
import type { BackendError, FileBackend } from "../files/FileBackend.ts"
import type { OpenSession, SftpSession } from "./SftpSession.ts"
import { fail } from "./sftpPaths.ts"
import type { WriteHandle } from "./SftpWriter.ts"

/** A file that is open on a session. */
export interface Handle extends WriteHandle {
  readonly open: OpenSession
  readonly id: NodeBuffer.Buffer
}

export interface SftpHandles {
  readonly room: NonNullable<FileBackend["room"]>
  readonly open: (path: string, flags: number, mode: number | undefined) => Effect.Effect<Handle, BackendError>
  readonly close: (handle: Handle) => Effect.Effect<void>
  readonly stat: (handle: Handle) => Effect.Effect<Stats, BackendError>
  readonly setMode: (handle: Handle, mode: number) => Effect.Effect<unknown, BackendError>
  /** Waits until the written bytes are on the disk, if that is requested and the server supports it. */
  readonly flushed: (handle: Handle) => Effect.Effect<void, BackendError>
}

/** Closes a handle. The answer is not waited for: the server works on calls in their order. */
export const closeOn = (current: OpenSession, id: NodeBuffer.Buffer): void => {
  if (current.isLost()) return
  try {
    current.sftp.close(id, () => {})
  } catch {
    // The session has ended, and its handles with it.
  }
}

export const makeHandles = (
  session: SftpSession,
  { Buffer, flush, root }: {
    readonly Buffer: typeof NodeBuffer.Buffer
    readonly flush: boolean
    readonly root: string
  },
): SftpHandles => {
  const full = (error: BackendError): Effect.Effect<never, BackendError> =>
    error.code !== "EFAILURE" ? Effect.fail(error) : Effect.flatMap(
      Effect.option(room),
      (free) =>
        Option.isSome(free) && free.value.bytes < 1_048_576
          ? fail("ENOSPC")
          : fail("EIO", "the server failed to write without a reason: its disk or the quota may be full"),
    )

  const room: NonNullable<FileBackend["room"]> = Effect.map(
    session.ask<{ readonly f_bavail: number; readonly f_frsize: number; readonly f_favail: number }>((sftp, done) =>
      sftp.ext_openssh_statvfs(root, done)
    ),
    ({ f_bavail, f_favail, f_frsize }) => ({ bytes: f_bavail * f_frsize, files: f_favail }),
  )

  const open = (path: string, flags: number, mode: number | undefined): Effect.Effect<Handle, BackendError> =>
    Effect.gen(function* () {
      const current = yield* session.opened
      const closeLate = (late: NodeBuffer.Buffer): void => closeOn(current, late)
      const id = yield* session.callOn<NodeBuffer.Buffer>(
        current,
        (sftp, done) => mode === undefined ? sftp.open(path, flags, done) : sftp.open(path, flags, { mode }, done),
        { onLate: closeLate },
      )
      return {
        open: current,
        id,
        write: (bytes, offset) =>
          Effect.catch(
            session.callOn<unknown>(current, (sftp, done) => {
              const { buffer, byteOffset, length } = bytes
              sftp.write(id, Buffer.from(buffer, byteOffset, length), 0, length, offset, (error) =>
                done(error, undefined))
            }),
            full,
          ),
      }
    })

  const close = ({ id, open }: Handle): Effect.Effect<void> => Effect.sync(() => closeOn(open, id))

  const stat = ({ id, open }: Handle) => session.callOn<Stats>(open, (sftp, done) => sftp.fstat(id, done))

  const setMode = ({ id, open }: Handle, mode: number) =>
    session.callOn<unknown>(open, (sftp, done) => sftp.fchmod(id, mode, (error) => done(error, undefined)))

  const flushed = ({ id, open }: Handle): Effect.Effect<void, BackendError> =>
    !flush ? Effect.void : Effect.catchIf(
      Effect.asVoid(session.callOn<unknown>(open, (sftp, done) => sftp.ext_openssh_fsync(id, done))),
      // A server without the extension: ssh2 fails before it sends the request.
      ({ code, detail }: BackendError) => code === "ENOTSUP" || /does not support/.test(detail ?? ""),
      () => Effect.void,
    )

  return { room, open, close, stat, setMode, flushed }
}
