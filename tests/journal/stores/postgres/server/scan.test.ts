/** Inserted and scanned rows, and the indexes that scans use. */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Filter } from "@sluice/shell/journal"
import { matches } from "../../../../../src/journal/Entry.ts"
import { noHash, type Row } from "../../../../../src/journal/Entry.ts"
import type { Scan } from "../../../../../src/journal/JournalStore.ts"
import { tableNames } from "../../../../../src/journal/stores/postgres/tableNames.ts"
import { resolveOptions } from "../../../../../src/journal/stores/postgres/options.ts"
import { scanQuery } from "../../../../../src/journal/stores/postgres/scan.ts"
import { postgresIsHere, useServer } from "../../../../support/postgres.ts"
import { random } from "../../../../support/random.ts"
import {
  append,
  errorOf,
  insertInto,
  newSchema,
  numbered,
  openStore,
  positionsOf,
  reasonOf,
  rowsAfter,
  upTo,
  written,
} from "../support.ts"

const server = useServer()

/** The rows of a scan, by a filter over all rows. */
const plainly = (rows: ReadonlyArray<Row>, scan: Scan): ReadonlyArray<Row> => {
  const { after = 0, before = Infinity, filter = {}, headersOnly, maxRows, maxBytes = Infinity, order } = scan
  const meant = rows.filter((row) => row.position > after && row.position < before && matches(filter, row))
  const ordered = order === "backward" ? meant.toReversed() : meant
  let bytes = 0
  return ordered.slice(0, maxRows).filter((row, index) => {
    bytes += headersOnly === true ? 0 : Buffer.byteLength(row.body)
    return index === 0 || bytes <= maxBytes
  }).map((row) => headersOnly === true ? { ...row, body: "" } : row)
}

