/**
 * Which row it is that the server cannot read.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import type { Position, Row } from "../../Entry.ts"
import type { JournalError } from "../../JournalError.ts"
import type { Scan } from "../../JournalStore.ts"
import { codeOf, damaged, type Tried } from "./errors.ts"

type Read = (scan: Scan) => Effect.Effect<ReadonlyArray<Row>, SqlError | JournalError>

const pageRows = 512

/** A page of a table or of an index is not what was written (`data_corrupted`, `index_corrupted`). */
const isDamage = (error: SqlError | JournalError): error is SqlError =>
  error._tag === "SqlError" && /^XX00[12]$/.test(codeOf(error) ?? "")

/** The first position that cannot be read, in the order of a scan: by pages, then by ever smaller parts of one. */
const findDamage = (read: Read, scan: Scan): Effect.Effect<Position | undefined, SqlError | JournalError> =>
  Effect.gen(function* () {
    const backward = scan.order === "backward"
    let { after = 0, before = Infinity } = scan
    let limit = pageRows
    for (;;) {
      const page = yield* Effect.result(read({ ...scan, after, before, filter: undefined, limit }))
      if (Result.isSuccess(page)) {
        const last = page.success.at(-1)
        if (last === undefined) return undefined
        if (backward) before = last.position
        else after = last.position
      } else if (!isDamage(page.failure)) return yield* Effect.fail(page.failure)
      else if (limit === 1) return backward ? before - 1 : after + 1
      else limit = Math.ceil(limit / 2)
    }
  })

/** The same read; where the server cannot read a row of it, the error names the first such position. */
export const namingDamage = (
  read: Read,
  tried: Tried,
  scan: Scan,
): Effect.Effect<ReadonlyArray<Row>, SqlError | JournalError> =>
  Effect.catchIf(read(scan), isDamage, (error) =>
    Effect.flatMap(findDamage(read, scan), (position) => {
      const code = codeOf(error) ?? ""
      const place = position === undefined ? "a page of it" : `entry ${position}`
      return Effect.fail(damaged(tried, `the server cannot read ${place} (${code})`, position, code))
    }))
