/**
 * Declares the options of a SQLite store and resolves them to settings.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { DurationInput } from "../../../base/duration.ts"
import type { JournalError } from "../../JournalError.ts"
import type { JournalOptions } from "../../makeJournal.ts"
import { checkNames, checkPathType, readMillis } from "../storeOptions.ts"

/**
 * Where the file of a SQLite journal is, and how it is shared with other processes.
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

const optionNames: Readonly<Record<keyof SqliteOptions | keyof JournalOptions, true>> = {
  path: true,
  create: true,
  readOnly: true,
  lockTimeout: true,
  pollInterval: true,
  durability: true,
}

/** The longest delay of `setInterval`, about 25 days. */
const maxTimerMillis = 2 ** 31 - 1

/** Checks the options and fills in the defaults; fails with `Invalid`. */
export const resolveOptions = (options: SqliteOptions): Effect.Effect<SqliteSettings, JournalError> =>
  Effect.gen(function* () {
    yield* checkNames("SqliteJournal", options, optionNames)
    yield* checkPathType("SqliteJournal", options.path)
    const { create = true, lockTimeout = "10 seconds", path, pollInterval = "10 millis", readOnly = false } = options
    const pollMillis = yield* readMillis("pollInterval", pollInterval, `${path} was not opened`)
    return {
      path,
      create,
      readOnly,
      lockTimeoutMillis: yield* readMillis("lockTimeout", lockTimeout, `${path} was not opened`),
      pollMillis: Math.min(Math.max(1, pollMillis), maxTimerMillis),
    }
  })
