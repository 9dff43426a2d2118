/**
 * What a journal holds: entries, each at a position, each chained to the one before it.
 *
 * @module
 */
import type * as Schema from "effect/Schema"

/** The place of an entry in its journal: 1 for the first, strictly increasing. 0 stands before the first. */
export type Position = number

/** A JSON object with a `_tag`: what an entry says, encoded. */
export interface Body extends Schema.JsonObject {
  readonly _tag: string
}

/** An entry that is to be appended. */
export interface Draft {
  /** The branch that it belongs to, such as `"compute"`. */
  readonly branch: string
  /** Ties answers to their request. In the Compute branch this is the command id. */
  readonly correlationId: string
  /** Version of the branch's Schemas that the body was encoded with. Default: 1. */
  readonly version?: number | undefined
  readonly body: Body
}

/** An entry as it stands in the journal. */
export interface Entry {
  readonly position: Position
  /** Wall-clock time of the append, milliseconds since 1970. Positions give the order, not times: clocks step back. */
  readonly time: number
  readonly branch: string
  readonly correlationId: string
  /** The body's `_tag`. It stays when the body was pruned. */
  readonly tag: string
  readonly version: number
  /** Lower-case hexadecimal SHA-256 over the hash before it and this entry: see `hashOf`. */
  readonly hash: string
  /** What the entry says; `undefined` when it was pruned. */
  readonly body: Body | undefined
}

/** An entry as a store keeps it: the body is the text that was hashed, `""` when it was pruned. */
export interface Row {
  readonly position: Position
  readonly time: number
  readonly branch: string
  readonly correlationId: string
  readonly tag: string
  readonly version: number
  readonly hash: string
  readonly body: string
}

/** Where a journal ends: the last position and its hash, or 0 and {@link noHash} when it is empty. */
export interface Head {
  readonly position: Position
  readonly hash: string
}

/** The hash before the first entry. */
export const noHash: string = "0".repeat(64)

/** Which entries are meant: all conditions that are given hold. Default: every entry. */
export interface Filter {
  readonly correlationId?: string | undefined
  readonly branch?: string | undefined
  /** Any of these tags. */
  readonly tags?: ReadonlyArray<string> | undefined
}

/** Whether a filter means an entry. */
export const matches = (
  filter: Filter,
  entry: { readonly correlationId: string; readonly branch: string; readonly tag: string },
): boolean =>
  (filter.correlationId === undefined || filter.correlationId === entry.correlationId) &&
  (filter.branch === undefined || filter.branch === entry.branch) &&
  (filter.tags === undefined || filter.tags.includes(entry.tag))
