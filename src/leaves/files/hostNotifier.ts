/**
 * Notifies about changes in a folder of this machine: `Deno.watchFs` on Deno; on Linux one `fs.watch` for each folder, since
 * recursive ones of Node and Bun begin late in new folders; elsewhere one recursive `fs.watch`.
 *
 * A notification only says where to look. It names a path, which may lead outside of the root if a folder is swapped at that
 * moment; the calls that then read the folder stay inside.
 *
 * Source: inotify(7); Node, `fs.watch` "Caveats"; Deno, `Deno.watchFs`.
 */
import * as Effect from "effect/Effect"
import type * as NodeFs from "node:fs"
import { elapsedMillis } from "../../base/monotonicTime.ts"
import { readErrorCode } from "../../base/readErrorCode.ts"
import { joinPath } from "../../files/FilePath.ts"
import type { FileNotifier, FolderNotifications, NotificationListener } from "../../files/FileNotifier.ts"
import type { PathRules } from "./PathRules.ts"
import { openDenoWatcher } from "./openDenoWatcher.ts"

interface Watchers {
  readonly notifications: FolderNotifications
  readonly close: () => void
}

export const hostNotifier = (fs: typeof NodeFs, root: string, rules: PathRules): FileNotifier => {
  const absolute = (path: string): string => rules.join(root, path === "" ? [] : path.split("/"))
  const relative = (path: string): string =>
    path.slice(root.endsWith(rules.separator) ? root.length : root.length + 1).replaceAll(rules.separator, "/")
  const hasInotify = rules.separator === "/" && rules.caseSensitive

  return (path, listener) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync((): Watchers =>
          openDenoWatcher !== undefined
            ? treeWatcher(fs, absolute(path), path, listener, denoWatcher(openDenoWatcher, relative))
            : hasInotify
            ? folderWatchers(fs, absolute, listener)
            : treeWatcher(fs, absolute(path), path, listener, nodeWatcher(fs, path, rules))
        ),
        ({ close }) => Effect.sync(close),
      ),
      ({ notifications }) => notifications,
    )
}

/** Begins to watch a folder and all below it; returns the function that ends it. */
type OpenWatcher = (folder: string, listener: NotificationListener) => () => void

const denoWatcher =
  (open: NonNullable<typeof openDenoWatcher>, relative: (path: string) => string): OpenWatcher => (folder, listener) =>
    open(
      folder,
      (paths) => paths.forEach((path) => listener.changed(relative(path))),
      () => listener.lost("queue"),
    )

const nodeWatcher = (fs: typeof NodeFs, path: string, rules: PathRules): OpenWatcher => (folder, listener) => {
  const watcher = fs.watch(
    folder,
    { recursive: true },
    (_kind, name) => listener.changed(name === null ? path : joinPath(path, name.replaceAll(rules.separator, "/"))),
  )
  watcher.on("error", () => listener.changed(path))
  return () => watcher.close()
}

/** Identifies the folder at a path: a watcher stays with the folder for which it was opened. */
const identify = (fs: typeof NodeFs, folder: string): string | undefined => {
  const stats = fs.lstatSync(folder, { bigint: true, throwIfNoEntry: false })
  return stats && [stats.dev, stats.ino, stats.birthtimeNs].join()
}

/** Deno ends a watcher some time after it was closed, and with it a new one of the same path. */
const reopenMillis = 1_000

const treeWatcher = (
  fs: typeof NodeFs,
  folder: string,
  path: string,
  listener: NotificationListener,
  open: OpenWatcher,
): Watchers => {
  let watched: string | undefined
  let close: (() => void) | undefined
  let closedAt = -Infinity
  const watch = (): void => {
    try {
      const found = identify(fs, folder)
      if (found === undefined || (close !== undefined && found === watched)) return
      if (close !== undefined) {
        // A different folder has the name now; the next comparison opens a watcher for it.
        close()
        close = undefined
        closedAt = elapsedMillis()
      } else if (elapsedMillis() - closedAt > reopenMillis) {
        watched = found
        close = open(folder, listener)
      }
    } catch {
      listener.lost("limit")
    }
  }
  watch()
  const addFolder = (added: string): void => {
    if (added === path) watch()
  }
  return { notifications: { scope: "tree", addFolder, removeFolder: () => {} }, close: () => close?.() }
}

/** Detects dropped notifications, which libuv does not report. All watchers of a process share one queue. */
const inotifyQueue = (() => {
  const listeners = new Set<NotificationListener>()
  let maxPerTurn: number | undefined
  let inTurn = 0
  return {
    listeners,
    count: (fs: typeof NodeFs): void => {
      maxPerTurn ??= queueLength(fs) / 2
      if (inTurn++ === 0) setImmediate(() => (inTurn = 0))
      // Number of notifications in one turn of the event loop that suggests that others were dropped.
      if (inTurn === Math.ceil(maxPerTurn)) listeners.forEach((listener) => listener.lost("queue"))
    },
  }
})()

const queueLength = (fs: typeof NodeFs): number => {
  try {
    return Number.parseInt(fs.readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8")) || 16_384
  } catch {
    return 16_384
  }
}

const folderWatchers = (
  fs: typeof NodeFs,
  absolute: (path: string) => string,
  listener: NotificationListener,
): Watchers => {
  const watchers = new Map<string, { readonly watcher: NodeFs.FSWatcher; readonly watched: string | undefined }>()
  let isFull = false
  const changed = (path: string): void => {
    listener.changed(path)
    inotifyQueue.count(fs)
  }
  inotifyQueue.listeners.add(listener)
  const removeFolder = (folder: string): void => {
    watchers.get(folder)?.watcher.close()
    watchers.delete(folder)
  }
  const addFolder = (folder: string): void => {
    if (isFull) return
    try {
      const watched = identify(fs, absolute(folder))
      if (watched !== undefined && watchers.get(folder)?.watched === watched) return
      removeFolder(folder)
      const watcher = fs.watch(
        absolute(folder),
        (_kind, name) => changed(name === null ? folder : joinPath(folder, name)),
      )
      watcher.on("error", () => changed(folder))
      watchers.set(folder, { watcher, watched })
    } catch (error) {
      // A folder that is already gone or unreadable is noticed when it is listed.
      isFull = ["ENOSPC", "EMFILE", "ENOMEM"].includes(readErrorCode(error) ?? "")
      if (isFull) listener.lost("limit")
    }
  }
  return {
    notifications: { scope: "folder", addFolder, removeFolder },
    close: () => {
      inotifyQueue.listeners.delete(listener)
      for (const { watcher } of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}
