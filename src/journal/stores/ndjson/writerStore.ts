/** Makes the `JournalStore` of the one process that writes a journal file. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { completeLater } from "../../../base/waits.ts"
import type { Head, Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Durability, JournalStore, Scan } from "../../JournalStore.ts"
import { FileAppender } from "./FileAppender.ts"
import { attemptFile, fsError } from "./fsError.ts"
import type { HostSystem } from "./HostSystem.ts"
import type { JournalFile } from "./JournalFile.ts"
import { NdjsonTransaction } from "./NdjsonTransaction.ts"
import { pruneFile } from "./pruneFile.ts"
import { scanFile } from "./scanFile.ts"
import { WriteBuffer } from "./WriteBuffer.ts"

export interface OpenStore {
  readonly store: JournalStore
  readonly close: Effect.Effect<void>
}

const flushMillis = 10

const flushRetryMillis = 250

/** Makes the store of a file that has no torn end. */
export const makeWriterStore = (system: HostSystem, file: JournalFile): OpenStore => {
  const { path } = file
  const appender = new FileAppender(system, file)
  const buffer = new WriteBuffer()
  // A timer of the host, not of the Clock: it bounds what a crash of the process loses.
  let timer: ReturnType<typeof setTimeout> | undefined
  let isFlushFailing = false
  let isClosed = false
  /** Completed when a prune has replaced the file, or failed. */
  let pruning: Deferred.Deferred<void> | undefined

  const currentHead = (): Head => buffer.head ?? appender.file.head

  const attempt = <A>(what: string, work: () => A): Effect.Effect<A, JournalError> =>
    attemptFile({ path, what }, () => {
      if (isClosed) throw JournalError.because({ _tag: "Closed" }, `journal: ${path} ${what}: it is closed`)
      return work()
    })

  /** Writes the buffer and one more transaction, all or nothing. */
  const write = (rows?: ReadonlyArray<Row>): void => {
    appender.check()
    const transactions = rows === undefined ? buffer.transactions : [...buffer.transactions, rows]
    if (transactions.length === 0) return
    appender.commit(appender.write(transactions))
    buffer.clear()
    isFlushFailing = false
  }

  const flushLater = (millis: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      try {
        write()
      } catch {
        // From now on appends write at once, and so fail with the error. The buffer is tried again.
        isFlushFailing = true
        flushLater(flushRetryMillis)
      }
    }, millis)
  }

  const append = (rows: ReadonlyArray<Row>, durability: Durability): void => {
    appender.check()
    if (durability === "memory" && !isFlushFailing && buffer.tryAdd(rows)) flushLater(flushMillis)
    else write(rows)
  }

  const appendToDisk = (rows: ReadonlyArray<Row>): Effect.Effect<void, JournalError> =>
    Effect.flatMap(
      attempt("was not written", () => {
        // Separately: the buffer was acknowledged already, and is not taken back with these rows.
        write()
        return rows.length === 0 ? undefined : appender.write([rows])
      }),
      (pending) => pending === undefined && !appender.isUnsynced ? Effect.void : appender.sync(pending),
    )

  const prune = ({ removedThrough, rows, strippedPositions }: NdjsonTransaction): Effect.Effect<void, JournalError> =>
    Effect.suspend(() => {
      const done = pruning = Deferred.makeUnsafe<void>()
      return attempt("was not written", () => write()).pipe(
        Effect.flatMap(() => pruneFile(system, appender.file, { removedThrough, strippedPositions, rows })),
        Effect.map((pruned) => appender.replace(pruned)),
        Effect.onExit((exit) =>
          Effect.sync(() => {
            if (exit._tag === "Failure") appender.recheckIdentity()
            pruning = undefined
            completeLater(done, Exit.void)
          })
        ),
      )
    })

  /** Whether a transaction changes existing entries. */
  const prunes = ({ removedThrough, strippedPositions }: NdjsonTransaction): boolean => {
    const first = appender.file.first || buffer.first?.position || Infinity
    if (removedThrough >= first) return true
    const last = currentHead().position
    for (const position of strippedPositions) if (position >= first && position <= last) return true
    return false
  }

  const commit = (transaction: NdjsonTransaction, durability: Durability): Effect.Effect<void, JournalError> => {
    if (transaction.head.position !== currentHead().position) {
      return Effect.die(new Error("two transactions of one journal at the same time"))
    }
    if (prunes(transaction)) return Effect.uninterruptible(prune(transaction))
    const { rows } = transaction
    if (durability === "disk") return Effect.uninterruptible(appendToDisk(rows))
    if (rows.length > 0) return attempt("was not written", () => append(rows, durability))
    return durability === "memory" ? Effect.void : attempt("was not written", () => write())
  }

  const scan = (options: Scan, more: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<Row>, JournalError> =>
    Effect.flatMap(
      attempt("was not read", () => buffer.length === 0 ? more : [...buffer.transactions.flat(), ...more]),
      (unwritten) => scanFile(appender.file, options, unwritten),
    )

  const store: JournalStore = {
    name: "ndjson",
    location: path,
    durabilities: ["memory", "os", "disk"],
    // All but a slow disk's confirmation completes without waiting.
    synchronous: true,
    head: attempt("was not read", currentHead),
    size: attempt("was not read", () => {
      const first = appender.file.first || (buffer.first?.position ?? 0)
      const entries = first === 0 ? 0 : currentHead().position - first + 1
      return { entries, bytes: appender.file.end + buffer.length, first }
    }),
    scan: (options) => scan(options, []),
    transact: (durability, work) =>
      Effect.flatMap(
        attempt("was not written", () => new NdjsonTransaction({ head: currentHead(), path, scan })),
        (transaction) =>
          Effect.flatMap(work(transaction), (answer) => Effect.as(commit(transaction, durability), answer)),
      ),
    // The lock keeps other processes from appending.
    watch: () => Effect.void,
  }

  const flush = Effect.suspend(() => {
    clearTimeout(timer)
    const unwritten = buffer.transactions.length
    try {
      write()
    } catch (error) {
      const { message } = fsError(error, { path, what: "was not written" })
      if (unwritten > 0) {
        return Effect.logError(`${message}; ${unwritten} transactions of the durability "memory" are lost`)
      }
    }
    return Effect.void
  })

  const close = Effect.suspend(() => {
    isClosed = true
    const idle = pruning === undefined ? Effect.void : Deferred.await(pruning)
    return Effect.andThen(Effect.andThen(idle, flush), appender.close)
  })

  return { store, close }
}
