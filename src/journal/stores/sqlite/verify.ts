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
import type { Builtins, Cells } from "./nodeSqlite.ts"
import { type Operation, retryWhileBusy } from "./retryWhileBusy.ts"
import { readSize } from "./scan.ts"
import { findSchemaDifferences, prunedQuery, prunedThrough } from "./schema.ts"
import { blockOf, blockSize, MarkBuilder } from "./sparseIndex.ts"

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
  /** The position of a row that lacks a mark, or 0. */
  readonly lost: Position
  readonly fault: string
  readonly zeroByteAt: number
}

/** The entries of a range of positions, and their marks. */
const marksQuery =
  `SELECT position, marks, correlation_id, tag, branch FROM entries WHERE position >= ? AND position < ?
    ORDER BY position`

/**
 * The position of the first row without a mark that it needs, or 0, by the rule of {@link MarkBuilder}. The rows are of
 * whole blocks; in the one in which the journal begins, marked rows may have been pruned. It is sent to a thread as text,
 * as `proveRows` is.
 */
const findLostMark = (rows: ReadonlyArray<Cells>, firstBlock: number, blockSize: number): Position => {
  // The block in which each value was seen last.
  const seen = [new Map<unknown, number>(), new Map<unknown, number>(), new Map<unknown, number>()]
  for (const row of rows) {
    const at = Math.floor(Number(row[0]) / blockSize)
    for (let index = 0; index < 3; index++) {
      const value = row[index + 2]
      if (seen[index]?.get(value) === at) continue
      seen[index]?.set(value, at)
      if (at > firstBlock && (Number(row[1]) & (1 << index)) === 0) return Number(row[0])
    }
  }
  return 0
}

/** A check of the marks takes about as long as one of the file. */
type Part = "marks" | "file"

/** The check of a smaller journal takes less time than the start of a thread. */
const minThreadedBytes = 4 * 1024 * 1024

/** Entries that are worth a thread for each part. */
const minEntriesOfTwo = 50_000

/**
 * The program of a thread: the checks take about a second for a gigabyte, in which SQLite does not pause. It ends without an
 * answer where it fails, since Deno prints errors of threads; the checks are then made here.
 */
const program = `
const findLostMark = ${findLostMark}
const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads")
const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
const { batchRows, blockSize, integrityQuery, marksQuery, parts, path, prunedQuery, zeroByteQuery } = workerData
try {
  const database = new DatabaseSync(path, { readOnly: true })
  const first = (sql) => Object.values(database.prepare(sql).get())[0]
  const statement = database.prepare(marksQuery)
  statement.setReturnArrays(true)
  let [lost, next] = [0, 0]
  for (let isMore = parts.includes("marks"); isMore && lost === 0; next += batchRows) {
    database.exec("BEGIN")
    const firstBlock = Math.floor((first(prunedQuery) + 1) / blockSize)
    const from = Math.max(next, firstBlock * blockSize)
    const rows = statement.all(from, from + batchRows)
    database.exec("ROLLBACK")
    lost = findLostMark(rows, firstBlock, blockSize)
    next = from
    isMore = rows.length > 0
  }
  const isFileDue = lost === 0 && parts.includes("file")
  const fault = isFileDue ? String(first(integrityQuery)) : "ok"
  const zeroByteAt = !isFileDue || fault !== "ok" ? 0 : first(zeroByteQuery)
  database.close()
  parentPort.postMessage({ lost, fault, zeroByteAt })
} catch {}
`
const isIntegrity = (u: unknown): u is Integrity =>
  typeof u === "object" && u !== null && "lost" in u && typeof u.lost === "number" && "fault" in u &&
  typeof u.fault === "string" && "zeroByteAt" in u && typeof u.zeroByteAt === "number"

