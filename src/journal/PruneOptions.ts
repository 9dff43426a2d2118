/**
 * What can be pruned, and what is said of it.
 *
 * @module
 */
import type { DurationInput } from "../base/duration.ts"
import type { Position } from "./Entry.ts"

/**
 * What to prune. By age, number or size: the oldest entries, from the first up to one; what is asked for by several is
 * what the strictest takes. By correlation id: the bodies of these entries, wherever they stand.
 *
 * Nothing is pruned beyond `keepFrom`, and never the last entry.
 */
export interface PruneOptions {
  /** Entries that are older than this, up to the first that is not: where a clock was set back, what is behind it stays. */
  readonly olderThan?: DurationInput | undefined
  /** Entries up to this position, inclusive. */
  readonly through?: Position | undefined
  /** All but so many of the newest. */
  readonly keepEntries?: number | undefined
  /** All but so many bytes of the newest, about: bodies and 200 bytes for what stands beside each. */
  readonly keepBytes?: number | undefined
  /** The bodies of the entries with these correlation ids. */
  readonly correlationIds?: ReadonlyArray<string> | undefined
  /** The first position that must stay whatever the rest says: that of the oldest request without an answer, say. */
  readonly keepFrom?: Position | undefined
  /** Who prunes, for the checkpoint. */
  readonly by?: string | undefined
  /** And why. */
  readonly why?: string | undefined
}

/** What was pruned. */
export interface PruneReport {
  /** Every entry up to this position is gone; 0 when none went. */
  readonly through: Position
  /** How many went. */
  readonly removed: number
  /** How many lost their body. */
  readonly stripped: number
  /** Positions of the checkpoints that say so. */
  readonly checkpoints: ReadonlyArray<Position>
}
