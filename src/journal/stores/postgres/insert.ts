/**
 * Writing rows: one statement for as many as fit.
 *
 * @module
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import type { Row } from "../../Entry.ts"
import type { Names } from "./names.ts"
import type { Query } from "./scan.ts"

/** Most rows, and characters of body, of one statement: each is held in memory some four times on its way. */
const maxRows = 10_000
const maxLength = 16 * 1024 * 1024

/** The statement that adds rows, moves the head to the last of them, and tells who listens when all is committed. */
const insertQuery = ({ channel, entry, head }: Names, rows: ReadonlyArray<Row>, last: Row, writer: string): Query => ({
  sql: `WITH added AS (
      INSERT INTO ${entry} (position, time, version, branch, correlation_id, tag, hash, body)
      SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
    ), moved AS (
      UPDATE ${head} SET position = $9, hash = $10
    ) SELECT pg_notify($11, $12)`,
  params: [
    rows.map((row) => BigInt(row.position)),
    rows.map((row) => BigInt(row.time)),
    rows.map((row) => BigInt(row.version)),
    rows.map((row) => row.branch),
    rows.map((row) => row.correlationId),
    rows.map((row) => row.tag),
    rows.map((row) => row.hash),
    rows.map((row) => row.body),
    PgTypes.int8(BigInt(last.position)),
    PgTypes.text(last.hash),
    PgTypes.text(channel),
    // The same for every statement of a transaction: PostgreSQL then sends it once.
    PgTypes.text(writer),
  ],
})

/** The statements that add rows; `writer` is what the notification says. */
export const insertQueries = (names: Names, rows: ReadonlyArray<Row>, writer: string): ReadonlyArray<Query> => {
  const queries: Array<Query> = []
  let batch: Array<Row> = []
  let length = 0
  const finish = (): void => {
    const last = batch.at(-1)
    if (last !== undefined) queries.push(insertQuery(names, batch, last, writer))
    batch = []
    length = 0
  }
  for (const row of rows) {
    if (batch.length >= maxRows || (batch.length > 0 && length + row.body.length > maxLength)) finish()
    batch.push(row)
    length += row.body.length
  }
  finish()
  return queries
}
