import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Filter, Row, Scan } from "@sluice/shell/journal"
import { makeMemoryStore } from "../../../src/journal/stores/memory/MemoryStore.ts"
import {
  beginQuery,
  contentsQuery,
  correlationBlockQuery,
  headQuery,
  kindBlockQuery,
  segmentQuery,
  segmentsQuery,
} from "../../../src/journal/stores/sqlite/queries.ts"
import { random } from "../../support/random.ts"
import { eventually } from "../../support/eventually.ts"
import { openSqlite } from "../../../src/journal/sqlite.ts"
import { workshop } from "../../support/workshop.ts"
import { add, all, connection, fresh, positionsOf, query, rewrite, rowsAfter, upTo } from "./support.ts"

const orders = ["forward", "backward"] as const

/** What SQLite does for a query, in its own words. */
const planOf = (path: string, sql: string): string => {
  const open = connection(path)
  try {
    return open.rows(`EXPLAIN QUERY PLAN ${sql}`).map((row) => row[3]).join("; ")
  } finally {
    open.close()
  }
}

it.live("finds everything by a key: no query walks a table, and none sorts", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 1)
    for (const order of orders) {
      expect(planOf(file, correlationBlockQuery(order))).toMatch(
        /^SEARCH correlation_blocks USING PRIMARY KEY \(correlation=\? AND block[<>]\?\)$/,
      )
      expect(planOf(file, kindBlockQuery(order))).toMatch(
        /^SEARCH kind_blocks USING PRIMARY KEY \(kind=\? AND block[<>]\?\)$/,
      )
      for (const correlation of [true, false]) {
        for (const kinds of ["all", "one", "several"] as const) {
          const plan = planOf(file, segmentsQuery({ order, bodies: true, correlation, kinds }))
          // One search more finds the segment in which the last position is.
          const search = "SEARCH segments USING INTEGER PRIMARY KEY (rowid>? AND rowid<?); " +
            "SCALAR SUBQUERY 1; SEARCH segments USING INTEGER PRIMARY KEY (rowid>?)"
          const list = /; LIST SUBQUERY \d; SCAN json_each VIRTUAL TABLE INDEX 1:(; CREATE BLOOM FILTER)?/
          expect(plan.replace(list, "")).toBe(search)
          expect(list.test(plan)).toBe(kinds === "several")
        }
      }
    }
    for (const query of [contentsQuery(true), contentsQuery(false)]) {
      expect(planOf(file, query)).toBe("SEARCH segments USING INTEGER PRIMARY KEY (rowid=?)")
    }
    expect(planOf(file, segmentQuery)).toBe("SEARCH segments USING INTEGER PRIMARY KEY (rowid>?)")
    // One step from the end of a tree is no walk, though SQLite calls it a scan.
    for (const query of [headQuery, beginQuery]) expect(planOf(file, query)).not.toContain("TEMP B-TREE")
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
    // Interleaved, and in long runs of one correlation: blocks with all, some and none of what is asked for.
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
        limit: pick([0, 1, 5, 200, 1_000, Infinity]),
        maxBytes: some(() => pick([0, 100, 9_000, 50_000])),
        order: some(() => pick(orders)),
        headersOnly: some(() => pick([true, false])),
      }
      expect([scan, yield* store.scan(scan)]).toEqual([scan, yield* memory.scan(scan)])
    }
  }))

it.live("does not remember names that are gone: who prunes and appends again is found again", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    const filter = { correlationId: "again" }
    yield* add(store, 40, "os", { correlationId: "again" })
    yield* add(store, 40, "os", { correlationId: "other" })
    expect(yield* store.scan({ filter, limit: 100 })).toHaveLength(40)
    yield* store.transact("os", (transaction) => transaction.removeThrough(70))
    expect(yield* store.scan({ filter, limit: 100 })).toEqual([])
    // The file is cleaned by and by; then the name has no number any more.
    const names = (): ReadonlyArray<unknown> => query(file, "SELECT text FROM correlations")
    yield* eventually("the name is gone", () => !names().includes("again"))
    expect(names()).toEqual(["other"])
    yield* add(store, 1, "os", { correlationId: "again" })
    expect(positionsOf(yield* store.scan({ filter, limit: 100 }))).toEqual([81])
    expect(positionsOf(yield* store.scan({ limit: 100 }))).toEqual(upTo(81, 71))
  }))

it.live("gives back any text that stands for a body, alone or among others", () =>
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
    expect((yield* store.scan({ limit: 100 })).map((row) => row.body)).toEqual(bodies)
    expect((yield* store.scan({ limit: 100, order: "backward" })).map((row) => row.body)).toEqual(bodies.toReversed())
  }))

it.live("shows people every entry as a row, in the view that they query", () =>
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

it.live("reads what is there, both ways and from anywhere, when somebody took entries out", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.db")
    yield* Effect.scoped(Effect.flatMap(openSqlite({ path: file }), (store) => add(store, 300)))
    const gone = [1, 2, 50, 51, 52, ...upTo(200, 130), 260]
    rewrite(file, (rows) => rows.filter((row) => !gone.includes(row.position)))
    const left = upTo(300).filter((position) => !gone.includes(position))
    const store = yield* openSqlite({ path: file })
    for (const filter of [undefined, { correlationId: "n" }, { tags: ["Noted"] }]) {
      for (
        const [after, before] of [[0, 301], [49, 53], [51, 60], [150, 155], [150, 250], [20, 151], [259, 262]] as const
      ) {
        const meant = left.filter((position) => position > after && position < before)
        const scan = { after, before, limit: 1_000, filter }
        expect(positionsOf(yield* store.scan(scan))).toEqual(meant)
        expect(positionsOf(yield* store.scan({ ...scan, order: "backward" }))).toEqual(meant.toReversed())
      }
    }
  }))
