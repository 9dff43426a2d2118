/** Declares the Schemas of the entry that ends a run. */
import * as Schema from "effect/Schema"
import type { PartialOutput } from "../command/PartialOutput.ts"
import { ShellOutput } from "../command/ShellEvent.ts"
import { ShellFault } from "../command/ShellFault.ts"
import type { ShellOutputChunks } from "./ShellOutputChunks.ts"

/** Default number of characters of each stream in the fault of a streamed command. */
export const faultTailLength = 65_536

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

type PlaceFields = {
  readonly fromSeq: Schema.optionalKey<typeof Schema.Int>
  readonly outputEntries: Schema.optionalKey<typeof Schema.Int>
  readonly toSeq: Schema.optionalKey<typeof Schema.Int>
}

const placeFields: PlaceFields = {
  fromSeq: Schema.optionalKey(Count),
  outputEntries: Schema.optionalKey(Count),
  toSeq: Schema.optionalKey(Count),
}

/**
 * The place of the output of a run: `outputEntries` entries `ShellOutputChunks` since its lease, which hold the chunks
 * `fromSeq` to `toSeq`. Missing for a run without output.
 */
export interface OutputPlace {
  readonly fromSeq?: number
  readonly outputEntries?: number
  readonly toSeq?: number
}

const { stderr: _, stdout: __, ...outputFields } = ShellOutput.fields
const { stderr: ___, stdout: ____, ...faultFields } = ShellFault.fields

/** Schema of a `ShellOutput` in a journal: the place of its output instead of `stdout` and `stderr`. */
export const RecordedOutput: Schema.Struct<
  Omit<(typeof ShellOutput)["fields"], "stderr" | "stdout"> & PlaceFields
> = Schema.Struct({
  ...outputFields,
  ...placeFields,
})

/** Schema of a `ShellFault` in a journal: the place of its output instead of `stdout` and `stderr`. */
export const RecordedFault: Schema.Struct<
  Omit<(typeof ShellFault)["fields"], "stderr" | "stdout"> & PlaceFields
> = Schema.Struct({
  ...faultFields,
  ...placeFields,
})

/** A `ShellFault` in a journal. */
export type RecordedFault = typeof RecordedFault.Type

/** The entry that ends a run. */
export type RunEnd = typeof RecordedOutput.Type | RecordedFault

export const placeWith = (
  { fromSeq: first, outputEntries = 0, toSeq: last = 0 }: OutputPlace,
  { fromSeq, toSeq }: Pick<ShellOutputChunks, "fromSeq" | "toSeq">,
): OutputPlace => ({ fromSeq: first ?? fromSeq, outputEntries: outputEntries + 1, toSeq: Math.max(last, toSeq) })

export const withOutput = (
  end: RunEnd,
  output: Pick<PartialOutput, "stderr" | "stdout"> & Partial<PartialOutput>,
): ShellOutput | ShellFault => {
  // `message` is no enumerable property of an error, which has all fields of an entry.
  if (end._tag === "ShellFault") return new ShellFault({ ...end, message: end.message, ...output })
  const { fromSeq: _, outputEntries: __, toSeq: ___, ...event } = end
  return { ...event, ...output }
}
