/**
 * A store that does what the words of JournalStore say and nothing for speed: rows in one list, each transaction on a copy
 * of it. It takes turns of the scheduler as a store with a disk or a network does, may be open several times, and can be
 * told to fail.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { Durability, JournalError, Position } from "@sluice/shell/journal"
import type { JournalStore, Scan } from "../../src/journal/JournalStore.ts"
import { matches } from "../../src/journal/Entry.ts"
import { noHash, type Row } from "../../src/journal/Entry.ts"
import type { StoreTransaction } from "../../src/journal/JournalStore.ts"
import type { Tamper } from "../support/journalContract.ts"

const scanRows = (rows: ReadonlyArray<Row>, scan: Scan): ReadonlyArray<Row> => {
  const { after = 0, before = Infinity, filter = {}, headersOnly = false, maxRows, maxBytes = Infinity } = scan
  const meant = rows.filter((row) => row.position > after && row.position < before && matches(filter, row))
  const ordered = scan.order === "backward" ? meant.reverse() : meant
  const found: Array<Row> = []
  let bytes = 0
  for (const row of ordered) {
    bytes += headersOnly ? 0 : row.body.length
    if (found.length >= maxRows || (found.length > 0 && bytes > maxBytes)) break
    found.push(headersOnly ? { ...row, body: "" } : row)
  }
  return found
}

const headOf = (rows: ReadonlyArray<Row>) => {
  const last = rows.at(-1)
  return last === undefined ? { position: 0, hash: noHash } : { position: last.position, hash: last.hash }
}

/** One place, as many processes see it. */
export class ReferenceStore {
  /** What is kept. */
  rows: ReadonlyArray<Row> = []
  /** Rows of each transaction that was kept. */
  readonly commits: Array<number> = []
  readonly durabilities: Array<Durability> = []
  /** Transactions that began. */
  begun = 0
  /** What the next transaction comes to, instead of being kept. */
  nextFate: Exit.Exit<never, JournalError> | undefined
  /** Inserts fail with this when a row says so. */
  refuse: (row: Row) => JournalError | undefined = () => undefined
  /** Every read, and every new watch, fails with this. */
  failReads: JournalError | undefined
  /** Who watches. */
  readonly watchers: Set<() => void> = new Set()
  /** Stands where a store waits for its medium. */
  delay: Effect.Effect<void> = Effect.yieldNow
  readonly #lock = Semaphore.makeUnsafe(1)

  /** The store as one process opens it. */
  open(): JournalStore {
    const readable = Effect.suspend(() => this.failReads === undefined ? Effect.void : Effect.fail(this.failReads))
    const later = <A>(value: () => A): Effect.Effect<A, JournalError> =>
      Effect.suspend(() => this.delay).pipe(Effect.andThen(readable), Effect.andThen(Effect.sync(value)))
    let own: () => void = () => {}
    return {
      name: "reference",
      location: "here",
      durabilities: ["memory", "os", "disk"],
      synchronous: false,
      head: later(() => headOf(this.rows)),
      size: later(() => ({
        entries: this.rows.length,
        bytes: this.rows.reduce((sum, { body }) => sum + 100 + body.length, 0),
        first: this.rows[0]?.position ?? 0,
      })),
      scan: (scan) => later(() => scanRows(this.rows, scan)),
      transact: (durability, work) => Semaphore.withPermits(this.#lock, 1)(this.#transact(durability, work, () => own)),
      watch: (wake) =>
        Effect.asVoid(Effect.acquireRelease(
          Effect.andThen(
            readable,
            Effect.sync(() => {
              own = wake
              this.watchers.add(wake)
            }),
          ),
          () => Effect.sync(() => this.watchers.delete(wake)),
        )),
    }
  }

  #transact<A>(
    durability: Durability,
    work: (transaction: StoreTransaction) => Effect.Effect<A, JournalError>,
    own: () => () => void,
  ): Effect.Effect<A, JournalError> {
    return Effect.gen({ self: this }, function* () {
      this.begun++
      yield* this.delay
      let rows = [...this.rows]
      const before = rows.length
      const answer = yield* work({
        head: headOf(rows),
        scan: (scan) => Effect.sync(() => scanRows(rows, scan)),
        insert: (added) =>
          Effect.suspend(() => {
            const error = added.map(this.refuse).find((refused) => refused !== undefined)
            if (error !== undefined) return Effect.fail(error)
            const next = headOf(rows).position + 1
            if (added.some((row, index) => row.position !== next + index)) throw new Error("positions do not follow")
            rows.push(...added)
            return Effect.void
          }),
        removeThrough: (position) =>
          Effect.sync(() => {
            rows = rows.filter((row) => row.position > position)
          }),
        strip: (positions: ReadonlyArray<Position>) =>
          Effect.sync(() => {
            const some = new Set(positions)
            rows = rows.map((row) => some.has(row.position) ? { ...row, body: "" } : row)
          }),
      })
      yield* this.delay
      const fate = this.nextFate
      this.nextFate = undefined
      if (fate !== undefined) return yield* fate
      this.rows = rows
      this.commits.push(rows.length - before)
      this.durabilities.push(durability)
      for (const wake of this.watchers) if (wake !== own()) wake()
      return answer
    })
  }

  readonly tamper: Tamper = {
    change: (position, fields) =>
      this.#rewrite((rows) => rows.map((row) => row.position === position ? { ...row, ...fields } : row)),
    remove: (position) => this.#rewrite((rows) => rows.filter((row) => row.position !== position)),
    swap: (one, other) =>
      this.#rewrite((rows) => {
        const at = (position: Position) => rows.find((row) => row.position === position)
        return rows.map((row) => {
          const stranger = row.position === one ? at(other) : row.position === other ? at(one) : undefined
          return stranger === undefined ? row : { ...stranger, position: row.position }
        })
      }),
  }

  #rewrite(change: (rows: ReadonlyArray<Row>) => ReadonlyArray<Row>): Effect.Effect<void> {
    return Effect.sync(() => {
      this.rows = change(this.rows)
    })
  }
}
