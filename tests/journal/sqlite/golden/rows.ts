/** The rows of layout-1.db. */
import type { Row } from "@sluice/shell/journal"
import { hashOf } from "../../../../src/journal/hash.ts"

const make = (): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let previous = "0".repeat(64)
  for (let position = 1; position <= 100; position++) {
    const tag = position % 10 === 1 ? "Asked" : "Answered"
    const row = {
      position,
      time: 1_795_000_000_000 + position,
      branch: position % 4 === 0 ? "notes" : "compute",
      correlationId: `c${Math.ceil(position / 10)}`,
      tag,
      version: 1,
      body: JSON.stringify({ _tag: tag, text: `entry ${position}: ${"é".repeat(position)}` }),
    }
    previous = hashOf(previous, row)
    rows.push({ ...row, hash: previous })
  }
  return rows
}

export const goldenRows: ReadonlyArray<Row> = make()
