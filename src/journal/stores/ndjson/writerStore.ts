/** Makes the `JournalStore` of the one process that writes a journal file. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { completeLater } from "../../../base/waits.ts"
import type { Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Durability, JournalStore, Scan } from "../../JournalStore.ts"
import { FileAppender } from "./FileAppender.ts"
import { attemptFile } from "./fsError.ts"
import type { HostSystem } from "./HostSystem.ts"
import type { JournalFile } from "./JournalFile.ts"
import { NdjsonTransaction } from "./NdjsonTransaction.ts"
import { pruneFile } from "./pruneFile.ts"
import { scanFile } from "./scanFile.ts"

export interface OpenStore {
  readonly store: JournalStore
  readonly close: Effect.Effect<void>
}

/** Makes the store of a file that has no torn end. */
export const makeWriterStore = (system: HostSystem, file: JournalFile): OpenStore => {
  const { path } = file
  const appender = new FileAppender(system, file)
  let isClosed = false
  /** Completed when a prune has replaced the file, or failed. */
  let pruning: Deferred.Deferred<void> | undefined

  const attempt = <A>(what: string, work: () => A): Effect.Effect<A, JournalError> =>
    attemptFile({ path, what }, () => {
      if (isClosed) throw JournalError.because({ _tag: "Closed" }, `journal: ${path} ${what}: it is closed`)
      return work()
    })

  const appendToDisk = (rows: ReadonlyArray<Row>): Effect.Effect<void, JournalError> =>
    Effect.flatMap(
      attempt("was not written", () => {
        appender.check()
        return rows.length === 0 ? undefined : appender.write(rows)
      }),
      (pending) => pending === undefined && !appender.isUnsynced ? Effect.void : appender.sync(pending),
    )

  const prune = ({ removedThrough, rows, strippedPositions }: NdjsonTransaction): Effect.Effect<void, JournalError> =>
    Effect.suspend(() => {
      const done = pruning = Deferred.makeUnsafe<void>()
      return attempt("was not written", () => appender.check()).pipe(
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
    const first = appender.file.first || Infinity
    if (removedThrough >= first) return true
    const last = appender.file.head.position
    for (const position of strippedPositions) if (position >= first && position <= last) return true
    return false
  }

  const commit = (transaction: NdjsonTransaction, durability: Durability): Effect.Effect<void, JournalError> => {
    if (transaction.head.position !== appender.file.head.position) {
      return Effect.die(new Error("two transactions of one journal at the same time"))
    }
    if (prunes(transaction)) return Effect.uninterruptible(prune(transaction))
    const { rows } = transaction
    if (durability === "disk") return Effect.uninterruptible(appendToDisk(rows))
    return attempt("was not written", () => {
      appender.check()
      if (rows.length > 0) appender.commit(appender.write(rows))
    })
  }

  const scan = (options: Scan, more: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<Row>, JournalError> =>
    Effect.flatMap(attempt("was not read", () => appender.file), (file) => scanFile(file, options, more))

  const store: JournalStore = {
    name: "ndjson",
    location: path,
    durabilities: ["memory", "os", "disk"],
    // All but a slow disk's confirmation completes without waiting.
    synchronous: true,
    head: attempt("was not read", () => appender.file.head),
    size: attempt("was not read", () => appender.file.storeSize),
    scan: (options) => scan(options, []),
    transact: (durability, work) =>
      Effect.flatMap(
        attempt("was not written", () => new NdjsonTransaction({ head: appender.file.head, path, scan })),
        (transaction) =>
          Effect.flatMap(work(transaction), (answer) => Effect.as(commit(transaction, durability), answer)),
      ),
    // The lock keeps other processes from appending.
    watch: () => Effect.void,
  }

  const close = Effect.suspend(() => {
    isClosed = true
    const idle = pruning === undefined ? Effect.void : Deferred.await(pruning)
    return Effect.andThen(idle, appender.close)
  })

  return { store, close }
}
