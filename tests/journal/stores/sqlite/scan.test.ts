import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Filter } from "@sluice/shell/journal"
import type { Scan } from "../../../../src/journal/JournalStore.ts"
import type { Row } from "../../../../src/journal/Entry.ts"
import { makeMemoryStore } from "../../../../src/journal/stores/memory/MemoryStore.ts"
import { bodyQuery, conditionOf, entriesQuery, headQuery } from "../../../../src/journal/stores/sqlite/scan.ts"
import { markQuery, sparseIndexes } from "../../../../src/journal/stores/sqlite/sparseIndex.ts"
import { random } from "../../../support/random.ts"
import { eventually } from "../../../support/eventually.ts"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, all, connection, fresh, positionsOf, query, rewrite, rowsAfter, upTo } from "./support.ts"

const orders = ["forward", "backward"] as const

/** SQLite's plan of a query. */
const planOf = (path: string, sql: string): string => {
  const open = connection(path)
  try {
    return open.rows(`EXPLAIN QUERY PLAN ${sql}`).map((row) => row[3]).join("; ")
  } finally {
    open.close()
  }
}

it.live("searches by a key in every query, without a table scan or a sort", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 1)
    for (const order of orders) {
      for (const index of sparseIndexes) {
        expect(planOf(file, markQuery(index, order))).toMatch(
          new RegExp(`^SEARCH entries USING INDEX ${index.name} \\(${index.column}=\\? AND rowid[<>]\\?\\)$`),
        )
      }
      for (const filter of [{}, { correlationId: "n", branch: "b" }, { tags: ["A", "B"] }]) {
        const plan = planOf(file, entriesQuery(order, true, conditionOf(filter).sql))
        const list = /; LIST SUBQUERY \d; SCAN json_each VIRTUAL TABLE INDEX 1:(; CREATE BLOOM FILTER)?/
        expect(plan.replace(list, "")).toBe("SEARCH entries USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
        expect(list.test(plan)).toBe("tags" in filter)
      }
    }
    expect(planOf(file, bodyQuery)).toBe("SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)")
    // One step from the end of the tree, which SQLite calls a scan.
    expect(planOf(file, headQuery)).not.toContain("TEMP B-TREE")
  }))

const texts: ReadonlyArray<(position: number) => string> = [
  String,
  (position) => "x".repeat(position % 7 * 3_000),
]

it.live("answers every scan as a store without indexes does: filters, bounds, orders, limits and sizes", () =>
  Effect.gen(function* () {
    const { store } = yield* fresh()
    const memory = makeMemoryStore({ maxEntries: Infinity, maxBytes: Infinity })
    const { int, pick } = random(20_261_122)
    // Interleaved, and in long runs of one correlation id: blocks with all, some and no matching rows.
    for (let round = 0; round < 60; round++) {
      const correlationId = `c${int(0, 5)}`
      const tag = pick(["A", "B", "C"])
      const count = pick([1, 1, 2, 40, 150])
      for (const each of [store, memory]) {
        yield* each.transact("memory", (transaction) => {
          const rows = rowsAfter(transaction.head, count, { correlationId, tag, text: texts[round % 2] ?? String })
          const branched = rows.map((row): Row => ({ ...row, branch: `b${row.position % 3}` }))
          return transaction.insert(branched)
        })
      }
    }
    const last = (yield* store.head).position
    const some = <A>(value: () => A): A | undefined => int(0, 2) > 0 ? value() : undefined
    for (let round = 0; round < 400; round++) {
      const filter: Filter = {
        correlationId: some(() => `c${int(0, 6)}`),
        branch: some(() => `b${int(0, 3)}`),
        tags: some(() => pick([["A"], ["B", "C"], ["D"], [], ["A", "B", "C", "D"]])),
      }
      const scan: Scan = {
        filter: some(() => filter),
        after: some(() => int(0, last + 1)),
        before: some(() => int(0, last + 2)),
        maxRows: pick([0, 1, 5, 200, 1_000, Infinity]),
        maxBytes: some(() => pick([0, 100, 9_000, 50_000])),
        order: some(() => pick(orders)),
        headersOnly: some(() => pick([true, false])),
      }
      expect([scan, yield* store.scan(scan)]).toEqual([scan, yield* memory.scan(scan)])
    }
  }))

