/** Defines the entries of a journal, drafts to append, rows as stores keep them, the head, and filters over entries. */
import type * as Schema from "effect/Schema"

/** The position of an entry: 1 for the first, strictly increasing without gaps. 0 is before the first. */
export type Position = number

/** The content of an entry: a JSON object with a `_tag`. */
export interface Body extends Schema.JsonObject {
  /** The kind of the entry. */
  readonly _tag: string
}

export const isBody = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && "_tag" in value && typeof value._tag === "string"

/** An entry to append. */
export interface Draft {
  /** The branch of the entry, such as `"compute"`: 1 to 200 printable ASCII characters. */
  readonly branch: string
  /** Relates events to their request; in the compute branch, the command id. 1 to 200 printable ASCII characters. */
  readonly correlationId: string
  /** Version of the branch's Schemas with which the body was encoded, from 1. Default: 1. */
  readonly version?: number | undefined
  /** At most `maxBodyLength` characters of canonical JSON. */
  readonly body: Body
}

/** An entry of a journal. */
export interface Entry {
  /** Its position. */
  readonly position: Position
  /** Wall-clock time of the append, milliseconds since 1970. Times may decrease: clocks step back. */
  readonly time: number
  /** The branch of the entry, such as `"compute"`: 1 to 200 printable ASCII characters. */
  readonly branch: string
  /** Connects it with other entries, such as those of one command. */
  readonly correlationId: string
  /** The body's `_tag`, also after the body was pruned. */
  readonly tag: string
  /** Version of the body's Schema. */
  readonly version: number
  /** Lower-case hexadecimal SHA-256 over the previous entry's hash and this entry. */
  readonly hash: string
  /** The content; `undefined` after it was pruned. */
  readonly body: Body | undefined
}

/** An entry as stores keep it: the body is the text that was hashed, or `""` after it was pruned. */
export interface Row extends Omit<Entry, "body"> {
  /** Canonical JSON, or `""`. */
  readonly body: string
}

export const withoutBody = ({ branch, correlationId, hash, position, tag, time, version }: Row): Row => ({
  position,
  time,
  branch,
  correlationId,
  tag,
  version,
  hash,
  body: "",
})

/** The end of a journal: the last position and its hash, or 0 and {@link noHash} for an empty journal. */
export interface Head {
  /** The last position; 0 for an empty journal. */
  readonly position: Position
  /** Lower-case hexadecimal SHA-256 over the previous entry's hash and this entry. */
  readonly hash: string
}

/**
 * The hash before the first entry.
 *
 * @stability stable
 */
export const noHash: string = "0".repeat(64)

/** Matches entries that meet all given conditions; without conditions, every entry. */
export interface Filter {
  /** Entries with this correlation id. */
  readonly correlationId?: string | undefined
  /** Entries of this branch. */
  readonly branch?: string | undefined
  /** Any of these tags. */
  readonly tags?: ReadonlyArray<string> | undefined
}

/** Whether an entry matches a filter. */
export const matches = (
  filter: Filter,
  entry: { readonly correlationId: string; readonly branch: string; readonly tag: string },
): boolean =>
  (filter.correlationId === undefined || filter.correlationId === entry.correlationId) &&
  (filter.branch === undefined || filter.branch === entry.branch) &&
  (filter.tags === undefined || filter.tags.includes(entry.tag))
