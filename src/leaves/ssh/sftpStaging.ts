/**
 * Writes a file of an SFTP server under a temporary name next to its path, and moves it there, in one step where the
 * server can.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Stats } from "ssh2"
import { temporaryName } from "../../files/temporaryName.ts"
import type { BackendError, FileWriter } from "../files/FileBackend.ts"
import { lostSessionCode, type SftpSession } from "./SftpSession.ts"
import type { SftpHandles } from "./sftpHandles.ts"
import { type CommitMove, makeMoves, type SftpMoves } from "./sftpMoves.ts"
import { fail, rules, type SftpPaths, swapped } from "./sftpPaths.ts"
import { SftpWriter } from "./SftpWriter.ts"

/** Calls that write a whole file. */
export interface SftpStaging extends Pick<SftpMoves, "remove" | "moveNew" | "moveOver"> {
  /** Writes a file under a temporary name next to its path, and moves it there. `before`: the existing file. */
  readonly staged: (
    path: string,
    before: Stats | undefined,
    permissions: number | undefined,
    commitMove: CommitMove,
  ) => Effect.Effect<FileWriter, BackendError, Scope.Scope>
}

/** The protocol's `FAILURE` covers all errors without a code of their own. */
const explainFailure = (error: BackendError): Effect.Effect<never, BackendError> =>
  error.code === "EFAILURE" ? fail("EIO", "the server failed to make the file without a reason") : Effect.fail(error)

export const makeStaging = (
  session: SftpSession,
  paths: SftpPaths,
  { close: closeHandle, flushed, open: openHandle, setMode, stat: statHandle }: SftpHandles,
  { replaceInSteps }: { readonly replaceInSteps: boolean },
): SftpStaging => {
  const { explained, realPath } = paths
  const { discard, move, moveNew, moveOver, remove } = makeMoves(session, paths, replaceInSteps)
  const writeFlags = 0x02 | 0x08 | 0x20

  /** Makes a temporary file next to a path. The file is removed with the scope unless `isStaged` is set to false. */
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
        // Uses another name after a lost connection: the server may have made the file already.
        Effect.retry(makeTemporary(path, mode === undefined ? 0o666 : 0o600), {
          times: 2,
          while: ({ code }) => code === lostSessionCode,
        }),
        (error) => explained(path, explainFailure(error)),
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
          // Interrupted in the middle: removes the staged file unless it was moved.
          yield* move(temporary, path, (from, to) => commitMove(from, to, (isOnly) => void (made.isStaged = !isOnly)))
          made.isStaged = false
        }),
      }
    })

  return { remove, moveNew, moveOver, staged }
}
