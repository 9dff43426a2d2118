/** Calls back when another process has changed or replaced a journal file. */
import * as Effect from "effect/Effect"
import type * as NodeFs from "node:fs"
import type * as Scope from "effect/Scope"
import type { HostSystem } from "./HostSystem.ts"

/**
 * Calls `onChange` when a file has changed or was replaced, until the Scope closes.
 *
 * Notifications (inotify and similar) arrive within a millisecond. They do not report what another machine does on a
 * network file system, and the number of watches is limited, so the file is polled too. The timer is the host's, not the
 * Clock's, because the writer is another process.
 */
export const watchFile = (
  { files }: HostSystem,
  path: string,
  pollMillis: number,
  onChange: () => void,
): Effect.Effect<void, never, Scope.Scope> => {
  const start = () => {
    let watcher: NodeFs.FSWatcher | undefined
    let watchedInode: number | undefined
    let size = -1
    let mtimeMs = -1

    const unwatch = (): void => {
      watcher?.close()
      watcher = undefined
      watchedInode = undefined
    }
    const watch = (): void => {
      try {
        const created = files.watch(path, { persistent: false }, onChange)
        created.on("error", unwatch)
        watcher = created
      } catch {
        // Polling suffices.
      }
    }
    const poll = (): void => {
      let found: NodeFs.Stats | undefined
      try {
        found = files.statSync(path, { throwIfNoEntry: false })
      } catch {
        // The next read reports the error.
      }
      if (found === undefined) return
      if (found.ino === watchedInode && found.size === size && found.mtimeMs === mtimeMs) return
      if (found.ino !== watchedInode) {
        // A watch stays with the file for which it was created.
        unwatch()
        watchedInode = found.ino
        watch()
      }
      size = found.size
      mtimeMs = found.mtimeMs
      onChange()
    }
    poll()
    const timer = setInterval(poll, pollMillis)
    return () => {
      clearInterval(timer)
      unwatch()
    }
  }
  return Effect.asVoid(Effect.acquireRelease(Effect.sync(start), (stop) => Effect.sync(stop)))
}
