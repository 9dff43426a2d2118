/** Says what came of a batch, for messages of tests and for people. */
import type { Batch } from "./batch.ts"
import type { Item } from "./job.ts"

/** How many of the scripts ran, and how many programs. */
export const summary = ({ answers, executions, strangers }: Batch): string => {
  const outcomes = Object.groupBy([...answers.values()], ({ fault, outcome }) => fault ?? outcome)
  const counts = Object.entries(outcomes).map(([name, those]) => `${name} ${those?.length}`)
  return [...counts, `programs ${executions.length}`, `strangers ${strangers.length}`].join(", ")
}

/** Each script that started a program of no list, with the program, what started that, and its arguments. */
export const escapes = ({ strangers }: Batch, items: ReadonlyArray<Item>): ReadonlyArray<string> =>
  strangers.map(({ argv, by, caseId, path }) => {
    const item = items.find(({ id }) => id === caseId)
    const arguments_ = JSON.stringify(argv).slice(0, 300)
    return `${JSON.stringify(item?.script?.slice(0, 3_000) ?? item?.words)} => ${path}, by ${by[0]}, with ${arguments_}`
  })