describe.runIf(postgresIsHere)("rows", () => {
  it.live("returns inserted rows unchanged", () =>
    Effect.gen(function* () {
      const store = yield* openStore(server())
      expect(yield* store.head).toEqual({ position: 0, hash: noHash })
      expect(yield* store.size).toMatchObject({ entries: 0, first: 0 })
      const rows = rowsAfter(yield* store.head, [
        written("", { body: '{"_tag":"Noted","a":1.0,"b":"\\u0000\\ud83d", "a":2}' }),
        written("日本語 😀 \u2028\uFEFF'\"\\%_{}", { branch: "b'\"\\", correlationId: '{a,"b"}', tag: "NULL" }),
        written("", { body: "", version: Number.MAX_SAFE_INTEGER }),
        written("x".repeat(3_000_000)),
      ])
      yield* store.transact("disk", (transaction) => transaction.insert(rows))
      expect(yield* store.scan({ maxRows: 10 })).toEqual(rows)
      expect(yield* store.head).toEqual({ position: 4, hash: rows.at(-1)?.hash })
      const { bytes, ...size } = yield* store.size
      expect(size).toEqual({ entries: 4, first: 1 })
      expect(bytes).toBeGreaterThan(10_000)
    }))

  it.live("refuses rows that leave a gap, and texts that PostgreSQL cannot hold, and keeps nothing of them", () =>
    Effect.gen(function* () {
      const store = yield* openStore(server())
      const insert = (row: Partial<Row>) =>
        reasonOf(
          store.transact("memory", (transaction) =>
            transaction.insert(rowsAfter(transaction.head, [written()]).map((whole) => ({ ...whole, ...row })))),
        )
      for (const position of [0, 2, -1, 1.5, NaN]) {
        expect(yield* insert({ position })).toEqual({ _tag: "Invalid", field: "position" })
      }
      for (const row of [{ body: "a\0" }, { tag: "\ud83d" }, { time: 1.5 }, { version: Infinity }]) {
        expect(yield* insert(row)).toEqual({ _tag: "Invalid", field: "body" })
      }
      expect(yield* store.head).toEqual({ position: 0, hash: noHash })
      expect(yield* append(store, numbered(2))).toEqual([1, 2])
    }))

  it.live("scans like a filter over all rows", () =>
    Effect.gen(function* () {
      const store = yield* openStore(server())
      const { int, pick } = random(7)
      const some = <A>(items: ReadonlyArray<A>): A | undefined => items[int(0, items.length)]
      const items = upTo(300).map((n) =>
        written("x".repeat(int(0, 60)) + (n % 50 === 0 ? "é".repeat(500) : ""), {
          branch: pick(["a", "b"]),
          correlationId: pick(["1", "2", "3"]),
          tag: pick(["T", "U", "V"]),
        })
      )
      yield* append(store, items)
      yield* store.transact("memory", (transaction) =>
        Effect.andThen(transaction.strip([60, 61, 200]), transaction.removeThrough(20)))
      const rows = yield* store.scan({ maxRows: 1_000 })
      expect(positionsOf(rows)).toEqual(upTo(300, 21))
      expect(
        rows.filter(({ body }) =>
          body === ""
        ).map(({ position }) => position),
      ).toEqual([60, 61, 200])
      for (let round = 0; round < 200; round++) {
        const filter: Filter = {
          correlationId: some(["1", "2", "9"]),
          branch: some(["a", "b", "c"]),
          tags: some([["T"], ["T", "V"], ["V", "U", "T", "U"], [], ["W"]]),
        }
        const scan: Scan = {
          after: some([0, 20, 59, 250, 300, 1e9, -5]),
          before: some([Infinity, 301, 61, 62, 21, 1]),
          filter: pick([filter, filter, {}]),
          maxRows: pick([1, 2, 10, 1_000, Infinity]),
          maxBytes: some([Infinity, 0, 1, 100, 2_000]),
          order: some(["forward", "backward"]),
          headersOnly: some([false, true]),
        }
        expect({ scan, found: yield* store.scan(scan) }).toEqual({ scan, found: plainly(rows, scan) })
      }
    }))

  it.live("finds nothing with a limit of 0, and filters more tags than it merges", () =>
    Effect.gen(function* () {
      const store = yield* openStore(server())
      yield* append(store, upTo(50).map((n) => written("", { tag: `T${n}` })))
      expect(yield* store.scan({ maxRows: 0 })).toEqual([])
      const tags = upTo(40, 6).map((n) => `T${n}`)
      expect(positionsOf(yield* store.scan({ maxRows: 1_000, filter: { tags } }))).toEqual(upTo(40, 6))
      expect(positionsOf(yield* store.scan({ maxRows: 2, order: "backward", filter: { tags } }))).toEqual([40, 39])
    }))

  it.live("shows a transaction its own writes, and others nothing before the commit", () =>
    Effect.gen(function* () {
      const store = yield* openStore(server())
      yield* append(store, numbered(3))
      yield* store.transact("memory", (transaction) =>
        Effect.gen(function* () {
          expect(transaction.head.position).toBe(3)
          const [row] = rowsAfter(transaction.head, [written("new", { correlationId: "new" })])
          if (row === undefined) return
          yield* transaction.insert([row])
          expect(yield* transaction.scan({ maxRows: 9, filter: { correlationId: "new" } })).toEqual([row])
          const next = rowsAfter({ position: row.position, hash: row.hash }, numbered(2))
          yield* transaction.insert(next)
          yield* transaction.strip([2])
          yield* transaction.removeThrough(1)
          expect((yield* transaction.scan({ maxRows: 9 })).map(({ body, position }) => [position, body === ""]))
            .toEqual([
              [2, true],
              [3, false],
              [4, false],
              [5, false],
              [6, false],
            ])
          expect(positionsOf(yield* store.scan({ maxRows: 9 }))).toEqual([1, 2, 3])
          expect((yield* store.head).position).toBe(3)
        }))
      expect(positionsOf(yield* store.scan({ maxRows: 9 }))).toEqual([2, 3, 4, 5, 6])
      expect(yield* store.size).toMatchObject({ entries: 5, first: 2 })
    }))

  it.live("writes more than one statement can hold, all or none", () =>
    Effect.gen(function* () {
      const store = yield* openStore(server())
      const large = numbered(10_004)
      const failure = yield* errorOf(store.transact("memory", (transaction) =>
        Effect.gen(function* () {
          yield* insertInto(transaction, large)
          expect(yield* transaction.scan({ maxRows: 1, order: "backward", headersOnly: true })).toHaveLength(1)
          return yield* Effect.fail("no")
        }).pipe(Effect.catch(() => transaction.insert(rowsAfter({ position: 5, hash: "" }, [written()]))))))
      expect(failure.reason).toEqual({ _tag: "Invalid", field: "position" })
      expect((yield* store.head).position).toBe(0)
      expect(yield* append(store, large)).toEqual(upTo(10_004))
      expect(positionsOf(yield* store.scan({ maxRows: 20_000, headersOnly: true }))).toEqual(upTo(10_004))
    }))

  it.live("serves every filter from an index, in order, without a full scan or sort", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const store = yield* openStore(server(), schema)
      const names = tableNames(schema)
      if (names === undefined) throw new Error("no such schema")
      // Far more than one page, with a rare tag, a rare branch and many ids.
      yield* server().query(
        `INSERT INTO ${names.entry} (position, time, version, branch, correlation_id, tag, hash, body)
        SELECT n, n, 1, CASE WHEN n % 20000 = 7 THEN 'rare' ELSE 'compute' END, 'c' || n / 100,
          CASE WHEN n % 5000 = 3 THEN 'Exec' WHEN n % 2 = 0 THEN 'Chunk' ELSE 'Line' END, repeat('0', 64), '{}'
        FROM generate_series(1, 60000) n`,
      )
      yield* server().query(`UPDATE ${names.head} SET position = 60000`)
      const settings = yield* resolveOptions(server().options(schema))
      const connection = yield* PgConnection.make(settings.config)
      const plan = (scan: Scan) =>
        Effect.gen(function* () {
          const query = scanQuery(names, scan)
          if (query === undefined) throw new Error("nothing to ask")
          const { rows } = yield* connection.query(`EXPLAIN ${query.sql}`, query.params)
          return rows.map((row) => String(row["QUERY PLAN"])).join("\n")
        })
      const scans: ReadonlyArray<readonly [index: RegExp, scan: Scan]> = [
        [/_pkey/, { maxRows: 512, maxBytes: 1_000_000 }],
        [/_pkey/, { maxRows: 512, after: 30_000, order: "backward" }],
        [/_correlation/, { maxRows: 512, filter: { correlationId: "c77" } }],
        [/_correlation/, { maxRows: 1, after: 7_000, filter: { correlationId: "c77", tags: ["Exec", "Line"] } }],
        [/_correlation/, { maxRows: 512, filter: { branch: "compute", correlationId: "c77", tags: ["Chunk"] } }],
        [/_tag/, { maxRows: 512, filter: { branch: "compute", tags: ["Exec"] }, maxBytes: 1_000_000 }],
        [/_tag/, { maxRows: 512, filter: { tags: ["Exec"] }, order: "backward" }],
        [/_branch/, { maxRows: 512, filter: { branch: "rare" } }],
        // For a frequent value the next page is the next rows.
        [/_pkey|_tag/, { maxRows: 512, filter: { branch: "compute", tags: ["Chunk"] } }],
        [/_pkey|_branch/, { maxRows: 512, after: 10_000, filter: { branch: "compute" } }],
      ]
      // With a table without statistics, and after ANALYZE.
      for (const analyze of [false, true]) {
        if (analyze) yield* server().query(`ANALYZE ${names.entry}`)
        for (const [index, scan] of scans) {
          const found = yield* plan(scan)
          expect(found).toMatch(index)
          expect(found).toMatch(/Index Scan/)
          expect(found).not.toMatch(/Seq Scan|Bitmap|Sort/)
        }
        // Only one page of each tag is sorted.
        const merged = yield* plan({ maxRows: 100, filter: { branch: "compute", tags: ["Exec", "Line", "Chunk"] } })
        expect(merged.match(/Limit/g)).toHaveLength(4)
        expect(merged).not.toMatch(/Seq Scan|Bitmap/)
      }
      expect(positionsOf(yield* store.scan({ maxRows: 9, filter: { branch: "rare" } }))).toEqual([7, 20_007, 40_007])
    }))
})
