/**
 * Declares the options of a SQLite store and resolves them to settings.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import { type DurationInput, millisOf } from "../../../base/duration.ts"
import type { JournalError } from "../../JournalError.ts"
import type { JournalOptions } from "../../makeJournal.ts"
import {
  durabilityOption,
  durationOption,
  flagOption,
  type OptionChecks,
  pathOption,
  pollMillisOf,
  resolveStoreOptions,
} from "../storeOptions.ts"

/**
 * Where the file of a SQLite journal is, and how it is shared with other processes.
 *
 * @example
 * ```ts
 * import { SqliteJournal } from "@sluice/shell/journal/sqlite"
 * import { Effect } from "effect"
 *
 * const existing: SqliteJournal.SqliteOptions = { path: "/no/such/journal.db", create: false }
 * const error = await Effect.runPromise(Effect.flip(Effect.scoped(SqliteJournal.make(existing))))
 * console.assert(error.reason._tag === "Missing")
 * ```
 *
 * @stability stable
 */
export interface SqliteOptions {
  /** The file; a relative path is resolved when the journal is opened. */
  readonly path: string
  /** Whether a missing file, and the directories above it, are created. Default: `true`. */
  readonly create?: boolean | undefined
  /** Only reads, even if the file may be written. A file that may not be written is only read anyway. Default: `false`. */
  readonly readOnly?: boolean | undefined
  /** How long to wait while others write before the error is `Locked`; 0 fails at once. Default: 10 seconds. */
  readonly lockTimeout?: DurationInput | undefined
  /** How often a waiting reader looks for entries of other processes. Default: 10 milliseconds, at least 1. */
  readonly pollInterval?: DurationInput | undefined
}

/** {@link SqliteOptions} with defaults. */
export interface SqliteSettings {
  readonly path: string
  readonly create: boolean
  readonly readOnly: boolean
  readonly lockTimeoutMillis: number
  readonly pollMillis: number
}

const checks: OptionChecks<SqliteOptions & JournalOptions> = {
  path: pathOption,
  create: flagOption,
  readOnly: flagOption,
  lockTimeout: durationOption,
  pollInterval: durationOption,
  durability: durabilityOption,
}

/** Checks the options and fills in the defaults; fails with `Invalid`. */
export const resolveOptions = (options: SqliteOptions): Effect.Effect<SqliteSettings, JournalError> =>
  resolveStoreOptions(
    "SqliteJournal",
    options,
    checks,
    ({ create = true, lockTimeout = "10 seconds", path, pollInterval = "10 millis", readOnly = false }) => ({
      path,
      create,
      readOnly,
      lockTimeoutMillis: millisOf("lockTimeout", lockTimeout),
      pollMillis: pollMillisOf(pollInterval),
    }),
  )
