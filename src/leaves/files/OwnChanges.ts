/** Notifies watches of the writes and deletions of their own leaf, where the system has no notifications. */
import * as Effect from "effect/Effect"
import type { FileNotifier, NotificationListener } from "../../files/FileNotifier.ts"

const nothing = () => {}

export class OwnChanges {
  readonly #listeners = new Map<NotificationListener, string>()

  readonly notifier: FileNotifier = (folder, listener) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        this.#listeners.set(listener, folder)
        return { scope: "self", addFolder: nothing, removeFolder: nothing }
      }),
      () => Effect.sync(() => this.#listeners.delete(listener)),
    )

  notify(path: string): void {
    for (const [listener, folder] of this.#listeners) {
      if (folder === "" || path === folder || path.startsWith(`${folder}/`)) listener.changed(path)
      // The watched folder was removed with a folder above it.
      else if (folder.startsWith(`${path}/`)) listener.changed(folder)
    }
  }
}
