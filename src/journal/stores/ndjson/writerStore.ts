/**
 * The store of the one process that writes the file.
 *
 * @module
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Head, Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Durability, JournalStore, Scan } from "../../JournalStore.ts"
import { fsError } from "./fsError.ts"
import { FileAppender } from "./FileAppender.ts"
import { WriteBuffer } from "./WriteBuffer.ts"
import { rewriteFile } from "./rewriteFile.ts"
import { scanFile } from "./scan.ts"
import type { JournalFile } from "./JournalFile.ts"
import type { HostSystem } from "./HostSystem.ts"
import { NdjsonTransaction } from "./Transaction.ts"

/** A store, and what ends it. */
export interface OpenStore {
  readonly store: JournalStore
  readonly close: Effect.Effect<void>
}

/** How long rows that need not be safe stay in memory, at most. */
const flushMillis = 10

/** How long until that is tried again when the disk did not take them. */
const retryMillis = 250

/** Makes the store of a file that is whole. */
export const makeWriterStore = (system: HostSystem, segment: JournalFile): OpenStore => {
  const { path } = segment
  const file = new FileAppender(system, segment)
  const memory = new WriteBuffer()
  // A timer of the machine, whatever the program's clock says: it bounds what a crash of the process takes with it.
  let timer: ReturnType<typeof setTimeout> | undefined
  let failing = false
  let closed = false
  /** Done when another file has taken the place of this one, or will not. */
  let changing: Deferred.Deferred<void> | undefined

  const headNow = (): Head => memory.head ?? file.segment.head

  const attempt = <A>(what: string, work: () => A): Effect.Effect<A, JournalError> =>
    Effect.suspend(() => {
      try {
        if (closed) throw JournalError.because({ _tag: "Closed" }, `journal: ${path} ${what}: it is closed`)
        return Effect.succeed(work())
      } catch (error) {
        return Effect.fail(fsError(error, { path, what }))
      }
    })

  /** Writes what is in memory only, and one transaction more: all, or none of it. */
  const write = (rows?: ReadonlyArray<Row>): void => {
    file.check()
    const transactions = rows === undefined ? memory.transactions : [...memory.transactions, rows]
    if (transactions.length === 0) return
    file.keep(file.write(transactions))
    memory.clear()
    failing = false
  }

  const writeLater = (millis: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      try {
        write()
      } catch {
        // From now on whoever appends is told, as nothing more is taken into memory. What is there is tried again.
        failing = true
        writeLater(retryMillis)
      }
    }, millis)
  }

  const append = (rows: ReadonlyArray<Row>, durability: Durability): void => {
    file.check()
    if (durability === "memory" && !failing && memory.tryAdd(rows)) writeLater(flushMillis)
    else write(rows)
  }

  const appendToDisk = (rows: ReadonlyArray<Row>): Effect.Effect<void, JournalError> =>
    Effect.flatMap(
      attempt("was not written", () => {
        // On its own: what comes from memory was promised already, and is not taken back with the rest.
        write()
        return rows.length === 0 ? undefined : file.write([rows])
      }),
      (written) => written === undefined && !file.behind ? Effect.void : file.confirm(written),
    )

  const change = (transaction: NdjsonTransaction): Effect.Effect<void, JournalError> =>
    Effect.suspend(() => {
      const over = changing = Deferred.makeUnsafe<void>()
      return attempt("was not written", () => write()).pipe(
        Effect.flatMap(() =>
          rewriteFile(system, file.segment, {
            removeThrough: transaction.removed,
            strip: transaction.stripped,
            rows: transaction.rows,
          })
        ),
        Effect.map((next) => file.replace(next)),
        Effect.onExit((exit) =>
          Effect.sync(() => {
            if (exit._tag === "Failure") file.suspect()
            changing = undefined
            Deferred.doneUnsafe(over, Exit.void)
          })
        ),
      )
    })

  /** Whether a transaction changes what was there before it. */
  const changes = ({ removed, stripped }: NdjsonTransaction): boolean => {
    const first = file.segment.first || memory.first?.position || Infinity
    if (removed >= first) return true
    const last = headNow().position
    for (const position of stripped) if (position >= first && position <= last) return true
    return false
  }

  const commit = (transaction: NdjsonTransaction, durability: Durability): Effect.Effect<void, JournalError> => {
    if (transaction.head.position !== headNow().position) {
      return Effect.die(new Error("two transactions of one journal at the same time"))
    }
    if (changes(transaction)) return Effect.uninterruptible(change(transaction))
    const { rows } = transaction
    if (durability === "disk") return Effect.uninterruptible(appendToDisk(rows))
    if (rows.length > 0) return attempt("was not written", () => append(rows, durability))
    return durability === "memory" ? Effect.void : attempt("was not written", () => write())
  }

  const scan = (options: Scan, more: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<Row>, JournalError> =>
    Effect.flatMap(
      attempt("was not read", () => memory.length === 0 ? more : [...memory.transactions.flat(), ...more]),
      (unwritten) => scanFile(file.segment, options, unwritten),
    )

  const store: JournalStore = {
    name: "ndjson",
    location: path,
    durabilities: ["memory", "os", "disk"],
    // A disk that is slow to confirm is waited for; everything else runs to its end.
    synchronous: true,
    head: attempt("was not read", headNow),
    size: attempt("was not read", () => {
      const first = file.segment.first || (memory.first?.position ?? 0)
      const entries = first === 0 ? 0 : headNow().position - first + 1
      return { entries, bytes: file.segment.end + memory.length, first }
    }),
    scan: (asked) => scan(asked, []),
    transact: (durability, work) =>
      Effect.flatMap(
        attempt(
          "was not written",
          () => new NdjsonTransaction({ head: headNow(), path, byteLength: system.byteLength, scan }),
        ),
        (transaction) =>
          Effect.flatMap(work(transaction), (answer) => Effect.as(commit(transaction, durability), answer)),
      ),
    // The lock sees to it that nobody else appends.
    watch: () => Effect.void,
  }

  const flush = Effect.suspend(() => {
    clearTimeout(timer)
    const lost = memory.transactions.length
    try {
      write()
    } catch (error) {
      const { message } = fsError(error, { path, what: "was not written" })
      if (lost > 0) {
        return Effect.logError(`${message}; ${lost} transactions that were to be kept in memory only are lost`)
      }
    }
    return Effect.void
  })

  const close = Effect.suspend(() => {
    closed = true
    const idle = changing === undefined ? Effect.void : Deferred.await(changing)
    return Effect.andThen(Effect.andThen(idle, flush), file.close)
  })

  return { store, close }
}
