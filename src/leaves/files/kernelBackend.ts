/** Makes the file calls of a leaf from a file system of the process kernel: memory, a host folder, or a sandbox. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Errno, errnoName } from "../../kernel/Errno.ts"
import type { FileSystem } from "../../kernel/FileSystem.ts"
import { type Directory, FileFlag, type OpenFile } from "../../kernel/OpenFile.ts"
import { FileType, type Stat } from "../../kernel/Stat.ts"
import { temporaryName } from "../../files/temporaryName.ts"
import { BackendError, type BackendStat, type FileBackend, type FileWriter, type Names } from "./FileBackend.ts"

const nanosPerMilli = 1_000_000n

const types: Readonly<Record<number, BackendStat["type"]>> = {
  [FileType.regularFile]: "file",
  [FileType.directory]: "directory",
  [FileType.symbolicLink]: "symlink",
}

const toStat = ({ mode, modified, size, type }: Stat): BackendStat => ({
  type: types[type] ?? "other",
  size,
  modified: Number(modified / nanosPerMilli),
  permissions: mode,
})

const checked = <A>(result: A | number): Effect.Effect<A, BackendError> =>
  typeof result === "number" ? Effect.fail(new BackendError(errnoName(result))) : Effect.succeed(result)

const done = (result: number): Effect.Effect<void, BackendError> =>
  result < 0 ? Effect.fail(new BackendError(errnoName(result))) : Effect.void

/**
 * Makes the file calls below a folder of a file system of the kernel (default: below `/`). All calls are synchronous,
 * so nothing changes between a check and the call that follows it.
 */
