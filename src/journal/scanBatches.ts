/** Scans a store in batches of bounded size, and yields to other fibers between them. */
import * as Effect from "effect/Effect"
import type { Position, Row } from "./Entry.ts"
import type { JournalError } from "./JournalError.ts"
import type { JournalStore, Scan } from "./JournalStore.ts"

export const batchRows = 512

export const batchBytes: number = 1024 * 1024

export const readFirstPosition = (
  store: Pick<JournalStore, "scan">,
): Effect.Effect<Position | undefined, JournalError> =>
  Effect.map(store.scan({ maxRows: 1, headersOnly: true }), ([row]) => row?.position)

/**
 * Reads a batch. When a row of it cannot be read, the rows that come before it in the order of the scan are returned, and
 * the next call fails.
 */
export const scanBatch = (
  store: Pick<JournalStore, "scan">,
  scan: Scan,
): Effect.Effect<ReadonlyArray<Row>, JournalError> =>
  Effect.catchReason(store.scan(scan), "JournalError", "Corrupt", ({ position = 0 }, error) => {
    const { after = 0, before = Infinity, order } = scan
    const isBackward = order === "backward"
    const failed = Effect.fail(error)
    if (isBackward ? position >= before - 1 : position <= after + 1) return failed
    return Effect.flatMap(
      store.scan(isBackward ? { ...scan, after: position } : { ...scan, before: position }),
      (rows) => rows.length > 0 ? Effect.succeed(rows) : failed,
    )
  })

export const scanInBatches = (
  store: Pick<JournalStore, "scan">,
  scan: Omit<Scan, "maxRows" | "maxBytes" | "order">,
  visit: (row: Row) => void,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    let after = scan.after ?? 0
    for (;;) {
      const rows = yield* scanBatch(store, { ...scan, after, maxRows: batchRows, maxBytes: batchBytes })
      for (const row of rows) visit(row)
      const last = rows.at(-1)
      if (last === undefined) return
      after = last.position
      yield* Effect.yieldNow
    }
  })
