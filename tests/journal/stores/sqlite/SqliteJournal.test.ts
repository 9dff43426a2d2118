import * as Effect from "effect/Effect"
import type { Row } from "../../../../src/journal/Entry.ts"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import { journalContract, type JournalTarget, type Tamper } from "../../../support/journalContract.ts"
import { workshop } from "../../../support/workshop.ts"
import { rewrite } from "./support.ts"

const tamperOf = (path: string): Tamper => {
  const change = (one: (row: Row) => Row): Effect.Effect<void> =>
    Effect.sync(() => rewrite(path, (rows) => rows.map(one)))
  return {
    change: (position, fields) => change((row) => row.position === position ? { ...row, ...fields } : row),
    remove: (position) => Effect.sync(() => rewrite(path, (rows) => rows.filter((row) => row.position !== position))),
    swap: (one, other) =>
      change((row) =>
        row.position === one ? { ...row, position: other } : row.position === other ? { ...row, position: one } : row
      ),
  }
}

const place: JournalTarget["place"] = Effect.map(workshop, ({ path }) => {
  const file = path("journal.db")
  return { open: (options) => SqliteJournal.make({ path: file, ...options }), tamper: tamperOf(file) }
})

journalContract("SQLite", { place, can: { durable: true, processes: true, durabilities: ["memory", "os", "disk"] } })
