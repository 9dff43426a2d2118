/** Damaged files of the server. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { closeSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { makeJournal } from "../../../../../src/journal/makeJournal.ts"
import { postgresIsHere, useServer } from "../../../../support/postgres.ts"
import { append, errorOf, newSchema, numbered, openStore, positionsOf, reasonOf, upTo } from "../support.ts"

const server = useServer()

const pageBytes = 8_192

/** Overwrites the middle of a page of a table while the server is down, as a failing disk does. */
const breakPage = (table: string, page: number) =>
  Effect.gen(function* () {
    const [row] = yield* server().query("SELECT pg_relation_filepath($1::text::regclass) AS path", [table])
    yield* Effect.promise(() => server().stop())
    const file = openSync(join(server().data, String(row?.["path"])), "r+")
    writeSync(file, new Uint8Array(64).fill(0xa5), 0, 64, page * pageBytes + pageBytes / 2)
    closeSync(file)
    yield* Effect.promise(() => server().start())
  })

const positionsOnPage = (table: string, page: number) =>
  Effect.map(
    server().query(`SELECT position::int FROM ${table} WHERE ctid >= '(${page},0)' AND ctid < '(${page + 1},0)'`),
    (rows) => rows.map(({ position }) => Number(position)),
  )

describe.runIf(postgresIsHere)("damage", () => {
  it.live("names the first entry that the server cannot read, in both orders, and reads all others", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const table = `${schema}.journal_entry`
      const store = yield* openStore(server(), schema)
      yield* append(store, numbered(1_000, { correlationId: "a" }), "disk")
      const broken = yield* positionsOnPage(table, 3)
      const [first = 0] = broken
      const last = broken.at(-1) ?? 0
      yield* breakPage(table, 3)

      const error = yield* errorOf(store.scan({ maxRows: 1_000 }))
      expect(error.reason).toMatchObject({ _tag: "Corrupt", position: first, code: "XX001" })
      expect(error.message).toMatch(
        /^journal: nothing was read: .* is damaged: the server cannot read entry \d+ \(XX001\)$/,
      )
      const reason = (scan: Parameters<typeof store.scan>[0]) => reasonOf(store.scan(scan))
      expect(yield* reason({ maxRows: 1_000, order: "backward" })).toMatchObject({ _tag: "Corrupt", position: last })
      expect(yield* reason({ maxRows: 1, after: first })).toMatchObject({ _tag: "Corrupt", position: first + 1 })
      expect(yield* reason({ maxRows: 1_000, filter: { correlationId: "a" } })).toMatchObject({ position: first })
      expect(yield* reason({ maxRows: 9, after: last - 2, maxBytes: 10 })).toMatchObject({ position: last - 1 })

      expect(positionsOf(yield* store.scan({ maxRows: first - 1 }))).toEqual(upTo(first - 1))
      expect(positionsOf(yield* store.scan({ maxRows: 9_999, after: last }))).toEqual(upTo(1_000, last + 1))
      expect((yield* store.head).position).toBe(1_000)
      expect(yield* append(store, numbered(1))).toEqual([1_001])
    }))

  it.live("fails with Corrupt when the row of the head is missing", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const store = yield* openStore(server(), schema)
      yield* append(store, numbered(1))
      yield* server().query(`DELETE FROM ${schema}.journal_head`)
      expect(yield* reasonOf(store.head)).toMatchObject({ _tag: "Corrupt" })
      expect(yield* reasonOf(store.size)).toMatchObject({ _tag: "Corrupt" })
      expect(yield* reasonOf(append(store, numbered(1)))).toMatchObject({ _tag: "Corrupt" })
    }))

  it.live("reports with verify a head that is not that of the last entry", () =>
    Effect.gen(function* () {
      for (const change of ["position = 5", "hash = repeat('a', 64)"]) {
        const schema = newSchema()
        const journal = yield* makeJournal(yield* openStore(server(), schema))
        yield* journal.append(Array.from({ length: 10 }, () => ({
          branch: "notes",
          correlationId: "n",
          body: { _tag: "Noted" },
        })))
        yield* journal.verify()
        yield* server().query(`UPDATE ${schema}.journal_head SET ${change}`)
        expect((yield* errorOf(journal.verify())).reason._tag).toBe("Corrupt")
      }
    }))

  it.live("fails with Corrupt when columns were changed", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const store = yield* openStore(server(), schema)
      yield* append(store, numbered(1))
      yield* server().query(`ALTER TABLE ${schema}.journal_entry ALTER body DROP NOT NULL`)
      yield* server().query(`UPDATE ${schema}.journal_entry SET body = NULL`)
      expect(yield* reasonOf(store.scan({ maxRows: 1 }))).toMatchObject({ _tag: "Corrupt" })
      expect(yield* reasonOf(store.transact("memory", ({ scan }) => scan({ maxRows: 1 })))).toMatchObject({
        _tag: "Corrupt",
      })
    }))
})
