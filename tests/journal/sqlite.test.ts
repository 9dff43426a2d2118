import * as Effect from "effect/Effect"
import type { Position, Row } from "@sluice/shell/journal"
import { DatabaseSync } from "node:sqlite"
import * as SqliteJournal from "../../src/journal/sqlite.ts"
import { journalContract, type JournalTarget, type Tamper } from "../support/journalContract.ts"
import { workshop } from "../support/workshop.ts"

/** Runs statements on the file, as anybody can who has it. */
const query = (path: string, ...statements: ReadonlyArray<readonly [string, ...ReadonlyArray<string | number>]>) =>
  Effect.sync(() => {
    const database = new DatabaseSync(path)
    for (const [sql, ...values] of statements) database.prepare(sql).run(...values)
    database.close()
  })

type Fields = Partial<Omit<Row, "position">>

const entryColumns = ["time", "hash", "body"] as const
const kindColumns = ["tag", "branch", "version"] as const

const change = (path: string) => (position: Position, fields: Fields) =>
  Effect.gen(function* () {
    for (const column of entryColumns) {
      const value = fields[column]
      if (value !== undefined) {
        yield* query(path, [`UPDATE entries SET ${column} = ? WHERE position = ?`, value, position])
      }
    }
    if (fields.correlationId !== undefined) {
      yield* query(
        path,
        ["INSERT OR IGNORE INTO correlations (text) VALUES (?)", fields.correlationId],
        [
          "UPDATE entries SET correlation = (SELECT id FROM correlations WHERE text = ?) WHERE position = ?",
          fields.correlationId,
          position,
        ],
      )
    }
    for (const column of kindColumns) {
      const value = fields[column]
      if (value === undefined) continue
      const kind = kindColumns.map((name) => name === column ? "?1" : name).join(", ")
      yield* query(
        path,
        [
          `INSERT OR IGNORE INTO kinds (tag, branch, version)
            SELECT ${kind} FROM kinds WHERE id = (SELECT kind FROM entries WHERE position = ?2)`,
          value,
          position,
        ],
        [
          `UPDATE entries SET kind = (SELECT new.id FROM kinds AS new JOIN kinds AS old ON old.id = entries.kind
            WHERE ${
            kindColumns.map((name) => name === column ? `new.${name} = ?1` : `new.${name} = old.${name}`).join(" AND ")
          }) WHERE position = ?2`,
          value,
          position,
        ],
      )
    }
  })

const tamperOf = (path: string): Tamper => ({
  change: change(path),
  remove: (position) => query(path, ["DELETE FROM entries WHERE position = ?", position]),
  swap: (one, other) =>
    query(
      path,
      ["UPDATE entries SET position = -1 WHERE position = ?", one],
      ["UPDATE entries SET position = ? WHERE position = ?", one, other],
      ["UPDATE entries SET position = ? WHERE position = -1", other],
    ),
})

const place: JournalTarget["place"] = Effect.map(workshop, ({ path }) => {
  const file = path("journal.db")
  return { open: (options) => SqliteJournal.make({ path: file, ...options }), tamper: tamperOf(file) }
})

journalContract("SQLite", { place, can: { durable: true, processes: true, durabilities: ["memory", "os", "disk"] } })
