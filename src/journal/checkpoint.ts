/**
 * The entry by which a journal says what was pruned from it, so that the rest can still be verified.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Body, Entry, Position, Row } from "./Entry.ts"
import { sha256 } from "../base/sha256.ts"

/** The branch of a journal's own entries. */
export const journalBranch = "journal"

/** The tag of {@link Checkpoint}. */
export const checkpointTag = "Checkpoint"

/** The fields of {@link Checkpoint}, as Schemas. */
export type CheckpointFields = {
  readonly kind: Schema.Literals<readonly ["removed", "stripped"]>
  readonly through: typeof Schema.Int
  readonly hash: typeof Schema.String
  readonly count: typeof Schema.Int
  readonly positions: Schema.optionalKey<Schema.$Array<Schema.Tuple<readonly [typeof Schema.Int, typeof Schema.Int]>>>
  readonly by: Schema.optionalKey<typeof Schema.String>
  readonly why: Schema.optionalKey<typeof Schema.String>
}

/**
 * Schema of a checkpoint.
 *
 * - `removed`: every entry up to `through` is gone; `hash` is the hash of the entry at `through`, on which the first one
 *   that is left builds. `count` entries went with it.
 * - `stripped`: the bodies of `count` entries are gone, those of `positions` (from and to, inclusive); `hash` is a digest
 *   over what is left of them (see {@link extendStripDigest}), `through` the last of them.
 * - `by`, `why`: who signed it off, and for what reason.
 */
export const Checkpoint: Schema.TaggedStruct<"Checkpoint", CheckpointFields> = Schema.TaggedStruct(checkpointTag, {
  kind: Schema.Literals(["removed", "stripped"]),
  through: Schema.Int,
  hash: Schema.String,
  count: Schema.Int,
  positions: Schema.optionalKey(Schema.Array(Schema.Tuple([Schema.Int, Schema.Int]))),
  by: Schema.optionalKey(Schema.String),
  why: Schema.optionalKey(Schema.String),
})

/** What was pruned. */
export type Checkpoint = typeof Checkpoint.Type

const decode = Schema.decodeUnknownOption(Checkpoint)

/** The checkpoint of an entry, if it is one. */
export const decodeCheckpoint = (entry: Entry): Checkpoint | undefined =>
  entry.branch === journalBranch ? Option.getOrUndefined(decode(entry.body)) : undefined

/** A checkpoint as a body. */
export const encodeCheckpoint = ({ by, count, hash, kind, positions, through, why }: Checkpoint): Body => ({
  _tag: checkpointTag,
  ...(by === undefined ? undefined : { by }),
  count,
  hash,
  kind,
  ...(positions === undefined ? undefined : { positions }),
  through,
  ...(why === undefined ? undefined : { why }),
})

/** Positions, ascending, as ranges. */
export const toRanges = (positions: ReadonlyArray<Position>): Array<[Position, Position]> => {
  const ranges: Array<[Position, Position]> = []
  for (const position of positions) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === position - 1) last[1] = position
    else ranges.push([position, position])
  }
  return ranges
}

/** Adds one stripped entry to a digest over all of them, in order. Begin with `""`. */
export const extendStripDigest = (digest: string, row: Omit<Row, "body">): string =>
  sha256(
    JSON.stringify([digest, row.position, row.time, row.branch, row.correlationId, row.tag, row.version, row.hash]),
  )
