/**
 * Makes the file calls of a leaf from a folder of this machine, with `node:fs` on Deno, Bun and Node.
 *
 * Effect's `FileSystem` is not used because it has no call that starts at an open folder, and a checked path may lead
 * elsewhere by the time it is used. Calls on names and on a few bytes are synchronous, since they take microseconds;
 * more bytes are read, written and flushed by the runtime's threads.
 */
import * as Effect from "effect/Effect"
import type * as NodeFs from "node:fs"
import type { BackendError, BackendStat, FileBackend, Names } from "./FileBackend.ts"
import { retryMoved } from "./holdPath.ts"
import { attempt, waitFor } from "./hostCalls.ts"
import { HostFolder, type HostFolderSettings } from "./HostFolder.ts"
import { openToAppend, openToRead } from "./hostHandles.ts"
import { hostNotifier } from "./hostNotifier.ts"
import { stageNew, stageOver } from "./hostStaging.ts"

/** Number of entries of a folder that are read before other fibers get their turn. */
const entriesPerTurn = 256

const toStat = (stats: NodeFs.Stats): BackendStat => ({
  type: stats.isFile() ? "file" : stats.isDirectory() ? "directory" : stats.isSymbolicLink() ? "symlink" : "other",
  size: stats.size,
  modified: Math.floor(stats.mtimeMs),
  created: stats.birthtimeMs > 0 ? Math.floor(stats.birthtimeMs) : undefined,
  permissions: stats.mode & 0o7777,
})

const statOf = (host: HostFolder, names: Names, follow: boolean): BackendStat => {
  if (!follow && names.length > 0) return toStat(host.inFolder(names, (path) => host.fs.lstatSync(path)))
  return retryMoved(() => {
    const held = host.hold(names)
    try {
      const stats = held.stats()
      return host.hasHandles || held.isThere() ? toStat(stats) : undefined
    } finally {
      held.release()
    }
  })
}

/** The target of a link; `undefined` where the link is gone, or its target is not Unicode. */
const targetOf = (fs: typeof NodeFs, path: string): string | undefined => {
  try {
    return fs.readlinkSync(path)
  } catch {
    return undefined
  }
}

const list = (
  host: HostFolder,
  names: Names,
  follow: boolean,
  exact: boolean | undefined,
): Effect.Effect<ReadonlyArray<readonly [string, BackendStat]>, BackendError> =>
  Effect.scoped(Effect.gen(function* () {
    const { fs, rules } = host
    const folder = yield* host.holdScoped(() => host.hold(names, follow, exact))
    const all = yield* waitFor<ReadonlyArray<string>>((done) => fs.readdir(folder.through, done))
    const found: Array<readonly [string, BackendStat]> = []
    // Names that are not Unicode decode to the names of other files.
    const unique = [...new Set(all)]
    for (let from = 0; from < unique.length; from += entriesPerTurn) {
      if (from > 0) yield* Effect.yieldNow
      // A folder that may be read but not entered fails here.
      yield* attempt(() => {
        for (const name of unique.slice(from, from + entriesPerTurn)) {
          const path = rules.join(folder.through, [name])
          const stats = host.statIfThere(path)
          if (stats === undefined) continue
          found.push([name, stats.isSymbolicLink() ? { ...toStat(stats), target: targetOf(fs, path) } : toStat(stats)])
        }
      })
    }
    return found
  }))

export const hostBackend = (fs: typeof NodeFs, settings: HostFolderSettings): FileBackend => {
  const { holder, root, rules } = settings
  const host = new HostFolder(fs, settings)
  return {
    notifier: hostNotifier(fs, root, rules),
    root: root.startsWith("/") ? root.split("/").filter((name) => name !== "") : undefined,
    capabilities: { leaf: "local", containment: holder.containment, caseSensitive: rules.caseSensitive },
    room: attempt(() => {
      const { bavail, bsize, ffree } = fs.statfsSync(root)
      return { bytes: bavail * bsize, files: ffree }
    }),
    checkName: rules.checkName,
    canonical: (names) =>
      attempt(() => {
        const { release, where } = host.hold(names)
        release()
        return where.slice(root.length).split(rules.separator).filter((name) => name !== "")
      }),
    stat: (names, follow) => attempt(() => statOf(host, names, follow)),
    list: (names, follow, exact) => list(host, names, follow, exact),
    open: (names) => openToRead(host, names),
    create: (names, permissions) => stageNew(host, names, permissions),
    replace: (names, mustExist, permissions) => stageOver(host, names, mustExist, permissions),
    append: (names, create, permissions) => openToAppend(host, names, create, permissions),
    makeDirectory: (names) => attempt(() => host.changeInFolder(names, (path) => fs.mkdirSync(path))),
    removeFile: (names, exact) =>
      host.whileLocked(attempt(() => host.changeInFolder(names, (path) => fs.unlinkSync(path), exact))),
    removeDirectory: (names, exact) =>
      host.whileLocked(attempt(() => host.changeInFolder(names, (path) => fs.rmdirSync(path), exact))),
  }
}
