/** Reads the rows of one scan from a journal file and from rows that are not written yet. */
import * as Effect from "effect/Effect"
import type { Row } from "../../Entry.ts"
import type { JournalError } from "../../JournalError.ts"
import type { Scan } from "../../JournalStore.ts"
import { maxBlockingMillis } from "./BlockReader.ts"
import type { JournalFile } from "./JournalFile.ts"
import { RowCollector } from "./RowCollector.ts"
import { fsError } from "./fsError.ts"
import { type LineWalk, walkLines } from "./walkLines.ts"

const addUnwritten = (
  unwritten: ReadonlyArray<Row>,
  { after = 0, before = Infinity, order }: Scan,
  rows: RowCollector,
): void => {
  const count = unwritten.length
  for (let index = 0; index < count && !rows.isDone; index++) {
    const row = unwritten[order === "backward" ? count - 1 - index : index]
    if (row !== undefined && row.position > after && row.position < before) rows.addRow(row)
  }
}

/** Scans the file as it is now, then `unwritten`. A short scan completes synchronously; a long one yields regularly. */
export const scanFile = (
  file: JournalFile,
  scan: Scan,
  unwritten: ReadonlyArray<Row>,
): Effect.Effect<ReadonlyArray<Row>, JournalError> =>
  Effect.suspend(() => {
    const isBackward = scan.order === "backward"
    const rows = new RowCollector(file.path, scan)
    const fail = (error: unknown) =>
      Effect.fail(fsError(error, { path: file.path, what: "was not read", writes: false }))
    const finish = (): ReadonlyArray<Row> => {
      if (!isBackward) addUnwritten(unwritten, scan, rows)
      return rows.rows
    }
    let walk: LineWalk
    try {
      if (isBackward) addUnwritten(unwritten, scan, rows)
      walk = walkLines(file, scan, rows)
      if (walk.step(performance.now() + maxBlockingMillis)) return Effect.succeed(finish())
    } catch (error) {
      return fail(error)
    }
    const rest: Effect.Effect<ReadonlyArray<Row>, JournalError> = Effect.flatMap(Effect.yieldNow, () => {
      try {
        return walk.step(performance.now() + maxBlockingMillis) ? Effect.succeed(finish()) : rest
      } catch (error) {
        return fail(error)
      }
    })
    // A prune may replace the file meanwhile.
    return Effect.acquireUseRelease(
      Effect.sync(() => file.acquire()),
      () => rest,
      () => Effect.sync(() => file.release()),
    )
  })
