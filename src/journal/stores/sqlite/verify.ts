/** Checks the file of a SQLite journal: its schema, its pages, its index marks, and zero bytes in texts. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../../../base/waits.ts"
import { defined } from "../../../base/defined.ts"
import type { Position } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import type { ConnectionSet } from "./ConnectionSet.ts"
import { damagedPage, entryOnDamagedPage, isCorrupt } from "./errors.ts"
import type { Builtins } from "./loadBuiltins.ts"
import { type Operation, retryWhileBusy } from "./retryWhileBusy.ts"
import { readSize } from "./scan.ts"
import { findSchemaDifferences, prunedThrough } from "./schema.ts"
import { blockOf, blockSize, findLostMark, MarkBuilder } from "./sparseIndex.ts"

const batchRows = 4_096

export interface RowMarks {
  readonly position: Position
  readonly actual: number
  readonly expected: number
}

export class MarkReader {
  readonly #marks = new MarkBuilder()
  #after: Position = 0
  count = 0

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
 * The position of an entry in a range with a zero byte in a text, or 0. Deno's `node:sqlite` reads a text up to its first
 * zero byte, so the hash chain does not cover what follows it. No text of an entry has one: JSON escapes it.
 */
const zeroByteQuery = `SELECT ifnull((SELECT position FROM entries WHERE position >= ? AND position < ?
    AND (instr(body, char(0)) OR instr(hash, char(0)) OR instr(correlation_id, char(0)) OR instr(tag, char(0))
      OR instr(branch, char(0))) LIMIT 1), 0)`

const marksQuery =
  `SELECT position, marks, correlation_id, tag, branch FROM entries WHERE position >= ? AND position < ?
    ORDER BY position`

/** The check of a smaller journal takes less time than the start of a thread. */
const minThreadedBytes = 4 * 1024 * 1024

/**
 * The program of a thread: the check takes half a second for a gigabyte, in which SQLite does not pause. It ends without
 * an answer where it fails, since Deno prints errors of threads; the check is then made here.
 */
const program = `
const { parentPort, workerData: { integrityQuery, path } } = process.getBuiltinModule("node:worker_threads")
const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
try {
  const database = new DatabaseSync(path, { readOnly: true })
  const fault = Object.values(database.prepare(integrityQuery).get())[0]
  database.close()
  parentPort.postMessage(fault)
} catch {}
`

const checkInThread = ({ threads }: Builtins, path: string): Effect.Effect<string, unknown> =>
  callbackLater<string, unknown>((resume) => {
    let worker: InstanceType<typeof threads.Worker>
    try {
      worker = new threads.Worker(program, { eval: true, workerData: { integrityQuery, path } })
    } catch (error) {
      return resume(Effect.fail(error))
    }
    let result: Effect.Effect<string, unknown> = Effect.fail("the thread ended without an answer")
    worker.on("message", (answer: unknown) => {
      if (typeof answer === "string") result = Effect.succeed(answer)
    })
    worker.on("error", (error: unknown) => {
      result = Effect.fail(error)
    })
    // The thread must not outlive the check.
    worker.on("exit", () => resume(result))
    return Effect.promise(() => worker.terminate())
  })

const checkHere = (connections: ConnectionSet): string => {
  try {
    return connections.read((connection) => String(connection.row(integrityQuery)?.[0]))
  } catch (error) {
    if (isCorrupt(error)) return damagedPage
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

export const checkFile = (connections: ConnectionSet, operation: Operation): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    const { builtins, path } = connections
    const read = <A>(work: (connection: Connection) => A): Effect.Effect<A, JournalError> =>
      retryWhileBusy(operation, () => connections.read(work))
    const [name] = yield* read(findSchemaDifferences)
    if (name !== undefined) return yield* Effect.fail(mismatch(path, `"${name}" is not as it was created`))
    const { bytes } = yield* read(readSize)
    const here = retryWhileBusy(operation, () => checkHere(connections))
    const fault = yield* bytes < minThreadedBytes ? here : Effect.catch(checkInThread(builtins, path), () => here)
    if (fault !== "ok") return yield* Effect.fail(mismatch(path, `SQLite finds: ${fault}`))
  })

const readBatch = (connection: Connection, from: Position, before: Position) => {
  try {
    return {
      zeroByteAt: connection.number(zeroByteQuery, from, before),
      rows: connection.rows(marksQuery, from, before),
    }
  } catch (error) {
    throw isCorrupt(error) ? entryOnDamagedPage(Math.max(from, 1), error) : error
  }
}

export const checkRows = (
  connections: ConnectionSet,
  operation: Operation,
  through: Position,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    const { path } = connections
    for (let next = 0; next <= through;) {
      yield* Effect.yieldNow
      const at = next
      const { before, lost, zeroByteAt } = yield* retryWhileBusy(operation, () =>
        connections.read((connection) =>
          connection.read(() => {
            const firstBlock = blockOf(prunedThrough(connection) + 1)
            const start = Math.max(at, firstBlock * blockSize)
            const before = start + batchRows
            const { rows, zeroByteAt } = readBatch(connection, start, Math.min(before, through + 1))
            return { before, lost: findLostMark(rows, firstBlock), zeroByteAt }
          })
        ))
      if (lost > 0) {
        return yield* Effect.fail(mismatch(path, "an entry is missing from an index", lost))
      }
      if (zeroByteAt > 0) {
        return yield* Effect.fail(hasZeroByte(zeroByteAt))
      }
      next = before
    }
  })
