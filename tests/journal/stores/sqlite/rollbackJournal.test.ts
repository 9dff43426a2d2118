import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, copyFileSync, existsSync, readFileSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import { workshop } from "../../../support/workshop.ts"
import { canVisit, visit, whyNot } from "./otherUser.ts"
import { add, all, positionsOf, upTo } from "./support.ts"

/** A file with the rollback journal of a writer that was killed in the middle of a transaction. */
const hot = Effect.gen(function* () {
  const { directory, path } = yield* workshop
  const [source, file] = [path("source.db"), path("journal.db")]
  yield* Effect.scoped(Effect.flatMap(SqliteJournal.openStore({ path: source }), (store) => add(store, 300)))
  const writer = new DatabaseSync(source)
  // With so small a cache the file is written before the commit.
  writer.exec("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; PRAGMA cache_spill = 1")
  writer.exec("BEGIN IMMEDIATE; UPDATE entries SET body = body || 'half written' || hex(randomblob(200))")
  for (const end of ["", "-journal"]) copyFileSync(`${source}${end}`, `${file}${end}`)
  writer.exec("ROLLBACK")
  writer.close()
  expect(statSync(`${file}-journal`).size).toBeGreaterThan(0)
  expect(readFileSync(file).includes("half written")).toBe(true)
  return { directory, file, path }
})

for (const readOnly of [false, true]) {
  it.live(`rolls back what a killed writer left in a rollback journal${readOnly ? ", also with readOnly" : ""}`, () =>
    Effect.gen(function* () {
      const { file } = yield* hot
      const store = yield* SqliteJournal.openStore({ path: file, readOnly })
      const rows = yield* all(store)
      expect(positionsOf(rows)).toEqual(upTo(300))
      expect(rows.some(({ body }) => body.includes("half written"))).toBe(false)
      expect(existsSync(`${file}-journal`)).toBe(false)
      expect((yield* (yield* SqliteJournal.make({ path: file, readOnly })).verify()).entries).toBe(300)
    }))
}

it.live("rolls back a rollback journal that appears while it reads", () =>
  Effect.gen(function* () {
    const { file } = yield* hot
    const { path } = yield* workshop
    const other = path("other.db")
    yield* Effect.scoped(Effect.flatMap(SqliteJournal.openStore({ path: other }), (store) => add(store, 3)))
    const store = yield* SqliteJournal.openStore({ path: other, readOnly: true })
    expect(positionsOf(yield* all(store))).toEqual([1, 2, 3])
    for (const end of ["-journal", ""]) copyFileSync(`${file}${end}`, `${other}${end}`)
    expect(positionsOf(yield* all(store))).toEqual(upTo(300))
  }))

it.live.runIf(canVisit)(
  `fails with ReadOnly where it may not be rolled back${whyNot}`,
  () =>
    Effect.gen(function* () {
      const { directory, file, path } = yield* hot
      chmodSync(directory, 0o755)
      for (const end of ["", "-journal"]) chmodSync(`${file}${end}`, 0o644)
      expect(yield* visit(file, path("new.db"))).toEqual({ read: [], append: "ReadOnly", make: "Missing" })
    }),
)
