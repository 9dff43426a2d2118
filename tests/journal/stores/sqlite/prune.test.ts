import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { deletePrunedEntries } from "../../../../src/journal/stores/sqlite/prune.ts"
import { eventually } from "../../../support/eventually.ts"
import { add, all, connection, fresh, positionsOf, query, upTo } from "./support.ts"

const cleaned = (file: string): ReadonlyArray<unknown> => query(file, "SELECT cleaned = removed FROM meta")

/** A text that is found in a file byte for byte. */
const secret = (position: number): string => `hunter${position}-`.repeat(3_000)

const holds = (file: string, text: string): boolean =>
  [file, `${file}-wal`].some((path) => {
    try {
      return readFileSync(path).includes(text)
    } catch {
      return false
    }
  })

it.live("removes entries for readers at once, and from the file in the background, which shrinks", () =>
  Effect.gen(function* () {
    const { file, size, store } = yield* fresh()
    yield* add(store, 2_200, "os", { text: secret })
    for (const correlationId of ["a", "b"]) yield* add(store, 50, "os", { correlationId })
    const before = (yield* store.size).bytes
    yield* store.transact("os", (transaction) => transaction.removeThrough(2_250))
    expect(positionsOf(yield* all(store))).toEqual(upTo(2_300, 2_251))
    expect(yield* store.scan({ filter: { correlationId: "a" }, maxRows: 10 })).toEqual([])
    expect(yield* store.scan({ after: 10, before: 2_251, maxRows: 10 })).toEqual([])
    expect(yield* store.size).toMatchObject({ entries: 50, first: 2_251 })
    yield* eventually("the file is clean", () => cleaned(file)[0] === 1)
    expect(query(file, "SELECT count(*), min(position) FROM entries")).toEqual([50, 2_251])
    expect(query(file, "PRAGMA freelist_count")).toEqual([0])
    expect(query(file, "PRAGMA integrity_check")).toEqual(["ok"])
    expect((yield* store.size).bytes).toBeLessThan(before / 20)
    expect(size("journal.db")).toBeLessThan(before / 20)
    yield* add(store, 1)
    expect(positionsOf(yield* all(store))).toEqual(upTo(2_301, 2_251))
  }))

it.live("deletes pruned entries from the file before it is closed", () =>
  Effect.gen(function* () {
    const { file } = yield* fresh()
    yield* Effect.scoped(Effect.gen(function* () {
      const store = yield* SqliteJournal.openStore({ path: file })
      yield* add(store, 300, "os", { text: secret })
      yield* store.transact("os", (transaction) => transaction.removeThrough(299))
    }))
    expect(cleaned(file)).toEqual([1])
    expect(query(file, "SELECT position FROM entries")).toEqual([300])
    expect(holds(file, "hunter299")).toBe(false)
  }))

it.live("continues an interrupted deletion when the file is opened again", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 2_000, "os", { text: secret })
    // As after a crash: only some of the removed entries are deleted.
    const open = new DatabaseSync(file)
    open.exec("UPDATE meta SET removed = 1_990")
    open.exec("DELETE FROM entries WHERE position < 777")
    open.close()
    expect(positionsOf(yield* all(store))).toEqual(upTo(2_000, 1_991))
    yield* Effect.scoped(SqliteJournal.openStore({ path: file }))
    expect(query(file, "SELECT count(*), min(position) FROM entries")).toEqual([10, 1_991])
    expect(cleaned(file)).toEqual([1])
  }))

it.live("deletes in slices, between which others write", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh({ lockTimeout: 0 })
    for (let round = 0; round < 20; round++) {
      yield* add(store, 500, "os", { correlationId: `c${round}`, tag: `T${round % 3}` })
    }
    const open = connection(file)
    open.run("UPDATE meta SET removed = 9_000")
    let slices = 1
    for (const _ of deletePrunedEntries(open)) {
      slices++
      // With a lockTimeout of 0 this would fail if the file were locked.
      yield* add(store, 1)
    }
    expect(slices).toBeGreaterThan(10)
    open.close()
    const last = 10_000 + slices - 1
    expect(positionsOf(yield* all(store))).toEqual(upTo(last, 9_001))
    for (const filter of [{ correlationId: "c18" }, { correlationId: "n" }, { tags: ["T0"] }, { tags: ["Noted"] }]) {
      const meant = (yield* all(store)).filter((row) =>
        row.correlationId === filter.correlationId || filter.tags?.includes(row.tag) === true
      )
      expect(positionsOf(yield* store.scan({ filter, maxRows: 100_000 }))).toEqual(positionsOf(meant))
      expect(meant).not.toEqual([])
    }
    expect(cleaned(file)).toEqual([1])
  }))

it.live("accepts removals in any order, also of removed entries", () =>
  Effect.gen(function* () {
    const { store } = yield* fresh()
    yield* add(store, 100)
    for (const [through, first] of [[10, 11], [5, 11], [99, 100], [40, 100]] as const) {
      yield* store.transact("os", (transaction) =>
        Effect.gen(function* () {
          yield* transaction.removeThrough(through)
          expect(positionsOf(yield* transaction.scan({ maxRows: 1 }))).toEqual([first])
        }))
      expect((yield* store.size).first).toBe(first)
    }
  }))

it.live("strips bodies without leaving a byte of them in the file, and keeps the rest of the row", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    const rows = yield* add(store, 700, "os", { text: secret })
    expect(holds(file, "hunter350-")).toBe(true)
    const doomed = upTo(650, 51)
    yield* store.transact("os", (transaction) => transaction.strip(doomed))
    const left = rows.map((row) => doomed.includes(row.position) ? { ...row, body: "" } : row)
    expect(yield* all(store)).toEqual(left)
    for (const position of [51, 350, 650]) expect(holds(file, `hunter${position}-`)).toBe(false)
    // The other bodies are still in the file or its log.
    yield* store.transact("os", (transaction) => transaction.strip([]))
    for (const position of [50, 651]) expect(holds(file, `hunter${position}-`)).toBe(true)
  }))

it.live("strips bodies that only the write-ahead log holds so far", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 5, "os", { text: (position) => `hunter${position}-` })
    expect(holds(file, "hunter3-")).toBe(true)
    // In any order, some twice.
    yield* store.transact("os", (transaction) => transaction.strip([4, 3, 3]))
    expect([1, 2, 3, 4, 5].map((position) => holds(file, `hunter${position}-`))).toEqual([
      true,
      true,
      false,
      false,
      true,
    ])
  }))
