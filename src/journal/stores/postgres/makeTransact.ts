/**
 * Runs the transactions of a PostgreSQL store one at a time across all processes, repeats one that was lost unless its
 * commit was kept, and names the session that holds the lock for too long.
 *
 * Each transaction begins by locking the row of the head, which PostgreSQL keeps locked until the transaction has ended
 * and is visible to all. Positions therefore have no gaps, and a reader that sees a position sees all earlier ones.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { SqlError } from "effect/sql/SqlError"
import { defined } from "../../../base/defined.ts"
import type { Head } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Durability, JournalStore, StoreTransaction } from "../../JournalStore.ts"
import type { Query } from "./connect.ts"
import { codeOf, isLost } from "../../../sql/postgresErrors.ts"
import type { Operation } from "./errors.ts"
import type { PostgresSettings } from "./options.ts"
import { PostgresTransaction } from "./PostgresTransaction.ts"
import { type RetryContext, retryWhileAway } from "./retryWhileAway.ts"
import { decodeHead } from "./scan.ts"
import { controlStatement, lastResult, type StatementResults, type WriteConnection } from "./WriteConnection.ts"

export interface TransactContext {
  readonly settings: PostgresSettings
  readonly retry: RetryContext
  readonly connection: WriteConnection
  readonly notification: string
  /** Runs a statement on another connection, to name the holder of the lock. */
  readonly runAside: (query: Query) => Effect.Effect<Exit.Exit<PgConnection.Result, SqlError>>
}

type Work<A> = (transaction: StoreTransaction) => Effect.Effect<A, JournalError>

const checkCommitted = (results: StatementResults): Effect.Effect<void, SqlError> =>
  // The answer to COMMIT is ROLLBACK if an earlier statement failed, and then that is the error.
  Effect.flatMap(
    lastResult(results),
    ({ command }) => command === "COMMIT" ? Effect.void : Effect.die(new Error(`COMMIT was answered with ${command}`)),
  )

/** Finds the connection that has locked the head, other than the server process `except`, which waited for it. */
const lockHolderQuery = (head: string, except: number | undefined): Query => ({
  sql: `SELECT a.application_name AS name, a.pid, host(a.client_addr) AS address
    FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND l.relation = to_regclass($1) AND l.granted AND l.mode IN ('RowShareLock', 'RowExclusiveLock')
      AND a.pid <> $2 AND a.wait_event_type IS DISTINCT FROM 'Lock'
    ORDER BY a.xact_start LIMIT 1`,
  params: [PgTypes.text(head), PgTypes.int4(except ?? 0)],
})

export const makeTransact = (context: TransactContext): JournalStore["transact"] => {
  const { connection, notification, retry, settings } = context
  const { answerTimeoutMillis, location, lockTimeoutMillis, names } = settings
  const operation: Operation = { tried: "nothing was written", location, isWrite: true }
  const turn = Semaphore.makeUnsafe(1)

  const begin = (durability: Durability): Effect.Effect<Head, SqlError | JournalError> => {
    // Only `off` answers before the log is on the disk; the server's other settings stay.
    const lockHead = {
      sql: `SELECT position::float8, hash, set_config('synchronous_commit', CASE WHEN $1 THEN 'off'
        WHEN current_setting('synchronous_commit') = 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)
        FROM ${names.head} FOR UPDATE`,
      params: [PgTypes.bool(durability === "memory")],
    }
    return connection.runAll(
      [controlStatement("BEGIN ISOLATION LEVEL READ COMMITTED"), lockHead],
      lockTimeoutMillis + answerTimeoutMillis,
    ).pipe(
      Effect.flatMap(lastResult),
      Effect.flatMap((result) => decodeHead(result, operation)),
    )
  }

  /** Reads from the journal whether a transaction whose commit was not answered was kept. */
  const findOutcome = ({ hash, position }: Head, lost: SqlError): Effect.Effect<"kept" | "gone", JournalError> => {
    const unknown = (why: string): JournalError => {
      return JournalError.because(
        { _tag: "Unavailable", ...defined({ code: codeOf(lost) }) },
        `journal: whether it was written is unknown: the connection to ${location} was lost at the commit, and ${why}`,
      )
    }
    const look = Effect.gen(function* () {
      yield* connection.open
      // Takes the lock: while the server still works on that transaction, no other transaction gets it.
      const head = yield* begin("os")
      const { rows: [row] } = yield* connection.run({
        sql: `SELECT hash FROM ${names.entry} WHERE position = $1`,
        params: [PgTypes.int8(BigInt(position))],
      })
      if (row !== undefined) return row["hash"] === hash ? "kept" : "gone"
      return head.position < position ? "gone" : "pruned"
    })
    const looking: Operation = { ...operation, tried: "the outcome could not be read" }
    return retryWhileAway(retry, looking, Effect.ensuring(look, connection.abandonTransaction)).pipe(
      Effect.mapError(({ message }) => unknown(message.replace("journal: ", ""))),
      Effect.flatMap((outcome) =>
        outcome === "pruned" ? Effect.fail(unknown(`entry ${position} was pruned since`)) : Effect.succeed(outcome)
      ),
    )
  }

  const commit = (
    transaction: PostgresTransaction,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>,
  ): Effect.Effect<void, SqlError | JournalError> => {
    const committing = Effect.suspend(() =>
      connection.runAll([...transaction.takePending(), controlStatement("COMMIT")])
    )
    return Effect.catch(Effect.flatMap(committing, checkCommitted), (error) =>
      Effect.gen(function* () {
        if (!isLost(error)) return yield* Effect.fail(error)
        yield* connection.close
        // Reads are as good as before, and a removal is repeated.
        if (!transaction.hasWrites) return
        if (transaction.last.position === transaction.head.position) return yield* Effect.fail(error)
        if ((yield* restore(findOutcome(transaction.last, error))) === "gone") return yield* Effect.fail(error)
      }))
  }

  const attempt = <A>(durability: Durability, work: Work<A>): Effect.Effect<A, SqlError | JournalError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* restore(connection.open)
        let transaction: PostgresTransaction | undefined
        const exit = yield* Effect.exit(restore(Effect.flatMap(begin(durability), (head) => {
          transaction = new PostgresTransaction({ connection, names, operation, notification }, head)
          return work(transaction)
        })))
        const transient = transaction?.transientError
        if (Exit.isFailure(exit) || transaction === undefined || transient !== undefined) {
          yield* connection.abandonTransaction
          return yield* transient === undefined || Exit.hasInterrupts(exit) ? exit : Effect.fail(transient)
        }
        return yield* Effect.as(commit(transaction, restore), exit.value)
      })
    )

  const nameHolder = (error: JournalError): Effect.Effect<never, JournalError> =>
    Effect.gen(function* () {
      const found = yield* context.runAside(lockHolderQuery(names.head, connection.processId))
      const row = Exit.isSuccess(found) ? found.value.rows[0] : undefined
      if (row === undefined || error.reason._tag !== "Locked") return yield* Effect.fail(error)
      const from = typeof row["address"] === "string" ? ` from ${row["address"]}` : ""
      const by = `${String(row["name"])} (process ${String(row["pid"])} of the server${from})`
      return yield* Effect.fail(JournalError.because(
        { ...error.reason, by },
        `journal: nothing was written: ${by} held ${location} for too long (55P03)`,
        error.exception,
      ))
    })

  return (durability, work) =>
    turn.withPermit(
      Effect.catchReason(
        retryWhileAway(retry, operation, attempt(durability, work)),
        "JournalError",
        "Locked",
        (_, error) => nameHolder(error),
      ),
    )
}
