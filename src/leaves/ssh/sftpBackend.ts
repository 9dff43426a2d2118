/**
 * Makes the file calls of a leaf from a folder of an SFTP server.
 *
 * A path is resolved by the server (`realpath`), compared with the root, and resolved again after a file was opened: SFTP has
 * no calls that start at an open folder, so another process that swaps a folder with a link at that very moment, and back, is
 * not noticed.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Stats } from "ssh2"
import type * as NodeBuffer from "node:buffer"
import type { BackendStat, FileBackend } from "../files/FileBackend.ts"
import { readFolder } from "./readFolder.ts"
import { makeHandles } from "./sftpHandles.ts"
import { fail, makePaths, rules, swapped } from "./sftpPaths.ts"
import { sftpReader } from "./sftpReader.ts"
import type { SftpSession } from "./SftpSession.ts"
import { makeStaging } from "./sftpStaging.ts"
import { SftpWriter } from "./SftpWriter.ts"

export interface SftpFolder {
  /** Its canonical path on the server. */
  readonly root: string
  readonly followSymlinks: boolean
  /** Whether a write waits until it is on the server's disk, if the server can report this. */
  readonly flush: boolean
  /** Whether a file may be replaced in two steps, where the server has no atomic replacement. */
  readonly replaceInSteps: boolean
  readonly Buffer: typeof NodeBuffer.Buffer
}

const typeOf = (stats: Stats): BackendStat["type"] =>
  stats.isFile() ? "file" : stats.isDirectory() ? "directory" : stats.isSymbolicLink() ? "symlink" : "other"

const toStat = (stats: Stats): BackendStat => ({
  type: typeOf(stats),
  size: stats.size,
  modified: stats.mtime * 1_000,
  permissions: stats.mode & 0o7777,
})

