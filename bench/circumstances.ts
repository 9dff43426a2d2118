/** Describes the circumstances of a measurement, kept beside the samples of a run. */
import * as Schema from "effect/Schema"
import { readFileSync, writeFileSync } from "node:fs"

/** How and where it was measured. */
export interface Circumstances {
  readonly command: string
  readonly quick: boolean
  readonly date: string
  /** Duration of the run. */
  readonly minutes: number
  readonly machine: ReadonlyArray<string>
  /** Load of the machine before the run. */
  readonly load: number
  readonly memoryBytes: number
  /** Whether `writer.c` wrote, else `cat`. */
  readonly compiledWriter: boolean
}

const decode: (json: string) => Circumstances = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      command: Schema.String,
      quick: Schema.Boolean,
      minutes: Schema.Number,
      date: Schema.String,
      machine: Schema.Array(Schema.String),
      load: Schema.Number,
      memoryBytes: Schema.Number,
      compiledWriter: Schema.Boolean,
    }),
  ),
)

const beside = (samples: string): string => samples.replace(/\.jsonl$/, "") + ".json"

/** Writes them beside the samples. */
export const keepCircumstances = (
  samples: string,
  circumstances: Circumstances,
): void => writeFileSync(beside(samples), JSON.stringify(circumstances))

/** Reads those of a file of samples. */
export const readCircumstances = (samples: string): Circumstances => decode(readFileSync(beside(samples), "utf8"))
