import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { closeSync, openSync, writeSync } from "node:fs"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, all, query, reasonOf } from "./support.ts"

/** Overwrites a page of a file, as a failing disk does. */
const spoil = (file: string, page: number): void => {
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, new Uint8Array(8_192).fill(0xa5), 0, 8_192, (page - 1) * 8_192)
  closeSync(descriptor)
}

/** A closed file with 300 entries, by threes; the 200th is long. */
const filled = Effect.gen(function* () {
  const { path } = yield* workshop
  const file = path("journal.db")
  const long = (position: number): string => position === 200 ? "long".repeat(7_000) : "short".repeat(50)
  const rows = yield* Effect.scoped(Effect.gen(function* () {
    const store = yield* SqliteJournal.openStore({ path: file })
    for (let round = 0; round < 100; round++) yield* add(store, 3, "os", { text: long })
    return yield* all(store)
  }))
  return { file, rows }
})

/** The pages of one kind that a table has, in order. */
const pagesOf = (file: string, kind: "leaf" | "overflow"): ReadonlyArray<number> => {
  const found = query(file, "SELECT pageno FROM dbstat WHERE name = 'entries' AND pagetype = ? ORDER BY path", kind)
  return found.filter((page) => typeof page === "number")
}

it.live("names the first entry on a damaged page, and reads the entries before and after it", () =>
  Effect.gen(function* () {
    const { file, rows } = yield* filled
    const leaves = pagesOf(file, "leaf")
    spoil(file, leaves[Math.floor(leaves.length / 2)] ?? 0)
    const store = yield* SqliteJournal.openStore({ path: file })
    const error = yield* Effect.flip(store.scan({ maxRows: 1_000 }))
    const first = error.reason._tag === "Corrupt" ? error.reason.position ?? 0 : 0
    expect(error.reason).toEqual({
      _tag: "Corrupt",
      what: "a page of the file is damaged",
      position: first,
    })
    expect(error.message).toBe(
      `journal: entry ${first} cannot be read: a page of the file is damaged`,
    )
    expect(first).toBeGreaterThan(1)
    expect(yield* store.scan({ maxRows: 1_000, before: first })).toEqual(rows.slice(0, first - 1))
    const backward = yield* Effect.flip(store.scan({ maxRows: 1_000, order: "backward" }))
    const last = backward.reason._tag === "Corrupt" ? backward.reason.position ?? 0 : 0
    expect(last).toBeGreaterThanOrEqual(first)
    expect(yield* store.scan({ maxRows: 1_000, after: last })).toEqual(rows.slice(last))
    for (const filter of [{ correlationId: "n" }, { tags: ["Noted"] }]) {
      expect(yield* reasonOf(store.scan({ maxRows: 1_000, filter }))).toMatchObject({
        _tag: "Corrupt",
        position: first,
      })
    }
  }))

it.live("does not read bodies that a scan leaves out: a damaged one is no error then", () =>
  Effect.gen(function* () {
    const { file, rows } = yield* filled
    const pages = pagesOf(file, "overflow")
    expect(pages.length).toBeGreaterThan(2)
    for (const page of pages) spoil(file, page)
    const store = yield* SqliteJournal.openStore({ path: file })
    const headers = rows.map((row) => ({ ...row, body: "" }))
    expect(yield* store.scan({ maxRows: 1_000, headersOnly: true })).toEqual(headers)
    // The damaged body exceeds the limit.
    expect(yield* store.scan({ maxRows: 1_000, maxBytes: 65_000 })).toEqual(rows.slice(0, 199))
    expect(yield* reasonOf(store.scan({ maxRows: 1_000, maxBytes: 300_000 }))).toMatchObject({
      _tag: "Corrupt",
      position: 200,
    })
    expect(yield* reasonOf(store.scan({ maxRows: 1_000 }))).toMatchObject({ _tag: "Corrupt", position: 200 })
  }))

it.live("does not open a journal whose first page is damaged", () =>
  Effect.gen(function* () {
    const { file } = yield* filled
    spoil(file, 1)
    expect(yield* reasonOf(Effect.scoped(SqliteJournal.openStore({ path: file })))).toEqual({
      _tag: "Corrupt",
      what: "the file is not a SQLite database",
      code: "SQLITE_NOTADB",
    })
  }))
