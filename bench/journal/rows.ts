/** Makes the rows that are written, the same for the floors and for the journal. */
import type { Draft } from "../../src/journal/Entry.ts"

/** When a batch counts as written. */
export type Level = "memory" | "os" | "disk"

/** Rows of one transaction. */
export const batchSize = 256

/** Bodies of about 85 bytes, as JSON. */
const bodyOf = (n: number) => ({
  _tag: "Row",
  content: "the quick brown fox jumps over the lazy dog, 55 chars",
  n: n % 1_000_000,
})

/** A row as the floors write it. */
export const rowText = (n: number): string => JSON.stringify(bodyOf(n))

/** The same rows as entries, of 16 commands. */
export const batchOf = (from: number): ReadonlyArray<Draft> =>
  Array.from({ length: batchSize }, (_, index) => ({
    branch: "bench",
    correlationId: `command-${(from + index) % 16}`,
    body: bodyOf(from + index),
  }))
