/** Declares the Schema of a journal entry that holds several output chunks, and encodes it without the Schema. */
import * as Schema from "effect/Schema"
import { makeHiddenSlot } from "./makeHiddenSlot.ts"
import { CommandId } from "../command/CommandId.ts"
import { OutputStream } from "../command/ShellEvent.ts"
import type { Body } from "../journal/Entry.ts"

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * Schema of one chunk within an entry: `content`, or `base64` of a run whose bytes were not decoded. `more` says that the
 * chunk was too long for one entry: the next record continues it, with the same `seq`. Text that a redactor held back to the
 * very end is in a record with the `seq` of the stream's last chunk.
 */
export const ChunkRecord: Schema.Struct<{
  readonly base64: Schema.optionalKey<typeof Schema.String>
  readonly content: Schema.optionalKey<typeof Schema.String>
  readonly more: Schema.optionalKey<typeof Schema.Boolean>
  readonly seq: typeof Schema.Int
  readonly stream: typeof OutputStream
  readonly timestamp: typeof Schema.Int
}> = Schema.Struct({
  base64: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(Schema.String),
  more: Schema.optionalKey(Schema.Boolean),
  seq: Count,
  stream: OutputStream,
  timestamp: Count,
})

/** One chunk within an entry. */
export type ChunkRecord = typeof ChunkRecord.Type

/**
 * Schema of an entry of output: the chunks from `fromSeq` to `toSeq`, in order, none left out. Together they hold at most 64
 * KiB of text (UTF-16 units, or base64 digits); a longer chunk continues in the next entry.
 */
export const ShellOutputChunks: Schema.TaggedStruct<"ShellOutputChunks", {
  readonly chunks: Schema.$Array<typeof ChunkRecord>
  readonly commandId: typeof CommandId
  readonly fromSeq: typeof Schema.Int
  readonly toSeq: typeof Schema.Int
}> = Schema.TaggedStruct(
  "ShellOutputChunks",
  { chunks: Schema.Array(ChunkRecord), commandId: CommandId, fromSeq: Count, toSeq: Count },
)

/** An entry of output. */
export type ShellOutputChunks = typeof ShellOutputChunks.Type

/** Maximum length of the content of one entry, in UTF-16 units. */
export const maxEntryLength = 65_536

// Built without a Schema, with keys in the order of the canonical form, because there is one for each chunk.
const plain = (record: ChunkRecord): Schema.JsonObject => {
  const { base64, content, more, seq, stream, timestamp } = record
  return content === undefined
    ? { base64: base64 ?? "", ...(more === true ? { more } : undefined), seq, stream, timestamp }
    : more === true
    ? { content, more, seq, stream, timestamp }
    : { content, seq, stream, timestamp }
}

const eventOf = /* @__PURE__ */ makeHiddenSlot<ShellOutputChunks>()

export const encodeShellOutputChunks = (event: ShellOutputChunks): Body => {
  const { _tag, chunks, commandId, fromSeq, toSeq } = event
  const body = { _tag, chunks: chunks.map(plain), commandId, fromSeq, toSeq }
  eventOf.set(body, event)
  return body
}

/** The event that this process encoded to a body, which a journal in memory still has; else `undefined`. */
export const encodedShellOutputChunks = (body: Body): ShellOutputChunks | undefined => eventOf.get(body)
