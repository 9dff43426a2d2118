/**
 * Transactions, one at a time in the whole world.
 *
 * Each begins by locking the one row that says where the journal ends, and PostgreSQL holds that lock until the
 * transaction has ended and all can see it. So positions have no gaps, and whoever sees one sees all before it.
 *
 * @module
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { SqlError } from "effect/sql/SqlError"
import type { Head } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Durability, StoreTransaction } from "../../JournalStore.ts"
import { codeOf, isLost, type Tried } from "./errors.ts"
import type { Settings } from "./options.ts"
import { type Patience, patiently } from "./patience.ts"
import { headOf } from "./read.ts"
import { type Answers, control, lastOf, type Session } from "./Session.ts"
import { Transaction } from "./Transaction.ts"

/** Succeeds when the answers say that the transaction is kept. */
const committed = (answers: Answers): Effect.Effect<void, SqlError> =>
  // To COMMIT the answer is ROLLBACK when something before it failed, and that is the error.
  Effect.flatMap(
    lastOf(answers),
    ({ command }) => command === "COMMIT" ? Effect.void : Effect.die(new Error(`COMMIT was answered with ${command}`)),
  )

/** What {@link Writer} works with. */
export interface WriterContext {
  readonly settings: Settings
  readonly patience: Patience
  readonly session: Session
  /** What its notifications say. */
  readonly writer: string
  /** Who holds the lock that a connection waited for in vain. */
  readonly holder: (processId: number | undefined) => Effect.Effect<string | undefined>
}

/** Writes a journal. */
export class Writer {
  readonly #context: WriterContext
  readonly #tried: Tried
  readonly #turn = Semaphore.makeUnsafe(1)

  constructor(context: WriterContext) {
    this.#context = context
    this.#tried = { what: "nothing was written", location: context.settings.location, writes: true }
  }

  /**
   * See `JournalStore.transact`. When the connection is lost before the commit, `work` runs again from its beginning in
   * another transaction; when it is lost at the commit, the journal itself is asked what has become of it.
   */
  transact<A>(
    durability: Durability,
    work: (transaction: StoreTransaction) => Effect.Effect<A, JournalError>,
  ): Effect.Effect<A, JournalError> {
    const { patience } = this.#context
    return this.#turn.withPermit(
      Effect.catchReason(
        patiently(patience, this.#tried, this.#attempt(durability, work)),
        "JournalError",
        "Locked",
        (_, error) => this.#lockedBy(error),
      ),
    )
  }

  #attempt<A>(
    durability: Durability,
    work: (transaction: StoreTransaction) => Effect.Effect<A, JournalError>,
  ): Effect.Effect<A, SqlError | JournalError> {
    const { session, settings: { names }, writer } = this.#context
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        yield* restore(session.open)
        let transaction: Transaction | undefined
        const exit = yield* Effect.exit(restore(Effect.flatMap(this.#begin(durability), (head) => {
          transaction = new Transaction({ session, names, tried: this.#tried, writer }, head)
          return work(transaction)
        })))
        if (Exit.isFailure(exit) || transaction === undefined || transaction.lost !== undefined) {
          yield* session.abandon
          const again = Exit.hasInterrupts(exit) ? undefined : transaction?.lost
          return yield* again === undefined ? exit : Effect.fail(again)
        }
        return yield* Effect.as(this.#commit(transaction, restore), exit.value)
      })
    )
  }

  #begin(durability: Durability): Effect.Effect<Head, SqlError | JournalError> {
    const { session, settings: { answerTimeout, lockTimeout, names: { head } } } = this.#context
    // `off` is the one setting that answers before the disk has it; whatever else the server is set to is left to it.
    const begin = {
      sql: `SELECT position::float8, hash, set_config('synchronous_commit', CASE WHEN $1 THEN 'off'
        WHEN current_setting('synchronous_commit') = 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)
        FROM ${head} FOR UPDATE`,
      params: [PgTypes.bool(durability === "memory")],
    }
    const answers = session.run([control("BEGIN ISOLATION LEVEL READ COMMITTED"), begin], lockTimeout + answerTimeout)
    return Effect.flatMap(Effect.flatMap(answers, lastOf), (answer) => headOf(answer, this.#tried))
  }

  #commit(
    transaction: Transaction,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>,
  ): Effect.Effect<void, SqlError | JournalError> {
    const { session } = this.#context
    const commit = Effect.suspend(() => session.run([...transaction.takePending(), control("COMMIT")]))
    return Effect.matchEffect(Effect.flatMap(commit, committed), {
      onSuccess: () => Effect.void,
      onFailure: (error) =>
        Effect.gen({ self: this }, function* () {
          if (!isLost(error)) return yield* Effect.fail(error)
          yield* session.close
          // What was only read is as good as it was; what was only removed is removed again.
          if (!transaction.writes) return
          if (transaction.last.position === transaction.head.position) return yield* Effect.fail(error)
          const fate = yield* restore(this.#fateOf(transaction.last, error))
          if (fate === "gone") return yield* Effect.fail(error)
        }),
    })
  }

  /** What has become of a transaction whose commit was never answered. */
  #fateOf({ hash, position }: Head, lost: SqlError): Effect.Effect<"kept" | "gone", JournalError> {
    const { patience, session, settings: { location, names } } = this.#context
    const unknown = (why: string): JournalError => {
      const code = codeOf(lost)
      return JournalError.because(
        { _tag: "Unavailable", ...(code === undefined ? undefined : { code }) },
        `journal: whether it was written is unknown: the connection to ${location} was lost at the commit, and ${why}`,
      )
    }
    const look = Effect.gen({ self: this }, function* () {
      yield* session.open
      // With the lock: as long as the server still works on that transaction, nobody else gets it.
      const head = yield* this.#begin("os")
      const { rows: [row] } = yield* session.ask({
        sql: `SELECT hash FROM ${names.entry} WHERE position = $1`,
        params: [PgTypes.int8(BigInt(position))],
      })
      if (row !== undefined) return row["hash"] === hash ? "kept" : "gone"
      return head.position < position ? "gone" : "pruned"
    })
    const looking: Tried = { ...this.#tried, what: "it could not be looked for" }
    return patiently(patience, looking, Effect.ensuring(look, session.abandon)).pipe(
      Effect.mapError(({ message }) => unknown(message.replace("journal: ", ""))),
      Effect.flatMap((fate) =>
        fate === "pruned" ? Effect.fail(unknown(`entry ${position} was pruned since`)) : Effect.succeed(fate)
      ),
    )
  }

  #lockedBy(error: JournalError): Effect.Effect<never, JournalError> {
    const { holder, session, settings: { location } } = this.#context
    return Effect.flatMap(holder(session.processId), (by) =>
      Effect.fail(
        by === undefined || error.reason._tag !== "Locked" ? error : JournalError.because(
          { ...error.reason, by },
          `journal: nothing was written: ${by} held ${location} for too long (55P03)`,
          error.exception,
        ),
      ))
  }
}
