/**
 * Compares what a file has beside its entries with the entries.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Position } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Access } from "./Access.ts"
import { differentObjects, MarkWalk } from "./differences.ts"
import { type Findings, findingsOf } from "./integrity.ts"
import { removedQuery } from "./queries.ts"
import { blockOf } from "./schema.ts"
import { isCorrupt } from "./sqliteError.ts"
import { type Attempt, whenFree } from "./waiting.ts"

const different = (path: string, what: string, position?: Position, exception?: unknown): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what, ...(position === undefined ? undefined : { position }) },
    `journal: ${path} does not hold: ${what}; "sluice journal repair" makes its indexes again from its entries`,
    exception,
  )

const withZeroByte = (position: Position): JournalError => {
  const what = "a zero byte stands in one of its texts"
  return JournalError.because(
    { _tag: "Corrupt", what, position },
    `journal: entry ${position} does not hold: ${what}`,
  )
}

/** SQLite's own checks on this connection, where they could not run in a thread. */
const checkHere = (access: Access): Findings => {
  try {
    return access.read(({ connection }) => findingsOf((sql) => connection.row(sql)?.[0]))
  } catch (error) {
    if (isCorrupt(error)) return { integrity: "a page of the file is not what was written", zeroByte: 0 }
    throw error
  }
}

/** See `JournalStore.check`. */
export const checkFile = (access: Access, reading: Attempt): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    const { path } = access
    const [name] = yield* whenFree(reading, () => access.read(({ connection }) => differentObjects(connection)))
    if (name !== undefined) return yield* Effect.fail(different(path, `"${name}" is not as it was made`))
    const walk = new MarkWalk()
    for (let more = true; more;) {
      yield* Effect.yieldNow
      const lost = yield* whenFree(reading, () =>
        access.read(({ connection }) => {
          const rows = walk.next(connection)
          more = rows.length > 0
          // In the block in which the journal begins, rows that were marked may be gone.
          const beginning = blockOf(connection.number(removedQuery) + 1)
          return rows.find(({ has, needs, position }) => blockOf(position) > beginning && (has & needs) !== needs)
        }))
      if (lost !== undefined) {
        return yield* Effect.fail(different(path, "an entry is missing from an index", lost.position))
      }
    }
    const found = yield* Effect.catch(access.integrity, () => whenFree(reading, () => checkHere(access)))
    if (found.integrity !== "ok") return yield* Effect.fail(different(path, `SQLite finds: ${found.integrity}`))
    if (found.zeroByte > 0) return yield* Effect.fail(withZeroByte(found.zeroByte))
  })
