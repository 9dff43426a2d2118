/** The rows of layout-1.db. */
import type { Row } from "../../../../../src/journal/Entry.ts"
import { hashRow } from "../../../../../src/journal/hashChain.ts"

const make = (): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let previous = "0".repeat(64)
  for (let position = 1; position <= 300; position++) {
    // Two tags, two branches, many correlation ids and bodies with characters of two bytes.
    const isAsked = position < 200 ? position % 10 === 1 : position === 250
    const tag = isAsked ? "Asked" : "Answered"
    const row = {
      position,
      time: 1_795_000_000_000 + (position < 20 ? position : position < 60 ? Math.floor(position / 9) : 100),
      branch: position < 200 && position % 4 === 0 ? "notes" : "compute",
      correlationId: `c${Math.ceil(Math.min(position, 200) / 10)}`,
      tag,
      version: 1,
      body: JSON.stringify({ _tag: tag, text: `entry ${position}: ${"é".repeat(position % 50)}` }),
    }
    previous = hashRow(previous, row)
    rows.push({ ...row, hash: previous })
  }
  return rows
}

export const goldenRows: ReadonlyArray<Row> = make()
