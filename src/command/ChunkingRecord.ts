/** Declares the Schema by which the chunking policy of a command is encoded in requests and journals. */
import * as Schema from "effect/Schema"

const Above: Schema.Int = Schema.Int.check(Schema.isGreaterThan(0))
const Millis: typeof Schema.Finite = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** Schema of a chunking policy, as requests and journals carry it. A missing number is `Infinity`. */
export const ChunkingRecord: Schema.Struct<{
  readonly atNewline: typeof Schema.Boolean
  readonly flushAfterMillis: Schema.optionalKey<typeof Schema.Finite>
  readonly kind: Schema.Literals<readonly ["hybrid", "line", "size", "time"]>
  readonly maxLength: Schema.optionalKey<typeof Schema.Int>
}> = Schema.Struct({
  atNewline: Schema.Boolean,
  flushAfterMillis: Schema.optionalKey(Millis),
  kind: Schema.Literals(["hybrid", "line", "size", "time"]),
  maxLength: Schema.optionalKey(Above),
})

export type ChunkingRecord = typeof ChunkingRecord.Type
