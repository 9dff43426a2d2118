/** Checks the file of a SQLite journal: its schema, its pages, the index marks and texts of its rows. */
import * as Effect from "effect/Effect"
import { quote } from "../../../base/quote.ts"
import { encodeUtf8 } from "../../../base/bytes.ts"
import { callbackLater } from "../../../base/waits.ts"
import { defined } from "../../../base/defined.ts"
import type { Cells } from "../../../sql/nodeSqlite.ts"
import type { Position, Row } from "../../Entry.ts"
import { corruptEntryError } from "../../entryCodec.ts"
import { JournalError } from "../../JournalError.ts"
import { type Connection, numberAt } from "./Connection.ts"
import type { ConnectionSet } from "./ConnectionSet.ts"
import { damagedPage, isCorrupt } from "./errors.ts"
import type { Builtins } from "./loadBuiltins.ts"
import { type Operation, retryWhileBusy } from "./retryWhileBusy.ts"
import { readSize } from "./scan.ts"
import { findSchemaDifferences } from "./schema.ts"
import { blockOf, MarkBuilder } from "./sparseIndex.ts"

/** Answers `"ok"`, or describes the first fault. */
const integrityQuery = "PRAGMA integrity_check(1)"

/** The check of a smaller journal takes less time than the start of a thread. */
const minThreadedBytes = 4 * 1024 * 1024

/**
 * The program of a thread: the check takes half a second for a gigabyte, during which SQLite does not pause. If it
 * fails, the thread ends without an answer, since Deno prints errors of threads, and the check is repeated on this
 * thread.
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

export const checkFile = (connections: ConnectionSet, operation: Operation): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    const { builtins, path } = connections
    const read = <A>(work: (connection: Connection) => A): Effect.Effect<A, JournalError> =>
      retryWhileBusy(operation, () => connections.read(work))
    const [name] = yield* read(findSchemaDifferences)
    if (name !== undefined) return yield* Effect.fail(mismatch(path, `${quote(name)} is not as it was created`))
    const { bytes } = yield* read(readSize)
    const here = retryWhileBusy(operation, () => checkHere(connections))
    const fault = yield* bytes < minThreadedBytes ? here : Effect.catch(checkInThread(builtins, path), () => here)
    if (fault !== "ok") return yield* Effect.fail(mismatch(path, `SQLite finds: ${fault}`))
  })

/**
 * Checks the rows of one verification, which come in order: each is in the indexes, and its texts are whole. Deno's
 * `node:sqlite` reads a text up to its first zero byte, so the hash chain does not cover what follows it.
 */
export class RowCheck {
  readonly #path: string
  readonly #marks = new MarkBuilder()
  #through: Position = 0
  /** The error of the first invalid row. */
  failure: JournalError | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Takes a row and its cells of a checked query. `firstBlock` is the one in which the journal begins. */
  add(row: Row, cells: Cells, firstBlock: number): void {
    const { body, branch, correlationId, hash, position, tag } = row
    // A batch is read again after a prune.
    if (position <= this.#through) return
    this.#through = position
    // In the block where the journal begins, marked rows may have been pruned.
    if ((this.#marks.marksOf(row) & ~numberAt(cells, 9)) !== 0 && blockOf(position) > firstBlock) {
      this.failure ??= mismatch(this.#path, "an entry is missing from an index", position)
    }
    const bytes = numberAt(cells, 7)
    const isWhole = numberAt(cells, 10) === branch.length + correlationId.length + tag.length + hash.length &&
      (bytes === body.length || bytes === encodeUtf8(body).length)
    if (!isWhole) this.failure ??= corruptEntryError(position, "one of its texts is cut off or is not UTF-8")
  }
}
