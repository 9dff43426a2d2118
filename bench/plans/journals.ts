/** Rows of the journal (SQLite): what it costs a command, and its verification. */
import type { Plan } from "../RowPlan.ts"

const cases = [
  { id: "raw", title: "without a journal", kind: "floor" },
  { id: "sluice", title: "with a SQLite journal", kind: "sluice" },
] as const

const base = { by: "cases", digits: 2, cases } as const

/** Rows of the journal. */
export const journals: ReadonlyArray<Plan> = [
  {
    ...base,
    id: "journaledSpawn",
    title: "`true`, journaled",
    about: "The local leaf, one command after the other, after 100.",
    value: "ms",
    unit: "ms",
    better: "lower",
    rounds: "many",
    check: true,
  },
  {
    ...base,
    id: "journaledLines",
    title: "10 million lines, journaled",
    about: "Millions of lines of 60 bytes a second, as text of whole lines.",
    value: "millionsPerSecond",
    unit: "M/s",
    better: "higher",
    rounds: "many",
    check: true,
  },
  {
    ...base,
    id: "verify",
    title: "Verification of a SQLite journal",
    about: "Thousands of entries of about 85 bytes a second, all hashes and indexes.",
    value: "thousandsPerSecond",
    unit: "k/s",
    digits: 0,
    better: "higher",
    rounds: "many",
    cases: [
      { id: "sluice", title: "Sluice", kind: "sluice" },
    ],
  },
]
