import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { copyFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { make, openSqlite } from "../../../src/journal/sqlite.ts"
import { currentVersion } from "../../../src/journal/stores/sqlite/schema.ts"
import { workshop } from "../../support/workshop.ts"
import { goldenRows } from "./golden/rows.ts"
import { add, all, positionsOf, query } from "./support.ts"

const golden = fileURLToPath(new URL("./golden/layout-1.db", import.meta.url))

/** A copy of a file of the first layout. */
const oldFile = Effect.map(workshop, ({ path }) => {
  const file = path("old.db")
  copyFileSync(golden, file)
  return file
})

const versionOf = (file: string): ReadonlyArray<unknown> => query(file, "PRAGMA user_version")

const contents = "SELECT * FROM segments ORDER BY last"

it.live("opens a file of the first layout, and leaves every entry as it was", () =>
  Effect.gen(function* () {
    const file = yield* oldFile
    const before = query(file, contents)
    expect(versionOf(file)).toEqual([1])
    const store = yield* openSqlite({ path: file })
    expect(versionOf(file)).toEqual([currentVersion])
    expect(query(file, contents)).toEqual(before)
    expect(yield* all(store)).toEqual(goldenRows)
    // By the index that was made: each kind's entries, and nothing else.
    for (const tag of ["Asked", "Answered"]) {
      for (const branch of ["compute", "notes"]) {
        for (const order of ["forward", "backward"] as const) {
          const meant = goldenRows.filter((row) => row.tag === tag && row.branch === branch)
          const found = yield* store.scan({ filter: { tags: [tag], branch }, limit: 1_000, order })
          expect(found).toEqual(order === "forward" ? meant : meant.toReversed())
        }
      }
    }
    const blocks = query(
      file,
      "SELECT block FROM kind_blocks JOIN kinds ON id = kind WHERE tag = 'Asked' ORDER BY block",
    )
    expect(blocks).toEqual([0])
  }))

it.live("goes on in a file of the first layout: the chain holds across the versions", () =>
  Effect.gen(function* () {
    const journal = yield* make({ path: yield* oldFile })
    yield* journal.append([{ branch: "notes", correlationId: "new", body: { _tag: "Asked", text: "again" } }])
    expect((yield* journal.verify()).entries).toBe(301)
    const found = yield* journal.read({ filter: { tags: ["Asked"] }, after: 190 })
    expect(found.map((entry) => entry.position)).toEqual([191, 250, 301])
  }))

it.live("reads a file of the first layout as it is where it may not be written", () =>
  Effect.gen(function* () {
    const file = yield* oldFile
    const store = yield* openSqlite({ path: file, readOnly: true })
    const asked = { filter: { tags: ["Asked"], correlationId: "c3" }, limit: 1_000, order: "backward" as const }
    expect(positionsOf(yield* store.scan(asked))).toEqual([21])
    expect(positionsOf(yield* store.scan({ filter: { branch: "notes" }, limit: 2 }))).toEqual([4, 8])
    expect(versionOf(file)).toEqual([1])
  }))

it.live("brings a file to today's layout once, however many open it at the same time", () =>
  Effect.gen(function* () {
    const file = yield* oldFile
    const stores = yield* Effect.forEach(
      Array.from({ length: 8 }, () => file),
      (path) => openSqlite({ path }),
      { concurrency: "unbounded" },
    )
    for (const store of stores) yield* add(store, 1)
    expect((yield* all(stores[0] ?? (yield* Effect.die("no store")))).length).toBe(308)
    expect(versionOf(file)).toEqual([currentVersion])
  }))
