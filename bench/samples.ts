/** Stores the samples of measurements, and summarizes them. */
import * as Schema from "effect/Schema"
import { appendFileSync, readFileSync } from "node:fs"

/** One measurement. `values` is null when the tool cannot do it or when it failed (then `error` says how). */
export interface Sample {
  readonly row: string
  readonly runtime: string
  readonly tool: string
  readonly round: number
  readonly values: Readonly<Record<string, number>> | null
  readonly error?: string
}

/** Values as a measuring process writes them. */
export const decodeValues: (
  line: string,
) => Readonly<Record<string, number>> | null = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.NullOr(Schema.Record(Schema.String, Schema.Number)),
  ),
)

const decodeSample: (line: string) => Sample = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      row: Schema.String,
      runtime: Schema.String,
      tool: Schema.String,
      round: Schema.Number,
      values: Schema.NullOr(Schema.Record(Schema.String, Schema.Number)),
      error: Schema.optionalKey(Schema.String),
    }),
  ),
)

/** Adds a sample to a file of JSON lines. */
export const append = (file: string, sample: Sample): void => appendFileSync(file, `${JSON.stringify(sample)}\n`)

/** Reads the samples of a run. */
export const readSamples = (file: string): ReadonlyArray<Sample> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => decodeSample(line))

const keyOf = ({ row, runtime, tool }: Sample): string => `${row} ${runtime} ${tool}`

/** The middle value. */
export const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2
}

/** The measurements of one tool on one runtime in one row. */
export interface Cell {
  readonly rounds: number
  /** Median of a value. */
  readonly of: (value: string) => number
  /** Largest of a value. */
  readonly worst: (value: string) => number
  /** Half of the range, in per cent of the median. */
  readonly spread: (value: string) => number
}

/** Finds a cell by row, runtime and tool. */
export type Cells = (
  row: string,
  runtime: string,
  tool: string,
) => Cell | undefined

/** Finds the cells of a set of samples. */
export const cellsOf = (samples: ReadonlyArray<Sample>): Cells => {
  const all = new Map<string, Array<Readonly<Record<string, number>>>>()
  for (const sample of samples) {
    if (sample.values === null) continue
    const list = all.get(keyOf(sample))
    if (list === undefined) all.set(keyOf(sample), [sample.values])
    else list.push(sample.values)
  }
  return (row: string, runtime: string, tool: string): Cell | undefined => {
    const list = all.get(`${row} ${runtime} ${tool}`)
    if (list === undefined) return undefined
    const numbers = (value: string): ReadonlyArray<number> => list.flatMap((values) => values[value] ?? [])
    return {
      rounds: list.length,
      of: (value) => median(numbers(value)),
      worst: (value) => Math.max(...numbers(value)),
      spread: (value) =>
        ((Math.max(...numbers(value)) - Math.min(...numbers(value))) / 2 /
          Math.abs(median(numbers(value)))) * 100,
    }
  }
}
