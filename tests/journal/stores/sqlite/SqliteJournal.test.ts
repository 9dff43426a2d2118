import { expect, it } from "@effect/vitest"
import { Journal } from "@sluice/shell/journal"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type { Row } from "../../../../src/journal/Entry.ts"
import { journalContract, type JournalTarget, type Tamper } from "../../../support/journalContract.ts"
import { workshop } from "../../../support/workshop.ts"
import { reasonOf, rewrite } from "./support.ts"

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

const note = Journal.append([{ branch: "notes", correlationId: "n", body: { _tag: "Noted" } }])

it.live("reads its path from SLUICE_JOURNAL, or from the given Config", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const one = path("one.db")
    const other = path("other.db")
    const settings = { SLUICE_JOURNAL: one, OTHER: other, DURABILITY: "disk" }
    const provider = ConfigProvider.layer(ConfigProvider.fromUnknown(settings))
    yield* Effect.provide(Effect.provide(note, SqliteJournal.layerConfig()), provider)
    const config = Config.all({
      path: Config.String("OTHER"),
      durability: Config.Literals(["memory", "os", "disk"], "DURABILITY"),
    })
    yield* Effect.provide(Effect.provide(note, SqliteJournal.layerConfig(config)), provider)
    for (const file of [one, other]) {
      const stats = Effect.flatMap(Journal, (journal) => journal.stats)
      expect(yield* Effect.provide(stats, SqliteJournal.layer({ path: file, create: false }))).toMatchObject({
        store: "sqlite",
        location: file,
        entries: 1,
        head: { position: 1 },
      })
    }
  }))

it.live("fails the layer with Corrupt for a file that is not a database", () =>
  Effect.gen(function* () {
    const { write } = yield* workshop
    const path = write("text", "not a journal at all")
    expect(yield* reasonOf(Effect.provide(note, SqliteJournal.layer({ path })))).toMatchObject({ _tag: "Corrupt" })
  }))
