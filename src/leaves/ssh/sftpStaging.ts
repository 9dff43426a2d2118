/** Writes a file of an SFTP server beside its place, and moves it there in one step where the server can. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Stats } from "ssh2"
import { temporaryName } from "../../files/temporaryName.ts"
import { BackendError, type FileWriter } from "../files/FileBackend.ts"
import { answeredWithin } from "./answeredWithin.ts"
import { type CallOptions, lostSessionCode, type SftpSession, timedOutCode } from "./SftpSession.ts"
import type { SftpHandles } from "./sftpHandles.ts"
import { fail, rules, type SftpPaths, swapped } from "./sftpPaths.ts"
import { SftpWriter } from "./sftpWriter.ts"

export type Move = (from: string, to: string) => Effect.Effect<void, BackendError>

/** Moves a staged file to its place. `keep`: called with `true` where the file may be the only one, and `false` where it is not. */
type CommitMove = (from: string, to: string, keep: (isOnly: boolean) => void) => Effect.Effect<void, BackendError>

/** Whether the session of a call has ended, so that another session may answer. */
const isOver = ({ code }: BackendError): boolean => code === lostSessionCode || code === timedOutCode

/** Calls that write a whole file. */
export interface SftpStaging {
  readonly remove: (path: string) => Effect.Effect<void, BackendError>
  /** Moves a file to a place where nothing is. */
  readonly moveNew: Move
  readonly moveOver: CommitMove
  /** Writes a file beside its place, and moves it there. `before`: the file that is there. */
  readonly staged: (
    path: string,
    before: Stats | undefined,
    permissions: number | undefined,
    commitMove: CommitMove,
  ) => Effect.Effect<FileWriter, BackendError, Scope.Scope>
}

export const makeStaging = (
  session: SftpSession,
  { explained, isThere, realPath }: SftpPaths,
  { close: closeHandle, flushed, open: openHandle, setMode, stat: statHandle }: SftpHandles,
  { replaceInSteps }: { readonly replaceInSteps: boolean },
): SftpStaging => {
  /** `FAILURE` of the protocol stands for all that it has no code for. */
  const failure =
    (what: string, code: string | undefined) => (error: BackendError): Effect.Effect<never, BackendError> =>
      error.code === "EFAILURE"
        ? Effect.fail(
          new BackendError(
            code ?? "EIO",
            code === undefined ? `the server failed to ${what} without a reason` : undefined,
          ),
        )
        : Effect.fail(error)

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
   * Removes a staged file that is not wanted, on a new session where this one is lost or silent. It runs in a fiber of its own: one
   * that is interrupted cannot connect.
   */
  const discard = (path: string): Effect.Effect<void> =>
    Effect.flatMap(
      Effect.forkDetach(
        answeredWithin(Effect.retry(removeSoon(path), { times: 2, while: isOver }), 2 * session.patienceMillis),
      ),
      (fiber) => Effect.asVoid(Fiber.await(fiber)),
    )

  /** Moves a staged file to its place; after a lost connection looks whether it was moved. */
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

  /** Between the two steps there is no file but the staged one, which stays when the second step fails. */
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

  const writeFlags = 0x02 | 0x08 | 0x20

  /** Makes a file beside a place, which is removed with the scope unless `isStaged` is set to false. */
  const makeTemporary = (path: string, mode: number) =>
    Effect.gen(function* () {
      const temporary = rules.join(rules.split(path)[0], [yield* temporaryName])
      const made = { temporary, isStaged: true }
      yield* Effect.addFinalizer(() => made.isStaged ? discard(temporary) : Effect.void)
      return Object.assign(made, { handle: yield* openHandle(temporary, writeFlags, mode) })
    })

  const staged = (
    path: string,
    before: Stats | undefined,
    permissions: number | undefined,
    commitMove: CommitMove,
  ): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
    Effect.gen(function* () {
      const [parent] = rules.split(path)
      const mode = permissions ?? (before === undefined ? undefined : before.mode & 0o777)
      const made = yield* Effect.catch(
        // By another name after a lost connection: the server may have made the file before.
        Effect.retry(makeTemporary(path, mode === undefined ? 0o666 : 0o600), {
          times: 2,
          while: ({ code }) => code === lostSessionCode,
        }),
        (error) => explained(path, failure("make the file", undefined)(error)),
      )
      const { temporary } = made
      yield* Effect.addFinalizer(() => closeHandle(made.handle))
      // Others may have swapped the folder with a link meanwhile.
      const checked = Effect.flatMap(
        realPath(temporary),
        (real) => real === temporary ? Effect.void : fail("ENOTCAPABLE", swapped),
      )
      yield* checked
      const reopen = Effect.gen(function* () {
        made.handle = yield* openHandle(temporary, 0x02, undefined)
        yield* checked
        return made.handle
      })
      const writer = new SftpWriter(made.handle, reopen)
      const finish = Effect.gen(function* () {
        const { size } = yield* statHandle(writer.handle)
        if (size !== writer.offset) {
          return yield* fail("EIO", `the server has ${size} of ${writer.offset} bytes; write it again`)
        }
        if (mode !== undefined) yield* setMode(writer.handle, mode)
        yield* flushed(writer.handle)
      })
      return {
        write: (bytes) => writer.write(bytes),
        commit: Effect.gen(function* () {
          yield* writer.flush
          yield* writer.resuming(finish)
          if ((yield* realPath(parent)) !== parent) return yield* fail("ENOTCAPABLE", swapped)
          // Interrupted in the middle: the server removes what it has not moved.
          yield* move(temporary, path, (from, to) => commitMove(from, to, (isOnly) => void (made.isStaged = !isOnly)))
          made.isStaged = false
        }),
      }
    })

  return { remove, moveNew, moveOver, staged }
}
