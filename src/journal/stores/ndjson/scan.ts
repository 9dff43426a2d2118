/**
 * Rows of a file and those behind it that are not in a file yet.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Row } from "../../Entry.ts"
import type { JournalError } from "../../JournalError.ts"
import type { Scan } from "../../JournalStore.ts"
import { fsError } from "./fsError.ts"
import { RowCollector } from "./RowCollector.ts"
import { type LineWalk, walkLines } from "./walkLines.ts"
import type { JournalFile } from "./JournalFile.ts"
import { sliceMillis } from "./slice.ts"

const takeRows = (
  rows: ReadonlyArray<Row>,
  { after = 0, before = Infinity, order }: Scan,
  reader: RowCollector,
): void => {
  const count = rows.length
  for (let index = 0; index < count && !reader.done; index++) {
    const row = rows[order === "backward" ? count - 1 - index : index]
    if (row !== undefined && row.position > after && row.position < before) reader.takeRow(row)
  }
}

/** Scans a file as it is now, and rows that follow it. Short scans never wait; long ones let others run between. */
export const scanFile = (
  segment: JournalFile,
  scan: Scan,
  more: ReadonlyArray<Row>,
): Effect.Effect<ReadonlyArray<Row>, JournalError> =>
  Effect.suspend(() => {
    const backward = scan.order === "backward"
    const reader = new RowCollector(segment.path, scan)
    const failed = (error: unknown) =>
      Effect.fail(fsError(error, { path: segment.path, what: "was not read", writes: false }))
    const finish = (): ReadonlyArray<Row> => {
      if (!backward) takeRows(more, scan, reader)
      return reader.rows
    }
    let walk: LineWalk
    try {
      if (backward) takeRows(more, scan, reader)
      walk = walkLines(segment, scan, reader)
      if (walk.step(performance.now() + sliceMillis)) return Effect.succeed(finish())
    } catch (error) {
      return failed(error)
    }
    const rest: Effect.Effect<ReadonlyArray<Row>, JournalError> = Effect.flatMap(Effect.yieldNow, () => {
      try {
        return walk.step(performance.now() + sliceMillis) ? Effect.succeed(finish()) : rest
      } catch (error) {
        return failed(error)
      }
    })
    // Pruning may put another file in its place meanwhile.
    return Effect.acquireUseRelease(
      Effect.sync(() => segment.acquire()),
      () => rest,
      () => Effect.sync(() => segment.release()),
    )
  })
