/** Options of a watch, with their defaults. */
import { type DurationInput, positiveMillisOf } from "../base/duration.ts"
import { refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import { pathFilter } from "./pathFilter.ts"

/** Options of `FileWatch.watch`. */
export interface FileWatchOptions {
  /** Time from the first notification to the event, in which changes of one file become one event. Default: 100 ms. */
  readonly window?: DurationInput | undefined
  /**
   * Globs of paths that are left out with all that is in them, counted from the watched folder, as for `Files.list`.
   * Default: none.
   */
  readonly ignore?: ReadonlyArray<string> | undefined
  /** Time between two comparisons where the file system gives no notifications. Default: 2 s. */
  readonly pollInterval?: DurationInput | undefined
  /**
   * Time between two comparisons in addition to notifications, in case one was silently lost: `Deno.watchFs` leaves out
   * links that lead out of the folder. Default: 1 minute; 10 s where one watcher serves a whole tree (Deno, macOS,
   * Windows).
   */
  readonly rescanInterval?: DurationInput | undefined
  /** Maximum number of files and folders that are remembered; with more the watch fails. Default: 262,144. */
  readonly maxEntries?: number | undefined
  /**
   * Maximum number of changed paths that wait for the reader; with more the whole folder is compared. Default: 16,384.
   */
  readonly maxPending?: number | undefined
}

const optionNames: Readonly<Record<keyof FileWatchOptions, true>> = {
  window: true,
  ignore: true,
  pollInterval: true,
  rescanInterval: true,
  maxEntries: true,
  maxPending: true,
}

export interface FileWatchSettings {
  readonly windowMillis: number
  readonly pollIntervalMillis: number
  readonly rescanIntervalMillis: number | undefined
  readonly maxEntries: number
  readonly maxPending: number
  readonly isIgnored: (path: string) => boolean
}

export const fileWatchSettings = (options: FileWatchOptions): FileWatchSettings => {
  refuseUnknownOptions("FileWatch", options, optionNames)
  const { ignore = [], maxEntries = 262_144, maxPending = 16_384, pollInterval = 2_000, rescanInterval } = options
  return {
    windowMillis: positiveMillisOf("window", options.window ?? 100),
    pollIntervalMillis: positiveMillisOf("pollInterval", pollInterval),
    rescanIntervalMillis: rescanInterval === undefined ? undefined : positiveMillisOf("rescanInterval", rescanInterval),
    maxEntries: requireCount("FileWatch", "maxEntries", maxEntries, { min: 1 }),
    maxPending: requireCount("FileWatch", "maxPending", maxPending, { min: 1 }),
    isIgnored: pathFilter(ignore),
  }
}
