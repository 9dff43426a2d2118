/**
 * Defines, encodes and decodes checkpoints: the entries that record what was pruned, so that the rest can still be
 * verified.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { defined } from "../base/defined.ts"
import { sha256 } from "../base/sha256.ts"
import type { Body, Entry, Position, Row } from "./Entry.ts"

/**
 * The branch of a journal's own entries.
 *
 * @stability stable
 */
export const journalBranch = "journal"

/** The tag of {@link Checkpoint}. */
export const checkpointTag = "Checkpoint"

/**
 * Schema of a checkpoint.
 *
 * - `removed`: every entry up to `through` was removed, `count` of them; `hash` is the hash of the entry at `through`, to
 *   which the first remaining entry is chained.
 * - `stripped`: the bodies of `count` entries were removed, at `positions` (ranges, inclusive); `through` is the last of
 *   them, and `hash` a digest over their other fields.
 * - `by`, `why`: who pruned, and for what reason.
 *
 * @example
 * ```ts
 * import { Checkpoint, Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Schema } from "effect"
 *
 * const draft = { branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }
 * const program = Effect.gen(function* () {
 *   yield* Journal.append([draft, draft])
 *   yield* Journal.prune({ keepEntries: 1, by: "admin" })
 *   const [last] = yield* Journal.readBackward({ limit: 1 })
 *   return Schema.decodeUnknownSync(Checkpoint)(last?.body)
 * })
 * const checkpoint = await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))
 * console.assert(checkpoint.kind === "removed" && checkpoint.through === 1 && checkpoint.by === "admin")
 * ```
 *
 * @stability stable
 */
export const Checkpoint: Schema.TaggedStruct<"Checkpoint", {
  readonly kind: Schema.Literals<readonly ["removed", "stripped"]>
  readonly through: typeof Schema.Int
  readonly hash: typeof Schema.String
  readonly count: typeof Schema.Int
  readonly positions: Schema.optionalKey<Schema.$Array<Schema.Tuple<readonly [typeof Schema.Int, typeof Schema.Int]>>>
  readonly by: Schema.optionalKey<typeof Schema.String>
  readonly why: Schema.optionalKey<typeof Schema.String>
}> = Schema.TaggedStruct(checkpointTag, {
  kind: Schema.Literals(["removed", "stripped"]),
  through: Schema.Int,
  hash: Schema.String,
  count: Schema.Int,
  positions: Schema.optionalKey(Schema.Array(Schema.Tuple([Schema.Int, Schema.Int]))),
  by: Schema.optionalKey(Schema.String),
  why: Schema.optionalKey(Schema.String),
})

/**
 * A record of what was pruned.
 *
 * @stability stable
 */
export type Checkpoint = typeof Checkpoint.Type

const decode = Schema.decodeUnknownOption(Checkpoint)

/**
 * The checkpoint that an entry holds; `undefined` for any other entry.
 *
 * @stability experimental
 */
export const decodeCheckpoint = (entry: Entry): Checkpoint | undefined =>
  entry.branch === journalBranch ? Option.getOrUndefined(decode(entry.body)) : undefined

/** Encodes a checkpoint as a body. */
export const encodeCheckpoint = ({ by, count, hash, kind, positions, through, why }: Checkpoint): Body => ({
  _tag: checkpointTag,
  ...defined({ by }),
  count,
  hash,
  kind,
  ...defined({ positions }),
  through,
  ...defined({ why }),
})

/** Combines ascending positions into inclusive ranges. */
export const toRanges = (positions: ReadonlyArray<Position>): Array<[Position, Position]> => {
  const ranges: Array<[Position, Position]> = []
  for (const position of positions) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === position - 1) last[1] = position
    else ranges.push([position, position])
  }
  return ranges
}

/** Adds a stripped row to the digest of a `stripped` checkpoint. The digest of no rows is `""`. */
export const extendStripDigest = (digest: string, row: Omit<Row, "body">): string =>
  sha256(
    JSON.stringify([digest, row.position, row.time, row.branch, row.correlationId, row.tag, row.version, row.hash]),
  )
