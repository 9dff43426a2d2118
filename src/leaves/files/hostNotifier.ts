/**
 * Notifies about changes in a folder of this machine: `Deno.watchFs` on Deno; on Linux one `fs.watch` for each folder, since
 * recursive ones of Node and Bun begin late in new folders; elsewhere one recursive `fs.watch`.
 *
 * Notifications only say where to look. They go by path, and may come from outside of the root where others swap folders at
 * that moment: what is there is then found out by calls that stay inside.
 *
 * Source: inotify(7); Node, `fs.watch` "Caveats"; Deno, `Deno.watchFs`.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as NodeFs from "node:fs"
import { readErrorCode } from "../../base/readErrorCode.ts"
import { joinPath } from "../../files/FilePath.ts"
import type { FileNotifier, FolderNotifications, NotificationListener } from "../../files/FileNotifier.ts"
import type { PathRules } from "./PathRules.ts"
import { openDenoWatcher } from "./openDenoWatcher.ts"

/** Notifications in one turn of the event loop that make it likely that the system dropped others: its queue has 16,384. */
const maxPerTurn = 8_192

interface Watchers {
  readonly notifications: FolderNotifications
  readonly close: () => void
}

/** Makes the notifier of a folder. */
export const hostNotifier = (fs: typeof NodeFs, root: string, rules: PathRules): FileNotifier => {
  const absolute = (path: string): string => rules.join(root, path === "" ? [] : path.split("/"))
  const relative = (path: string): string =>
    path.slice(root.endsWith(rules.separator) ? root.length : root.length + 1).replaceAll(rules.separator, "/")
  const hasInotify = rules.separator === "/" && rules.caseSensitive

  return (path, listener) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync((): Watchers =>
          denoWatchers(absolute(path), relative, listener) ??
            (hasInotify
              ? folderWatchers(fs, absolute, listener)
              : treeWatcher(fs, absolute(path), path, rules, listener))
        ),
        ({ close }) => Effect.sync(close),
      ),
      ({ notifications }) => notifications,
    )
}

const whole: FolderNotifications = { scope: "tree", addFolder: () => {}, removeFolder: () => {} }

const denoWatchers = (
  folder: string,
  relative: (path: string) => string,
  listener: NotificationListener,
): Watchers | undefined => {
  try {
    const close = openDenoWatcher(
      folder,
      (paths) => paths.forEach((path) => listener.changed(relative(path))),
      () => listener.lost("queue"),
    )
    return close && { notifications: whole, close }
  } catch {
    listener.lost("limit")
    return { notifications: whole, close: () => {} }
  }
}

/** One watcher for the folder and all below it. */
const treeWatcher = (
  fs: typeof NodeFs,
  folder: string,
  path: string,
  rules: PathRules,
  listener: NotificationListener,
): Watchers => {
  try {
    const watcher = fs.watch(
      folder,
      { recursive: true },
      (_kind, name) => listener.changed(name === null ? path : joinPath(path, name.replaceAll(rules.separator, "/"))),
    )
    watcher.on("error", () => listener.changed(path))
    return { notifications: whole, close: () => watcher.close() }
  } catch {
    listener.lost("limit")
    return { notifications: whole, close: () => {} }
  }
}

/** A watcher for each folder. */
const folderWatchers = (
  fs: typeof NodeFs,
  absolute: (path: string) => string,
  listener: NotificationListener,
): Watchers => {
  const watchers = new Map<string, NodeFs.FSWatcher>()
  let inTurn = 0
  let isFull = false
  const changed = (path: string): void => {
    listener.changed(path)
    if (inTurn++ === 0) setImmediate(() => (inTurn = 0))
    // libuv does not pass on that the queue overflowed.
    if (inTurn === maxPerTurn) listener.lost("queue")
  }
  const addFolder = (folder: string): void => {
    if (isFull || watchers.has(folder)) return
    try {
      const watcher = fs.watch(
        absolute(folder),
        (_kind, name) => changed(name === null ? folder : joinPath(folder, name)),
      )
      watcher.on("error", () => changed(folder))
      watchers.set(folder, watcher)
    } catch (error) {
      // One that is gone by now, or not readable, is found out when it is listed.
      isFull = ["ENOSPC", "EMFILE", "ENOMEM"].includes(readErrorCode(error) ?? "")
      if (isFull) listener.lost("limit")
    }
  }
  return {
    notifications: {
      scope: "folder",
      addFolder,
      removeFolder: (folder) => {
        watchers.get(folder)?.close()
        watchers.delete(folder)
      },
    },
    close: () => {
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}
