/** Declares the options and the report of `Journal.prune`. */
import type { DurationInput } from "../base/duration.ts"
import type { Position } from "./Entry.ts"

/**
 * Options of a prune. Limits on age, number, size and position remove the oldest entries; of several limits, the one that
 * removes most applies. Correlation ids select entries that lose their bodies, at any position.
 *
 * Nothing from `keepFrom` on is pruned, and never the last entry.
 */
export interface PruneOptions {
  /** Removes entries that are older, up to the first one that is not, even if entries after it are older again. */
  readonly olderThan?: DurationInput | undefined
  /** Removes entries up to this position, inclusive. */
  readonly through?: Position | undefined
  /** Keeps this number of the newest entries. */
  readonly keepEntries?: number | undefined
  /** Keeps about this number of bytes of the newest entries: their bodies, and 200 bytes each. */
  readonly keepBytes?: number | undefined
  /** Removes the bodies of the entries with these correlation ids. */
  readonly correlationIds?: ReadonlyArray<string> | undefined
  /** Keeps everything from this position on, such as the oldest request without an answer. */
  readonly keepFrom?: Position | undefined
  /** Name of the person or program that prunes, recorded in the checkpoint. */
  readonly by?: string | undefined
  /** Reason for the prune, recorded in the checkpoint. */
  readonly why?: string | undefined
}

/** The result of a prune. */
export interface PruneReport {
  /** The last removed position; 0 when none was removed. */
  readonly through: Position
  /** Number of removed entries. */
  readonly removed: number
  /** Number of entries that lost their body. */
  readonly stripped: number
  /** Positions of the checkpoints that record it. */
  readonly checkpoints: ReadonlyArray<Position>
}
