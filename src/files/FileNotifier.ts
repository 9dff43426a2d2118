/** Type of the change notifications of a file system. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export type LossReason = "queue" | "limit"

/** Receives notifications; called at any time. */
export interface NotificationListener {
  /**
   * Something changed at a path from the root of the leaf, or in the folder at that path. The notification does not
   * tell what changed.
   */
  readonly changed: (path: string) => void
  readonly lost: (reason: LossReason) => void
}

export interface FolderNotifications {
  /**
   * `"folder"`: of each folder that was passed to `addFolder`, which is called before a folder is listed. `"tree"`: of
   * all folders below; notifications of a new folder may begin only after it was listed. `"self"`: only changes by this
   * service.
   */
  readonly scope: "folder" | "tree" | "self"
  readonly addFolder: (path: string) => void
  readonly removeFolder: (path: string) => void
}

export type FileNotifier = (
  path: string,
  listener: NotificationListener,
) => Effect.Effect<FolderNotifications, never, Scope.Scope>