/** Checks parts in a thread; fails where no thread or no second connection can be had. */
const checkInThread = (
  { threads }: Builtins,
  path: string,
  parts: ReadonlyArray<Part>,
): Effect.Effect<Integrity, unknown> =>
  Effect.callback<Integrity, unknown>((resume) => {
    const sql = { integrityQuery, marksQuery, prunedQuery, zeroByteQuery }
    let worker: InstanceType<typeof threads.Worker>
    try {
      worker = new threads.Worker(program, { eval: true, workerData: { ...sql, batchRows, blockSize, parts, path } })
    } catch (error) {
      return resume(Effect.fail(error))
    }
    let result: Effect.Effect<Integrity, unknown> = Effect.fail("the thread ended without an answer")
    worker.on("message", (answer: unknown) => {
      if (isIntegrity(answer)) result = Effect.succeed(answer)
    })
    worker.on("error", (error: unknown) => {
      result = Effect.fail(error)
    })
    // The thread must not outlive the check.
    worker.on("exit", () => resume(result))
    return Effect.promise(() => worker.terminate())
  })

/** Checks the marks and the file in threads. */
const checkInThreads = (builtins: Builtins, path: string, entries: number): Effect.Effect<Integrity, unknown> =>
  entries < minEntriesOfTwo ? checkInThread(builtins, path, ["marks", "file"]) : Effect.zipWith(
    checkInThread(builtins, path, ["marks"]),
    // On Deno the start of a thread blocks this one: other fibers run before the next.
    Effect.andThen(Effect.yieldNow, checkInThread(builtins, path, ["file"])),
    ({ lost }, file) => ({ ...file, lost }),
    { concurrent: true },
  )

/** The rows of a batch; fails with the first entry that is on a damaged page. */
const readMarkedRows = (connection: Connection, from: Position): ReadonlyArray<Cells> => {
  try {
    return connection.rows(marksQuery, from, from + batchRows)
  } catch (error) {
    throw isCorrupt(error) ? entryOnDamagedPage(Math.max(from, 1), error) : error
  }
}

/** Checks the marks of a batch of rows; `next` is `undefined` after the last one. */
const checkMarks = (connection: Connection, position: Position) =>
  connection.read(() => {
    const firstBlock = blockOf(prunedThrough(connection) + 1)
    const from = Math.max(position, firstBlock * blockSize)
    const rows = readMarkedRows(connection, from)
    return { lost: findLostMark(rows, firstBlock, blockSize), next: rows.length > 0 ? from + batchRows : undefined }
  })

/** Has SQLite check the file. */
const checkFile = (connections: ConnectionSet): Integrity => {
  try {
    return connections.read((connection) => {
      const fault = String(connection.row(integrityQuery)?.[0])
      return { lost: 0, fault, zeroByteAt: fault === "ok" ? connection.number(zeroByteQuery) : 0 }
    })
  } catch (error) {
    if (isCorrupt(error)) return { lost: 0, fault: damagedPage, zeroByteAt: 0 }
    throw error
  }
}

/** Checks the marks and the file on this thread. */
const checkHere = (connections: ConnectionSet, operation: Operation): Effect.Effect<Integrity, JournalError> =>
  Effect.gen(function* () {
    for (let from: Position | undefined = 0; from !== undefined;) {
      yield* Effect.yieldNow
      const at: Position = from
      const { lost, next } = yield* retryWhileBusy(
        operation,
        () => connections.read((connection) => checkMarks(connection, at)),
      )
      if (lost > 0) return { lost, fault: "ok", zeroByteAt: 0 }
      from = next
    }
    return yield* retryWhileBusy(operation, () => checkFile(connections))
  })

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
    const { bytes, entries } = yield* read(readSize)
    const here = checkHere(connections, operation)
    const { fault, lost, zeroByteAt } = yield* bytes < minThreadedBytes
      ? here
      : Effect.catch(checkInThreads(builtins, path, entries), () => here)
    if (lost > 0) return yield* Effect.fail(mismatch(path, "an entry is missing from an index", lost))
    if (fault !== "ok") return yield* Effect.fail(mismatch(path, `SQLite finds: ${fault}`))
    if (zeroByteAt > 0) return yield* Effect.fail(hasZeroByte(zeroByteAt))
  })
