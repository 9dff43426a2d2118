/** Declares the options of a SQLite journal, and resolves them to settings with defaults. */
import type * as Effect from "effect/Effect"
import { type DurationInput, millisOf } from "../../../base/duration.ts"
import type { JournalError } from "../../JournalError.ts"
import type { JournalOptions } from "../../makeJournal.ts"
import * as StoreOption from "../storeOptions.ts"

/** Location of the file of a SQLite journal, and how it is shared with other processes. */
export interface SqliteOptions {
  /** The file; a relative path is resolved when the journal is opened. */
  readonly path: string
  /** Whether a missing file, and the directories above it, are created. Default: `true`. */
  readonly create?: boolean | undefined
  /**
   * Whether the journal is only read, even if the file may be written; a file that may not be written is only read in
   * any case. Default: `false`.
   */
  readonly readOnly?: boolean | undefined
  /**
   * Maximum time to wait while other processes write; then the error is `Locked`. With 0 it fails at once. Default: 10
   * seconds.
   */
  readonly lockTimeout?: DurationInput | undefined
  /** Interval at which a waiting reader checks for entries of other processes. Default: 10 milliseconds, at least 1. */
  readonly pollInterval?: DurationInput | undefined
}

export interface SqliteSettings {
  readonly path: string
  readonly create: boolean
  readonly readOnly: boolean
  readonly lockTimeoutMillis: number
  readonly pollIntervalMillis: number
}

const checks: StoreOption.OptionChecks<SqliteOptions & JournalOptions> = {
  path: StoreOption.path,
  create: StoreOption.flag,
  readOnly: StoreOption.flag,
  lockTimeout: StoreOption.duration,
  pollInterval: StoreOption.duration,
  durability: StoreOption.durability,
}

export const resolveOptions = (options: SqliteOptions): Effect.Effect<SqliteSettings, JournalError> =>
  StoreOption.resolveStoreOptions(
    "SqliteJournal",
    options,
    checks,
    ({ create = true, lockTimeout = "10 seconds", path, pollInterval = "10 millis", readOnly = false }) => ({
      path,
      create,
      readOnly,
      lockTimeoutMillis: millisOf("lockTimeout", lockTimeout),
      pollIntervalMillis: StoreOption.pollMillisOf(pollInterval),
    }),
  )
