/**
 * Settings of a SQLite store.
 *
 * @module
 */
import { type DurationInput, millisOf } from "../../../base/duration.ts"

/** Where the file is, and how it is shared. */
export interface SqliteOptions {
  /** The file; relative to the working directory of the moment in which it is opened. */
  readonly path: string
  /** Makes the file, and the directories above it, when it is not there. Default: `true`. */
  readonly create?: boolean | undefined
  /** Only reads, also where it may be written. What may not be written is only read anyway. Default: `false`. */
  readonly readOnly?: boolean | undefined
  /** How long to wait while others write; then the error is `Locked`. Default: 10 seconds. */
  readonly lockTimeout?: DurationInput | undefined
  /** How often to look for what other processes append, while somebody waits for entries. Default: 10 milliseconds. */
  readonly pollInterval?: DurationInput | undefined
}

/** The settings that hold. */
export interface SqliteSettings {
  readonly create: boolean
  readonly readOnly: boolean
  readonly lockTimeoutMillis: number
  readonly pollMillis: number
}

/** The longest that a timer of the system takes, about 25 days. */
const longestTimer = 2 ** 31 - 1

/** What holds where nothing was said. */
export const settingsOf = (options: SqliteOptions): SqliteSettings => {
  const { create = true, lockTimeout = "10 seconds", pollInterval = "10 millis", readOnly = false } = options
  return {
    create,
    readOnly,
    lockTimeoutMillis: millisOf("lockTimeout", lockTimeout),
    pollMillis: Math.min(Math.max(1, millisOf("pollInterval", pollInterval)), longestTimer),
  }
}
