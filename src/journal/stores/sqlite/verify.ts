/**
 * Compares the schema of a SQLite journal with its definition and the index marks with the entries, then runs the
 * integrity check of SQLite and looks for zero bytes, in a thread where possible.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { defined } from "../../../base/defined.ts"
import type { Position } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import type { ConnectionSet } from "./ConnectionSet.ts"
import { damagedPage, entryOnDamagedPage, isCorrupt } from "./errors.ts"
import type { Builtins } from "./nodeSqlite.ts"
import { type Operation, retryWhileBusy } from "./retryWhileBusy.ts"
import { findSchemaDifferences, prunedThrough } from "./schema.ts"
import { blockOf, MarkBuilder } from "./sparseIndex.ts"

/** Rows whose marks are compared at a time. */
const batchRows = 4_096

/** The marks that a row has, and those that it needs. */
export interface RowMarks {
  readonly position: Position
  readonly actual: number
  readonly expected: number
}

/** Reads the marks of all rows in order, a batch at a time. */
export class MarkReader {
  readonly #marks = new MarkBuilder()
  #after: Position = 0
  /** Rows that were read. */
  count = 0

  /** The next rows; none at the end. */
  next(connection: Connection): ReadonlyArray<RowMarks> {
    const rows = this.#query(connection).map((cells): RowMarks => {
      const position = numberAt(cells, 0)
      const [correlationId, tag, branch] = [textAt(cells, 2), textAt(cells, 3), textAt(cells, 4)]
      return {
        position,
        actual: numberAt(cells, 1),
        expected: this.#marks.marksOf({ position, correlationId, tag, branch }),
      }
    })
    this.#after = rows.at(-1)?.position ?? this.#after
    this.count += rows.length
    return rows
  }

  #query(connection: Connection) {
    try {
      return connection.rows(
        `SELECT position, marks, correlation_id, tag, branch FROM entries WHERE position > ?
          ORDER BY position LIMIT ${batchRows}`,
        this.#after,
      )
    } catch (error) {
      throw isCorrupt(error) ? entryOnDamagedPage(this.#after + 1, error) : error
    }
  }
}

/** Answers `"ok"`, or describes the first fault. */
const integrityQuery = "PRAGMA integrity_check(1)"

/**
 * The position of an entry with a zero byte in a text, or 0. Deno's `node:sqlite` reads a text up to its first zero byte,
 * so the hash chain does not cover what follows it. No text of an entry has one: JSON escapes it.
 */
const zeroByteQuery = `SELECT ifnull((SELECT position FROM entries WHERE instr(body, char(0)) OR instr(hash, char(0))
    OR instr(correlation_id, char(0)) OR instr(tag, char(0)) OR instr(branch, char(0)) LIMIT 1), 0)`

interface Integrity {
  readonly fault: string
  readonly zeroByteAt: number
}

/** The program of a thread: the check takes about a second for a gigabyte, in which SQLite does not pause. */
const program = `
const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads")
const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
const database = new DatabaseSync(workerData.path, { readOnly: true })
const first = (sql) => String(Object.values(database.prepare(sql).get())[0])
const fault = first(workerData.integrityQuery)
const position = fault === "ok" ? first(workerData.zeroByteQuery) : "0"
database.close()
parentPort.postMessage(position + " " + fault)
`

/** Checks the file in a thread; fails where no thread or no second connection can be had. */
const checkInThread = ({ threads }: Builtins, path: string): Effect.Effect<Integrity, unknown> =>
  Effect.callback<Integrity, unknown>((resume) => {
    let worker: InstanceType<typeof threads.Worker>
    try {
      worker = new threads.Worker(program, { eval: true, workerData: { path, integrityQuery, zeroByteQuery } })
    } catch (error) {
      return resume(Effect.fail(error))
    }
    let result: Effect.Effect<Integrity, unknown> = Effect.fail("the thread ended without an answer")
    worker.on("message", (text: unknown) => {
      const [position = "", ...words] = String(text).split(" ")
      result = Effect.succeed({ fault: words.join(" "), zeroByteAt: Number(position) })
    })
    worker.on("error", (error: unknown) => {
      result = Effect.fail(error)
    })
    // The thread must not outlive the check.
    worker.on("exit", () => resume(result))
    return Effect.promise(() => worker.terminate())
  })

/** Checks the file on this thread. */
const checkHere = (connections: ConnectionSet): Integrity => {
  try {
    return connections.read((connection) => {
      const fault = String(connection.row(integrityQuery)?.[0])
      return { fault, zeroByteAt: fault === "ok" ? connection.number(zeroByteQuery) : 0 }
    })
  } catch (error) {
    if (isCorrupt(error)) return { fault: damagedPage, zeroByteAt: 0 }
    throw error
  }
}

const mismatch = (path: string, what: string, position?: Position): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what, ...defined({ position }) },
    `journal: ${path} was not verified: ${what}; "sluice journal repair" creates its indexes again from its entries`,
  )

const hasZeroByte = (position: Position): JournalError => {
  const what = "one of its texts contains NUL"
  return JournalError.because(
    { _tag: "Corrupt", what, position },
    `journal: entry ${position} was not verified: ${what}`,
  )
}

/** Checks the schema, the marks of all rows, and the file; fails with `Corrupt` at the first fault. */
export const verifyIndexes = (
  connections: ConnectionSet,
  operation: Operation,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    const { builtins, path } = connections
    const read = <A>(work: (connection: Connection) => A): Effect.Effect<A, JournalError> =>
      retryWhileBusy(operation, () => connections.read(work))
    const [name] = yield* read(findSchemaDifferences)
    if (name !== undefined) return yield* Effect.fail(mismatch(path, `"${name}" is not as it was created`))
    const reader = new MarkReader()
    for (let isMore = true; isMore;) {
      yield* Effect.yieldNow
      const lost = yield* read((connection) => {
        const rows = reader.next(connection)
        isMore = rows.length > 0
        // Marked rows of the block in which the journal begins may have been pruned.
        const firstBlock = blockOf(prunedThrough(connection) + 1)
        return rows.find(({ actual, expected, position }) =>
          blockOf(position) > firstBlock && (actual & expected) !== expected
        )
      })
      if (lost !== undefined) {
        return yield* Effect.fail(mismatch(path, "an entry is missing from an index", lost.position))
      }
    }
    const { fault, zeroByteAt } = yield* Effect.catch(
      checkInThread(builtins, path),
      () => retryWhileBusy(operation, () => checkHere(connections)),
    )
    if (fault !== "ok") return yield* Effect.fail(mismatch(path, `SQLite finds: ${fault}`))
    if (zeroByteAt > 0) return yield* Effect.fail(hasZeroByte(zeroByteAt))
  })