export const kernelBackend = (fs: FileSystem, leaf: string, root: Directory = fs.root): FileBackend => {
  const rootPrefix = root.path === "/" ? "/" : `${root.path}/`
  const pathOf = (names: Names): string => names.length === 0 ? "." : names.join("/")
  const beneath = { beneath: true, linkRoot: fs.root }

  /** The path of a name in its folder, if no link leads to the folder. */
  const checkedPath = (names: Names, exact = false): string | number => {
    const parent = names.slice(0, -1)
    const folder = exact ? fs.directory(root, pathOf(parent), beneath) : root
    if (typeof folder === "number") return folder
    return !exact || folder.path === (parent.length === 0 ? root.path : rootPrefix + pathOf(parent))
      ? pathOf(names)
      : -Errno.ELOOP
  }

  const stat = (names: Names, follow: boolean): Stat | number => fs.stat(root, pathOf(names), { ...beneath, follow })

  const opened = (
    path: string,
    options: { readonly read?: boolean; readonly write?: boolean; readonly create?: boolean; readonly flags?: number },
  ): Effect.Effect<OpenFile, BackendError, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.suspend(() => checked(fs.open(root, path, { ...options, ...beneath, mode: 0o644 }))),
      (file) => Effect.sync(() => file.release()),
    )

  const regular = (names: Names): Effect.Effect<Stat, BackendError> =>
    Effect.flatMap(
      Effect.suspend(() => checked(stat(names, true))),
      (found) =>
        found.type === FileType.regularFile
          ? Effect.succeed(found)
          : Effect.fail(new BackendError(found.type === FileType.directory ? "EISDIR" : "ENXIO")),
    )

  /** Refuses a link that leads nowhere, as the other leaves do: a write through it would make a file elsewhere. */
  const refuseDangling = (names: Names): Effect.Effect<void, BackendError> =>
    Effect.suspend(() =>
      typeof stat(names, false) === "number"
        ? Effect.void
        : Effect.fail(new BackendError("ENOENT", "it is a dangling link"))
    )

  /** The path that a link leads to, since a replacement must not replace the link. */
  const behindLinks = (names: Names): Effect.Effect<string, BackendError> =>
    Effect.gen(function* () {
      let path = pathOf(names)
      for (let links = 0; links < 40; links++) {
        const target = fs.readlink(root, path, beneath)
        if (typeof target === "number") return path
        if (!target.startsWith("/")) path = `${path.slice(0, path.lastIndexOf("/") + 1)}${target}`
        else if (target.startsWith(rootPrefix)) path = target.slice(rootPrefix.length)
        else return yield* Effect.fail(new BackendError("ENOTCAPABLE"))
      }
      return yield* Effect.fail(new BackendError("ELOOP"))
    })

  const writeAll = (file: OpenFile, bytes: Uint8Array): Effect.Effect<void, BackendError> =>
    Effect.suspend(() => {
      for (let offset = 0; offset < bytes.length;) {
        const count = file.write(bytes.subarray(offset))
        if (count < 0) return done(count)
        offset += count
      }
      return Effect.void
    })

  /** Writes a temporary file next to the target, and moves it there with `move`. */
  const staged = (
    path: string,
    mode: number | undefined,
    move: (temporary: string) => number,
  ): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
    Effect.gen(function* () {
      const slash = path.lastIndexOf("/") + 1
      const temporary = `${path.slice(0, slash)}${yield* temporaryName}`
      const file = yield* Effect.acquireRelease(
        Effect.suspend(() =>
          checked(
            fs.open(root, temporary, {
              write: true,
              create: true,
              exclusive: true,
              mode: mode ?? 0o644,
              ...beneath,
            }),
          )
        ),
        (file) =>
          Effect.sync(() => {
            file.release()
            fs.unlink(root, temporary, beneath)
          }),
      )
      return { write: (bytes) => writeAll(file, bytes), commit: Effect.suspend(() => done(move(temporary))) }
    })

  return {
    root: root.path.split("/").filter((name) => name !== ""),
    capabilities: { leaf, containment: "exclusive", caseSensitive: true },
    checkName: () => undefined,
    canonical: (names) =>
      Effect.map(
        Effect.suspend(() => checked(fs.directory(root, pathOf(names), beneath))),
        ({ path }) => path.slice(root.path.length).split("/").filter((name) => name !== ""),
      ),
    stat: (names, follow) => Effect.suspend(() => Effect.map(checked(stat(names, follow)), toStat)),
    list: (names, follow, exact) =>
      Effect.gen(function* () {
        const path = yield* Effect.suspend(() => checked(checkedPath(names, exact)))
        const folder = yield* checked(fs.directory(root, path, { ...beneath, follow }))
        const entries = yield* checked(fs.list(folder))
        const found: Array<readonly [string, BackendStat]> = []
        for (const { name } of entries) {
          const stat = fs.stat(folder, name, { follow: false, beneath: true })
          if (typeof stat === "number") continue
          const target = stat.type === FileType.symbolicLink ? fs.readlink(folder, name, { beneath: true }) : undefined
          found.push([name, { ...toStat(stat), target: typeof target === "string" ? target : undefined }])
        }
        return found
      }),
    open: (names) =>
      Effect.gen(function* () {
        const { size } = yield* regular(names)
        const file = yield* opened(pathOf(names), { read: true })
        return {
          size,
          read: (offset, length) =>
            Effect.suspend(() => {
              const bytes = new Uint8Array(length)
              const count = file.readAt(offset, bytes)
              return count < 0
                ? Effect.fail(new BackendError(errnoName(count)))
                : Effect.succeed(bytes.subarray(0, count))
            }),
        }
      }),
    create: (names, permissions) =>
      Effect.gen(function* () {
        const path = pathOf(names)
        if (typeof stat(names, false) !== "number") return yield* Effect.fail(new BackendError("EEXIST"))
        return yield* staged(path, permissions, (temporary) => fs.link(root, temporary, root, path, beneath))
      }),
    replace: (names, mustExist, permissions) =>
      Effect.gen(function* () {
        const before = yield* Effect.catchIf(
          regular(names),
          ({ code }) => code === "ENOENT" && !mustExist,
          () => Effect.as(refuseDangling(names), undefined),
        )
        const path = yield* behindLinks(names)
        return yield* staged(path, permissions ?? before?.mode, (temporary) => {
          if (mustExist && typeof stat(names, true) === "number") return -Errno.ENOENT
          return fs.rename(root, temporary, root, path, beneath)
        })
      }),
    append: (names, create, permissions) =>
      Effect.gen(function* () {
        const found = stat(names, true)
        if (typeof found !== "number") yield* regular(names)
        else if (!create) yield* done(found)
        else yield* refuseDangling(names)
        const path = pathOf(names)
        const file = yield* opened(path, { write: true, create, flags: FileFlag.append })
        if (permissions !== undefined) yield* Effect.suspend(() => done(fs.setMode(root, path, permissions, beneath)))
        return { write: (bytes) => writeAll(file, bytes), commit: Effect.void }
      }),
    makeDirectory: (names) => Effect.suspend(() => done(fs.makeDirectory(root, pathOf(names), 0o755, beneath))),
    removeFile: (names, exact) =>
      Effect.suspend(() => {
        const path = checkedPath(names, exact)
        return done(typeof path === "number" ? path : fs.unlink(root, path, beneath))
      }),
    removeDirectory: (names, exact) =>
      Effect.suspend(() => {
        const path = checkedPath(names, exact)
        return done(typeof path === "number" ? path : fs.removeDirectory(root, path, beneath))
      }),
  }
}
