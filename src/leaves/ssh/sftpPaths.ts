/** Resolves paths of an SFTP server below a root, and explains why a path is missing or leads out of it. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Stats } from "ssh2"
import { BackendError, type Names } from "../files/FileBackend.ts"
import { isInside, type PathRules, posixRules } from "../files/PathRules.ts"
import type { SftpSession } from "./SftpSession.ts"

export const rules: PathRules = posixRules(true)

/** Fails a call. */
export const fail = (code: string, detail?: string): Effect.Effect<never, BackendError> =>
  Effect.fail(new BackendError(code, detail))

/** The detail of a file that was swapped. */
export const swapped = "another process put something else at this path while it was opened; try again"

export interface SftpPaths {
  readonly pathOf: (names: Names) => string
  readonly realPath: (path: string) => Effect.Effect<string, BackendError>
  readonly lstat: (path: string) => Effect.Effect<Stats, BackendError>
  readonly isThere: (path: string) => Effect.Effect<boolean, BackendError>
  /** Says more of an `ENOENT`. */
  readonly explained: <A, R>(
    path: string,
    effect: Effect.Effect<A, BackendError, R>,
  ) => Effect.Effect<A, BackendError, R>
  /** The canonical path of an existing entry below the root; with `exact`, only if no link leads there. */
  readonly locate: (path: string, exact?: boolean) => Effect.Effect<string, BackendError>
  /** The path of the last name in its canonical folder. */
  readonly place: (names: Names, exact?: boolean) => Effect.Effect<string, BackendError>
  /** A regular file, by its canonical path. */
  readonly regular: (path: string) => Effect.Effect<Stats, BackendError>
  /** The file at a path, links followed, for a write; `undefined` if there is none. */
  readonly target: (names: Names) => Effect.Effect<{ path: string; before: Stats | undefined }, BackendError>
}

export const makePaths = (
  session: SftpSession,
  { followSymlinks, root }: { readonly followSymlinks: boolean; readonly root: string },
): SftpPaths => {
  const pathOf = (names: Names): string => rules.join(root, names)

  const realPath = (path: string) => session.ask<string>((sftp, done) => sftp.realpath(path, done))
  const lstat = (path: string) => session.ask<Stats>((sftp, done) => sftp.lstat(path, done))
  const statAt = (path: string) => session.ask<Stats>((sftp, done) => sftp.stat(path, done))

  const isThere = (path: string): Effect.Effect<boolean, BackendError> =>
    Effect.matchEffect(lstat(path), {
      onSuccess: () => Effect.succeed(true),
      onFailure: (error) => error.code === "ENOENT" ? Effect.succeed(false) : Effect.fail(error),
    })

  /** The protocol reports `ENOENT` also for a path through a file, and for a circular link. */
  const explainMissing = (path: string): Effect.Effect<never, BackendError> =>
    Effect.gen(function* () {
      const names = path.slice(root.length).split("/").filter((name) => name !== "")
      for (let length = 1; length < names.length; length++) {
        const found = yield* Effect.option(statAt(pathOf(names.slice(0, length))))
        if (Option.isNone(found)) break
        if (!found.value.isDirectory()) return yield* fail("ENOTDIR")
      }
      return yield* fail("ENOENT")
    })

  const explained = <A, R>(
    path: string,
    effect: Effect.Effect<A, BackendError, R>,
  ): Effect.Effect<A, BackendError, R> =>
    Effect.catchIf(effect, ({ code }) => code === "ENOENT", () => explainMissing(path))

  const locate = (path: string, exact = !followSymlinks): Effect.Effect<string, BackendError> =>
    explained(
      path,
      Effect.gen(function* () {
        const real = yield* realPath(path)
        if (!isInside(rules, root, real)) return yield* fail("ENOTCAPABLE")
        return exact && real !== path ? yield* fail("ELOOP") : real
      }),
    )

  const place = (names: Names, exact?: boolean): Effect.Effect<string, BackendError> => {
    const name = names.at(-1)
    if (name === undefined) return fail("EBUSY")
    const parent = pathOf(names.slice(0, -1))
    return Effect.gen(function* () {
      const real = yield* locate(parent, exact)
      // OpenSSH's realpath accepts a last name that does not exist.
      const stats = yield* explained(pathOf(names), lstat(real))
      return stats.isDirectory() ? rules.join(real, [name]) : yield* fail("ENOTDIR")
    })
  }

  const regular = (path: string): Effect.Effect<Stats, BackendError> =>
    Effect.flatMap(
      lstat(path),
      (stats) =>
        stats.isFile()
          ? Effect.succeed(stats)
          : fail(stats.isDirectory() ? "EISDIR" : stats.isSymbolicLink() ? "ELOOP" : "ENXIO"),
    )

  const target = (names: Names): Effect.Effect<{ path: string; before: Stats | undefined }, BackendError> =>
    Effect.gen(function* () {
      const own = yield* place(names)
      const there = yield* Effect.matchEffect(lstat(own), {
        onSuccess: Effect.succeedSome,
        onFailure: (error) => error.code === "ENOENT" ? Effect.succeedNone : Effect.fail(error),
      })
      if (Option.isNone(there)) return { path: own, before: undefined }
      const path = yield* Effect.mapError(
        locate(own),
        (error) => error.code === "ENOENT" ? new BackendError("ENOENT", "it is a dangling link") : error,
      )
      const before = yield* Effect.mapError(
        regular(path),
        (error) => error.code === "ENOENT" ? new BackendError("ENOENT", "it is a dangling link") : error,
      )
      return { path, before }
    })

  return { pathOf, realPath, lstat, isThere, explained, locate, place, regular, target }
}
