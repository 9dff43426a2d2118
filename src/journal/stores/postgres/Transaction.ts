/**
 * One transaction of the writer: what it reads, and what it will write.
 *
 * @module
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Head, Position, Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Scan, StoreTransaction } from "../../JournalStore.ts"
import { isTransient, journalErrorOf, type Tried } from "./errors.ts"
import { insertQueries } from "./insert.ts"
import type { Names } from "./names.ts"
import { numberOf, readRows } from "./read.ts"
import type { Query } from "./scan.ts"
import type { Session } from "./Session.ts"

/** Entries that one statement removes or strips: it must not take longer than an answer may. */
const maxRemoved = 100_000
const maxStripped = 10_000

const isStorable = (row: Row): boolean =>
  [row.position, row.time, row.version].every(Number.isSafeInteger) &&
  ![row.branch, row.correlationId, row.tag, row.hash, row.body].some((text) =>
    text.includes("\0") || !text.isWellFormed()
  )

/** What {@link Transaction} works with. */
export interface TransactionContext {
  readonly session: Session
  readonly names: Names
  readonly tried: Tried
  /** What its notification says. */
  readonly writer: string
}

/**
 * A transaction that has begun. Rows that are inserted wait here until something has to see them, at the latest for the
 * commit, with which they travel.
 */
export class Transaction implements StoreTransaction {
  readonly head: Head
  readonly #context: TransactionContext
  #last: Head
  #pending: Array<Row> = []
  #lost: SqlError | undefined
  #writes = false

  constructor(context: TransactionContext, head: Head) {
    this.#context = context
    this.head = head
    this.#last = head
  }

  /** The error after which it has to begin again, whatever the work has made of it. */
  get lost(): SqlError | undefined {
    return this.#lost
  }

  /** Where the journal ends once it is committed. */
  get last(): Head {
    return this.#last
  }

  /** Whether there is anything to commit. */
  get writes(): boolean {
    return this.#writes || this.#pending.length > 0
  }

  readonly scan = (scan: Scan): Effect.Effect<ReadonlyArray<Row>, JournalError> =>
    this.#told(Effect.andThen(
      this.#flush,
      readRows((query) => this.#context.session.ask(query), this.#context.names, this.#context.tried, scan),
    ))

  readonly insert = (rows: ReadonlyArray<Row>): Effect.Effect<void, JournalError> =>
    Effect.suspend(() => {
      for (const row of rows) {
        if (row.position !== this.#last.position + 1) return Effect.fail(this.#invalid("position", row))
        if (!isStorable(row)) return Effect.fail(this.#invalid("body", row))
        this.#last = { position: row.position, hash: row.hash }
        this.#pending.push(row)
      }
      return Effect.void
    })

  readonly removeThrough = (position: Position): Effect.Effect<void, JournalError> =>
    this.#told(Effect.gen({ self: this }, function* () {
      yield* this.#flush
      const { names: { entry }, session } = this.#context
      const answer = yield* session.ask({ sql: `SELECT min(position)::float8 AS first FROM ${entry}`, params: [] })
      const last = Math.min(position, this.#last.position)
      const first = numberOf(answer.rows[0], "first") ?? last
      this.#writes = true
      for (let through = first - 1; through < last;) {
        through = Math.min(through + maxRemoved, last)
        yield* session.ask({
          sql: `DELETE FROM ${entry} WHERE position <= $1`,
          params: [PgTypes.int8(BigInt(through))],
        })
      }
    }))

  readonly strip = (positions: ReadonlyArray<Position>): Effect.Effect<void, JournalError> =>
    this.#told(Effect.gen({ self: this }, function* () {
      yield* this.#flush
      const { names: { entry }, session } = this.#context
      this.#writes = true
      for (let index = 0; index < positions.length; index += maxStripped) {
        yield* session.ask({
          sql: `UPDATE ${entry} SET body = '' WHERE position = ANY($1::int8[])`,
          params: [positions.slice(index, index + maxStripped).map(BigInt)],
        })
      }
    }))

  /** What is left to write, for whoever commits. */
  takePending(): ReadonlyArray<Query> {
    const rows = this.#pending
    this.#pending = []
    if (rows.length > 0) this.#writes = true
    return insertQueries(this.#context.names, rows, this.#context.writer)
  }

  readonly #flush: Effect.Effect<void, SqlError> = Effect.suspend(() => {
    const queries = this.takePending()
    return queries.length === 0 ? Effect.void : Effect.asVoid(this.#context.session.ask(...queries))
  })

  #told<A>(effect: Effect.Effect<A, SqlError | JournalError>): Effect.Effect<A, JournalError> {
    return Effect.catchTag(effect, "SqlError", (error) => {
      if (isTransient(error)) this.#lost ??= error
      return Effect.fail(journalErrorOf(error, this.#context.tried))
    })
  }

  #invalid(field: string, { position }: Row): JournalError {
    const what = field === "position" ? `does not follow ${this.#last.position}` : "holds what PostgreSQL cannot keep"
    return JournalError.because(
      { _tag: "Invalid", field },
      `journal: ${this.#context.tried.what}: entry ${position} ${what}`,
    )
  }
}
