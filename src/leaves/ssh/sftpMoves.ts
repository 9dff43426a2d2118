/** Moves and removes files of an SFTP server, in one step where the server can. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { BackendError } from "../files/FileBackend.ts"
import { answeredWithin } from "./answeredWithin.ts"
import { type CallOptions, lostSessionCode, type SftpSession, timedOutCode } from "./SftpSession.ts"
import { fail, rules, type SftpPaths } from "./sftpPaths.ts"

export type Move = (from: string, to: string) => Effect.Effect<void, BackendError>

/**
 * Moves a staged file to its path. `keep`: called with `true` when the staged file may be the only copy, and with
 * `false` when it is not.
 */
export type CommitMove = (
  from: string,
  to: string,
  keep: (isOnly: boolean) => void,
) => Effect.Effect<void, BackendError>

/** Whether the session of a call has ended, so that another session may answer. */
const isOver = ({ code }: BackendError): boolean => code === lostSessionCode || code === timedOutCode

export interface SftpMoves {
  readonly remove: (path: string) => Effect.Effect<void, BackendError>
  readonly discard: (path: string) => Effect.Effect<void>
  readonly move: (temporary: string, path: string, how: Move) => Effect.Effect<void, BackendError>
  /** Moves a file to a path that does not exist. */
  readonly moveNew: Move
  readonly moveOver: CommitMove
}

export const makeMoves = (session: SftpSession, { isThere }: SftpPaths, replaceInSteps: boolean): SftpMoves => {
  const remove = (path: string): Effect.Effect<void, BackendError> =>
    Effect.asVoid(session.call<unknown>((sftp, done) => sftp.unlink(path, (error) => done(error, undefined))))

  /** {@link remove} for a call that cannot be interrupted: a server that does not answer is not waited for without end. */
  const removeSoon = (path: string): Effect.Effect<void, BackendError> =>
    Effect.flatMap(session.opened, (open) =>
      Effect.asVoid(
        session.callOn<unknown>(open, (sftp, done) => sftp.unlink(path, (error) => done(error, undefined)), {
          millis: session.patienceMillis,
        }),
      ))

  /**
   * Removes an unneeded staged file, on a new session if this one is lost or silent. It runs in a fiber of its own, because
   * an interrupted fiber cannot connect.
   */
  const discard = (path: string): Effect.Effect<void> =>
    Effect.flatMap(
      Effect.forkDetach(
        answeredWithin(Effect.retry(removeSoon(path), { times: 2, while: isOver }), 2 * session.patienceMillis),
      ),
      (fiber) => Effect.asVoid(Fiber.await(fiber)),
    )

  /** Moves a staged file to its path; after a lost connection checks whether it was moved. */
  const move = (
    temporary: string,
    path: string,
    how: Move,
  ): Effect.Effect<void, BackendError> =>
    Effect.catchIf(
      how(temporary, path),
      ({ code }) => code === lostSessionCode,
      (error) =>
        Effect.flatMap(isThere(temporary), (isStill) =>
          isStill
            ? how(temporary, path)
            : Effect.flatMap(isThere(path), (isMoved) =>
              isMoved ? Effect.void : Effect.fail(error))),
    )

  const rename = (from: string, to: string, options?: CallOptions<unknown>): Effect.Effect<void, BackendError> =>
    Effect.catchIf(
      Effect.flatMap(session.opened, (open) =>
        Effect.asVoid(
          session.callOn<unknown>(open, (sftp, done) =>
            sftp.rename(from, to, (error) => done(error, undefined)), options),
        )),
      ({ code }: BackendError) => code === "EFAILURE",
      () =>
        Effect.flatMap(
          isThere(to),
          (taken) => taken ? fail("EEXIST") : fail("EIO", "the server failed to rename the file"),
        ),
    )

  const moveNew: Move = (from, to) => rename(from, to)

  /** Between the two steps only the staged file exists; it stays if the second step fails. */
  const moveInSteps: CommitMove = (from, to, keep) =>
    Effect.uninterruptible(Effect.gen(function* () {
      keep(true)
      const removed = Effect.catchIf(
        Effect.retry(removeSoon(to), { times: 2, while: ({ code }: BackendError) => code === lostSessionCode }),
        ({ code }: BackendError) => code === "ENOENT",
        () => Effect.void,
      )
      yield* Effect.tapError(removed, (error) => Effect.sync(() => keep(isOver(error))))
      yield* Effect.mapError(
        move(from, to, (from, to) => rename(from, to, { millis: session.patienceMillis })),
        ({ code, detail }) =>
          new BackendError(
            code,
            `${detail ?? "the second step failed"}; the old file is gone, and the new one is ${rules.split(from)[1]}`,
          ),
      )
    }))

  const moveOver: CommitMove = (from, to, keep) =>
    Effect.catchIf(
      Effect.catchIf(
        Effect.asVoid(
          session.call<unknown>((sftp, done) => sftp.ext_openssh_rename(from, to, (error) => done(error, undefined))),
        ),
        ({ code }) => code === "EFAILURE",
        () => fail("EIO", "the server failed to rename the file"),
      ),
      ({ code, detail }: BackendError) => code === "ENOTSUP" || /does not support/.test(detail ?? ""),
      () =>
        Effect.flatMap(isThere(to), (taken) => {
          if (!taken) return moveNew(from, to)
          if (replaceInSteps) return moveInSteps(from, to, keep)
          return fail(
            "ENOTSUP",
            "the server cannot replace a file in one step (posix-rename@openssh.com); with replaceInSteps it is removed first, " +
              "and for a moment it does not exist",
          )
        }),
    )

  return { remove, discard, move, moveNew, moveOver }
}