export const sftpBackend = (session: SftpSession, folder: SftpFolder): FileBackend => {
  const { Buffer, followSymlinks, root } = folder
  const paths = makePaths(session, folder)
  const { explained, isThere, locate, lstat, pathOf, place, realPath, regular, target } = paths
  const handles = makeHandles(session, folder)
  const { close: closeHandle, flushed, open: openHandle, room, setMode, stat: statHandle } = handles
  const { moveNew, moveOver, remove, staged } = makeStaging(session, paths, handles, folder)

  return {
    root: root.split("/").filter((name) => name !== ""),
    capabilities: { leaf: "sftp", containment: "verify", caseSensitive: true },
    room,
    checkName: rules.checkName,
    canonical: (names) =>
      Effect.map(
        locate(pathOf(names)),
        (path) => path.slice(root.length).split("/").filter((name) => name !== ""),
      ),
    stat: (names, follow) =>
      Effect.gen(function* () {
        const path = follow || names.length === 0 ? yield* locate(pathOf(names)) : yield* place(names)
        return toStat(yield* explained(pathOf(names), lstat(path)))
      }),
    list: (names, follow, exact) =>
      Effect.gen(function* () {
        const asked = pathOf(names)
        const own = follow || names.length === 0 ? asked : yield* place(names, exact)
        const path = yield* locate(own, exact === true || !follow || !followSymlinks)
        const stats = yield* explained(asked, lstat(path))
        if (!stats.isDirectory()) return yield* fail("ENOTDIR")
        const entries = yield* readFolder(session, path)
        const found: Array<readonly [string, BackendStat]> = []
        for (const { attrs, filename } of entries) {
          // A name that is not UTF-8 is skipped, since no path would lead to it.
          if (filename.includes("\uFFFD") && !(yield* isThere(rules.join(path, [filename])))) continue
          const stat = toStat(attrs)
          const link = stat.type === "symlink"
            ? yield* Effect.option(
              session.ask<string>((sftp, done) => sftp.readlink(rules.join(path, [filename]), done)),
            )
            : Option.none()
          found.push([filename, Option.isSome(link) ? { ...stat, target: link.value } : stat])
        }
        return found
      }),
    open: (names) => {
      const asked = pathOf(names)
      let first: string | undefined
      return sftpReader(Effect.gen(function* () {
        const path = yield* locate(asked)
        // The same file again, after a lost connection.
        if (first !== undefined && first !== path) return yield* fail("ENOTCAPABLE", swapped)
        first = path
        const before = yield* explained(asked, regular(path))
        const handle = yield* Effect.acquireRelease(
          Effect.interruptible(openHandle(path, 0x01, undefined)),
          closeHandle,
        )
        const stats = yield* statHandle(handle)
        const isSame = stats.isFile() && stats.mode === before.mode && stats.uid === before.uid
        if (!isSame || (yield* realPath(path)) !== path) return yield* fail("ENOTCAPABLE", swapped)
        return {
          size: stats.size,
          modified: stats.mtime,
          read: (offset, length) =>
            Effect.suspend(() => {
              const bytes = Buffer.allocUnsafeSlow(Math.max(1, length))
              return Effect.map(
                session.callOn<number>(handle.open, (sftp, done) =>
                  sftp.read(handle.id, bytes, 0, length, offset, (error, count) => done(error, count))),
                (count) =>
                  new Uint8Array(bytes.buffer, bytes.byteOffset, count),
              )
            }),
        }
      }))
    },
    create: (names, permissions) =>
      Effect.gen(function* () {
        const path = yield* place(names)
        if (yield* isThere(path)) return yield* fail("EEXIST")
        return yield* staged(path, undefined, permissions, moveNew)
      }),
    replace: (names, mustExist, permissions) =>
      Effect.gen(function* () {
        const { before, path } = yield* target(names)
        if (before === undefined && mustExist) return yield* fail("ENOENT")
        return yield* staged(path, before, permissions, (from, to, keep) =>
          Effect.flatMap(mustExist ? isThere(to) : Effect.succeed(true), (exists) =>
            exists ? moveOver(from, to, keep) : fail("ENOENT")))
      }),
    append: (names, create, permissions) =>
      Effect.gen(function* () {
        const { before, path } = yield* target(names)
        if (before === undefined && !create) return yield* fail("ENOENT")
        const flags = 0x02 | 0x04 | (before === undefined ? 0x08 : 0)
        const handle = yield* Effect.acquireRelease(
          Effect.interruptible(openHandle(path, flags, before === undefined ? permissions : undefined)),
          closeHandle,
        )
        if (!(yield* statHandle(handle)).isFile() || (yield* realPath(path)) !== path) {
          return yield* fail("ENOTCAPABLE", swapped)
        }
        if (permissions !== undefined) yield* setMode(handle, permissions)
        // Bytes that are sent twice would be written twice, so a lost connection ends the write.
        const writer = new SftpWriter(handle, undefined)
        return {
          write: (bytes) => writer.write(bytes),
          commit: Effect.andThen(writer.flush, flushed(handle)),
        }
      }),
    makeDirectory: (names) =>
      Effect.gen(function* () {
        const path = yield* place(names)
        yield* Effect.catchIf(
          session.call<unknown>((sftp, done) => sftp.mkdir(path, (error) => done(error, undefined))),
          ({ code }) => code === "EFAILURE",
          () =>
            Effect.flatMap(isThere(path), (taken) =>
              taken ? fail("EEXIST") : fail("EIO", "the server failed to make the folder")),
        )
      }),
    removeFile: (names, exact) =>
      Effect.gen(function* () {
        const path = yield* place(names, exact)
        yield* explained(
          pathOf(names),
          Effect.catchIf(
            remove(path),
            ({ code }) => code === "EFAILURE",
            () =>
              Effect.flatMap(lstat(path), (stats) =>
                stats.isDirectory() ? fail("EISDIR") : fail("EIO", "the server failed to remove it")),
          ),
        )
      }),
    removeDirectory: (names, exact) =>
      Effect.gen(function* () {
        const path = yield* place(names, exact)
        yield* explained(
          pathOf(names),
          Effect.catchIf(
            session.call<unknown>((sftp, done) => sftp.rmdir(path, (error) => done(error, undefined))),
            ({ code }) => code === "EFAILURE",
            () => Effect.flatMap(lstat(path), (stats) => stats.isDirectory() ? fail("ENOTEMPTY") : fail("ENOTDIR")),
          ),
        )
      }),
  }
}
