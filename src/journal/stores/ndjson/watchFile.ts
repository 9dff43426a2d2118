/**
 * Learns that another process may have written a file.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as NodeFs from "node:fs"
import type * as Scope from "effect/Scope"
import type { HostSystem } from "./HostSystem.ts"

/**
 * Calls `wake` when a file has changed, or another has taken its place, until the Scope closes.
 *
 * The system is asked to tell (inotify and its like: within a millisecond). It does not tell of what another machine
 * does on a network file system, and may have no watch left to give: so the file is also looked at again and again. The
 * timer is one of the machine, as what it waits for is.
 */
export const watchFile = (
  { files }: HostSystem,
  path: string,
  pollMillis: number,
  wake: () => void,
): Effect.Effect<void, never, Scope.Scope> => {
  const start = () => {
    let watcher: NodeFs.FSWatcher | undefined
    let watched: number | undefined
    let size = -1
    let changed = -1

    const unwatch = (): void => {
      watcher?.close()
      watcher = undefined
      watched = undefined
    }
    const watch = (): void => {
      try {
        const made = files.watch(path, { persistent: false }, wake)
        made.on("error", unwatch)
        watcher = made
      } catch {
        // Polling has to do.
      }
    }
    const look = (): void => {
      let found: NodeFs.Stats | undefined
      try {
        found = files.statSync(path, { throwIfNoEntry: false })
      } catch {
        // Whoever reads will be told why.
      }
      if (found === undefined || (found.ino === watched && found.size === size && found.mtimeMs === changed)) return
      if (found.ino !== watched) {
        // A watch stays with the file that it was made for.
        unwatch()
        watched = found.ino
        watch()
      }
      size = found.size
      changed = found.mtimeMs
      wake()
    }
    look()
    const timer = setInterval(look, pollMillis)
    return () => {
      clearInterval(timer)
      unwatch()
    }
  }
  return Effect.asVoid(Effect.acquireRelease(Effect.sync(start), (stop) => Effect.sync(stop)))
}
