/**
 * Who it is that keeps other writers waiting.
 *
 * @module
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Exit from "effect/Exit"
import type { Names } from "./names.ts"
import type { Query } from "./scan.ts"

/** Asks who has locked the head and waits for nobody, leaving out one connection. */
export const holderQuery = ({ head }: Names, except: number | undefined): Query => ({
  sql: `SELECT a.application_name AS name, a.pid, host(a.client_addr) AS address
    FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND l.relation = to_regclass($1) AND l.granted AND l.mode IN ('RowShareLock', 'RowExclusiveLock')
      AND a.pid <> $2 AND a.wait_event_type IS DISTINCT FROM 'Lock'
    ORDER BY a.xact_start LIMIT 1`,
  params: [PgTypes.text(head), PgTypes.int4(except ?? 0)],
})

/** A name for people; `undefined` when it could not be found out. */
export const holderOf = (answer: Exit.Exit<PgConnection.Result, unknown>): string | undefined => {
  const row = Exit.isSuccess(answer) ? answer.value.rows[0] : undefined
  if (row === undefined) return undefined
  const from = typeof row["address"] === "string" ? ` from ${row["address"]}` : ""
  return `${String(row["name"])} (process ${String(row["pid"])} of the server${from})`
}
