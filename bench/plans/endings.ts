/** Rows of endings: deadlines, and pipes that stay open. They wait more than they work. */
import type { Plan } from "../RowPlan.ts"

const base = {
  value: "lateMs",
  unit: "ms",
  digits: 0,
  better: "lower",
  rounds: "few",
  by: "tools",
  lanes: 4,
  tolerance: 25,
} as const

/** Rows of endings. */
export const endings: ReadonlyArray<Plan> = [
  {
    ...base,
    id: "timeoutTree",
    title: "Timeout of 500 ms on `sh -c 'sleep 1000 & sleep 1000'`",
    about: "Milliseconds from the deadline until it is reported, and processes of the tree that live 50 ms later.",
  },
  {
    ...base,
    id: "timeoutTerm",
    title: 'The same with `trap "" TERM`, grace 1 s',
    about: "Milliseconds after deadline and grace.",
  },
  {
    ...base,
    id: "drain",
    title: "Normal exit while a grandchild holds the pipe for 4 s",
    about: "Milliseconds from the call of `sh -c 'sleep 4 & echo done'`, which itself ends within 2 ms.",
    value: "ms",
  },
]
