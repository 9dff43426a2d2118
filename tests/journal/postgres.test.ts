import * as Effect from "effect/Effect"
import type { Position, Row } from "@sluice/shell/journal"
import * as PostgresJournal from "../../src/journal/postgres.ts"
import { journalContract, type JournalTarget } from "../support/journalContract.ts"
import { postgresIsHere, type Server, useServer } from "../support/postgres.ts"

const server = useServer()

const columns = {
  time: "time",
  branch: "branch",
  correlationId: "correlation_id",
  tag: "tag",
  version: "version",
  hash: "hash",
  body: "body",
} as const satisfies Record<keyof Omit<Row, "position">, string>

/** What somebody does who has the password. */
const tamperOf = (there: Server, table: string) => ({
  change: (position: Position, fields: Partial<Omit<Row, "position">>) =>
    Effect.forEach(
      Object.entries(columns),
      ([field, column]) => {
        const value: unknown = Reflect.get(fields, field)
        return value === undefined
          ? Effect.void
          : there.query(`UPDATE ${table} SET ${column} = $1 WHERE position = $2`, [value, position])
      },
      { discard: true },
    ),
  remove: (position: Position) => Effect.asVoid(there.query(`DELETE FROM ${table} WHERE position = $1`, [position])),
  swap: (one: Position, other: Position) =>
    Effect.forEach(
      [[one, -1], [other, one], [-1, other]],
      ([from, to]) => there.query(`UPDATE ${table} SET position = $1 WHERE position = $2`, [to, from]),
      { discard: true },
    ),
})

let places = 0

const place: JournalTarget["place"] = Effect.sync(() => {
  const schema = `place_${++places}`
  return {
    open: (options) => PostgresJournal.make({ ...server().options(schema), ...options }),
    tamper: tamperOf(server(), `${schema}.journal_entry`),
  }
})

journalContract("PostgreSQL", {
  place,
  can: { durable: true, processes: true, durabilities: ["memory", "os", "disk"] },
}, postgresIsHere)
