/** Declares the options of an NDJSON journal and the report of a repair. */
import type * as Effect from "effect/Effect"
import { type DurationInput, millisOf } from "../../../base/duration.ts"
import type { Position } from "../../Entry.ts"
import type { JournalError } from "../../JournalError.ts"
import type { JournalOptions } from "../../makeJournal.ts"
import * as StoreOption from "../storeOptions.ts"

/** Location of the file of an NDJSON journal, and how it is opened. */
export interface NdjsonOptions {
  /** The file; a relative path is resolved when the journal is opened. */
  readonly path: string
  /**
   * `"write"` to append and read: one process at a time. `"read"` to read while another process may write: any number of
   * processes; they may see entries that are not on the disk yet. Default: `"write"`.
   */
  readonly mode?: "write" | "read" | undefined
  /** Whether a missing file, and the directories above it, are created; never in mode `"read"`. Default: `true`. */
  readonly create?: boolean | undefined
  /** Maximum time to wait while another process writes; then the error is `Locked`. Default: 0. */
  readonly lockTimeout?: DurationInput | undefined
  /**
   * Interval at which a waiting reader checks for entries of other processes without a notification. Default: 20 ms, at
   * least 1.
   */
  readonly pollInterval?: DurationInput | undefined
  /** Called when a torn end of the file was cut. The cut is also logged as a warning. */
  readonly onRepair?: ((report: NdjsonRepairReport) => void) | undefined
}

/** A torn end that was cut off the file. */
export interface NdjsonRepairReport {
  /** The first position that was cut; the next entry gets it. */
  readonly position: Position
  readonly bytes: number
  /** The path of the file that now holds them. */
  readonly kept: string
}

export interface NdjsonSettings {
  readonly path: string
  readonly mode: "write" | "read"
  readonly create: boolean
  readonly lockTimeoutMillis: number
  readonly pollIntervalMillis: number
  readonly onRepair: ((report: NdjsonRepairReport) => void) | undefined
}

const checks: StoreOption.OptionChecks<NdjsonOptions & JournalOptions> = {
  path: StoreOption.path,
  mode: StoreOption.choice("write", "read"),
  create: StoreOption.flag,
  lockTimeout: StoreOption.duration,
  pollInterval: StoreOption.duration,
  onRepair: StoreOption.callback,
  durability: StoreOption.durability,
}

export const resolveOptions = (options: NdjsonOptions): Effect.Effect<NdjsonSettings, JournalError> =>
  StoreOption.resolveStoreOptions(
    "NdjsonJournal",
    options,
    checks,
    ({ create = true, lockTimeout = 0, mode = "write", onRepair, path, pollInterval = 20 }) => ({
      path,
      mode,
      create,
      lockTimeoutMillis: millisOf("lockTimeout", lockTimeout),
      pollIntervalMillis: StoreOption.pollMillisOf(pollInterval),
      onRepair,
    }),
  )