it.live("finds the rest of a block whose marked rows were removed, and rows that are appended to it", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    const filter = { correlationId: "again" }
    yield* add(store, 40, "os", { correlationId: "again" })
    yield* add(store, 40, "os", { correlationId: "other" })
    expect(yield* store.scan({ filter, maxRows: 100 })).toHaveLength(40)
    yield* store.transact("os", (transaction) => transaction.removeThrough(70))
    expect(yield* store.scan({ filter, maxRows: 100 })).toEqual([])
    yield* eventually("the file is clean", () => query(file, "SELECT min(position) FROM entries")[0] === 71)
    for (const each of [store, yield* SqliteJournal.openStore({ path: file })]) {
      yield* add(each, 1, "os", { correlationId: "again" })
    }
    for (const order of orders) {
      expect(positionsOf(yield* store.scan({ filter, maxRows: 100, order })).toSorted()).toEqual([81, 82])
      expect(yield* store.scan({ filter: { correlationId: "other" }, maxRows: 100, order })).toHaveLength(10)
    }
    expect(positionsOf(yield* store.scan({ maxRows: 100 }))).toEqual(upTo(82, 71))
  }))

it.live("finds each writer's entries where several take turns in one block", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    const other = yield* SqliteJournal.openStore({ path: file })
    for (let round = 0; round < 300; round++) {
      yield* add(round % 2 === 0 ? store : other, 1, "os", { correlationId: `c${round % 3}`, tag: `T${round % 5}` })
    }
    const rows = yield* all(store)
    for (const nth of [0, 1, 2]) {
      const found = yield* store.scan({ filter: { correlationId: `c${nth}`, tags: ["T1", "T2"] }, maxRows: 1_000 })
      expect(found).toEqual(rows.filter(({ correlationId, tag }) => correlationId === `c${nth}` && /T[12]/.test(tag)))
      expect(found).toHaveLength(40)
    }
  }))

it.live("returns any text of a body unchanged", () =>
  Effect.gen(function* () {
    const { store } = yield* fresh()
    const bodies = [
      "{}",
      "",
      "a\nb",
      "\n",
      "{}",
      "",
      "",
      "é\u{1f600}",
      '{"x":"\\n"}',
      "x".repeat(70_000),
      "{}",
      "y\n",
      "",
    ]
    yield* store.transact("os", (transaction) =>
      transaction.insert(
        rowsAfter(transaction.head, bodies.length).map((row, index) => ({ ...row, body: bodies[index] ?? "" })),
      ))
    expect((yield* store.scan({ maxRows: 100 })).map((row) => row.body)).toEqual(bodies)
    expect((yield* store.scan({ maxRows: 100, order: "backward" })).map((row) => row.body)).toEqual(bodies.toReversed())
  }))

it.live("shows every entry in the view journal", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    for (const [count, correlationId, tag] of [[1, "a", "A"], [150, "b", "B"], [3, "a", "B"]] as const) {
      yield* add(store, count, "os", { correlationId, tag, text: (position) => `"é",\t${position}` })
    }
    yield* store.transact("os", (transaction) =>
      transaction.insert([
        ...rowsAfter(transaction.head, 2),
        ...rowsAfter({ ...transaction.head, position: transaction.head.position + 2 }, 2, {
          correlationId: "c",
          tag: "C",
        }),
      ].map((row) => ({ ...row, time: 1_700_000_000_000 }))))
    yield* store.transact("os", (transaction) =>
      Effect.andThen(transaction.strip([2, 100]), transaction.removeThrough(1)))
    const view = query(file, "SELECT position, time, branch, tag, correlation_id, version, hash, body FROM journal")
    const rows = (yield* all(store)).flatMap((row) => [
      row.position,
      new Date(row.time).toISOString(),
      row.branch,
      row.tag,
      row.correlationId,
      row.version,
      row.hash,
      row.body === "" ? null : row.body,
    ])
    expect(rows).toHaveLength(157 * 8)
    expect(view).toEqual(rows)
  }))

it.live("reads the entries that are left, in both orders, when rows were deleted from the table", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.db")
    yield* Effect.scoped(Effect.flatMap(SqliteJournal.openStore({ path: file }), (store) => add(store, 300)))
    const gone = [1, 2, 50, 51, 52, ...upTo(200, 130), 260]
    rewrite(file, (rows) => rows.filter((row) => !gone.includes(row.position)))
    const left = upTo(300).filter((position) => !gone.includes(position))
    const store = yield* SqliteJournal.openStore({ path: file })
    for (const filter of [undefined, { correlationId: "n" }, { tags: ["Noted"] }]) {
      for (
        const [after, before] of [[0, 301], [49, 53], [51, 60], [150, 155], [150, 250], [20, 151], [259, 262]] as const
      ) {
        const meant = left.filter((position) => position > after && position < before)
        const scan = { after, before, maxRows: 1_000, filter }
        expect(positionsOf(yield* store.scan(scan))).toEqual(meant)
        expect(positionsOf(yield* store.scan({ ...scan, order: "backward" }))).toEqual(meant.toReversed())
      }
    }
  }))
