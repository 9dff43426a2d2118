/**
 * Watches a folder of any file system: notifications tell where something changed, and comparisons find the changes.
 *
 * Notifications alone are not enough: systems drop them when many come at once, begin late in new folders, and name the same
 * change in different ways. The remembered state is compared with the folder, so an event is missed only until the next
 * comparison, and a slow reader costs no more memory than the set of changed paths.
 *
 * Source: inotify(7) "Limitations and caveats".
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { monotonicMillis } from "../base/monotonicTime.ts"
import { Latch } from "../base/waits.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import type { OptionError } from "../base/OptionError.ts"
import type { FileFault } from "./FileFault.ts"
import type { FileNotifier, FolderNotifications, LossReason } from "./FileNotifier.ts"
import { parsePath } from "./FilePath.ts"
import type { FilesService } from "./FilesService.ts"
import type { FileWatchEvent } from "./FileWatchEvent.ts"
import { type FileWatchOptions, fileWatchSettings } from "./FileWatchOptions.ts"
import { FolderComparison } from "./FolderComparison.ts"

/** A new folder is compared once more after this time, where its notifications may begin late. */
const settleMillis = 500

/** Comparisons of the whole folder take at most one part in this many of the time. */
const scanShare = 20

const defaultRescanMillis = { folder: 60_000, tree: 10_000, self: Infinity } as const

const reasons: Readonly<Record<LossReason | "pending", string>> = {
  queue: "the system dropped notifications because too much changed at once; the folder was compared again",
  limit: "the system allows no more notifications (fs.inotify.max_user_watches, or too many open files); " +
    "the folder is compared periodically instead",
  pending: "too much changed between two reads; the folder was compared again",
}

const noNotifications: FolderNotifications = { scope: "self", addFolder: () => {}, removeFolder: () => {} }

/** The changes below a folder, from the moment at which the stream is first pulled. */
export const watchFiles = (
  files: FilesService,
  path: string,
  options: FileWatchOptions,
  notifier?: FileNotifier,
): Stream.Stream<FileWatchEvent, FileFault | OptionError> =>
  Stream.unwrap(Effect.gen(function* () {
    // An invalid path fails at the first listing, with the fault of the leaf.
    const root = Result.match(parsePath(path), { onFailure: () => path, onSuccess: (names) => names.join("/") })
    const { isIgnored, maxEntries, maxPending, pollIntervalMillis, rescanIntervalMillis, windowMillis } =
      yield* attemptOptions(
        () => fileWatchSettings(options),
      )
    const stirred = new Latch()
    let pending = new Set<string>()
    let lost: LossReason | "pending" | undefined
    let isPolling = notifier === undefined
    const listener = {
      changed: (changed: string) => {
        if (pending.size < maxPending) pending.add(changed)
        else lost ??= "pending"
        stirred.open()
      },
      lost: (reason: LossReason) => {
        if (lost !== "limit") lost = reason
        stirred.open()
      },
    }
    const notifications = notifier === undefined ? noNotifications : yield* notifier(root, listener)
    const below = root === "" ? 0 : root.length + 1
    const comparison = new FolderComparison({
      files,
      root,
      isIgnored: (entry) => isIgnored(entry.slice(below)),
      maxEntries,
      notifications,
    })
    const whole = Effect.gen(function* () {
      const from = yield* monotonicMillis
      const changes = yield* comparison.all
      const to = yield* monotonicMillis
      const isOnlyWay = isPolling || notifications.scope === "self"
      const interval = isOnlyWay ? pollIntervalMillis : rescanIntervalMillis ?? defaultRescanMillis[notifications.scope]
      return { changes, next: to + Math.max(interval, (to - from) * scanShare) }
    })

    let settling: { readonly at: number; readonly folders: ReadonlyArray<string> } | undefined
    let { next } = yield* whole
    comparison.takeNewFolders()

    const round = Effect.gen(function* () {
      const now = yield* monotonicMillis
      const due = Math.min(next, settling?.at ?? Infinity)
      const woken = yield* Effect.timeoutOption(stirred.await, Math.max(0, due - now))
      if (Option.isSome(woken)) yield* Effect.sleep(windowMillis)
      stirred.close()
      const paths = pending
      const reason = lost
      pending = new Set()
      lost = undefined
      const later = yield* monotonicMillis
      const settled = settling !== undefined && settling.at <= later ? settling.folders : []
      if (settled.length > 0) settling = undefined
      const events: Array<FileWatchEvent> = []
      if (reason !== undefined || later >= next) {
        if (reason === "limit") isPolling = true
        const compared = yield* whole
        next = compared.next
        events.push(...compared.changes)
        if (reason !== undefined) events.push({ _tag: "FileWatchOverflow", reason: reasons[reason] })
      } else events.push(...(yield* comparison.some([...paths, ...settled], later)))
      const folders = comparison.takeNewFolders()
      if (notifications.scope === "tree" && folders.length > 0) {
        settling = { at: later + settleMillis, folders: [...(settling?.folders ?? []), ...folders] }
      }
      return events
    })
    return Stream.flattenIterable(Stream.fromEffectRepeat(round))
  }))
