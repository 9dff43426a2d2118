import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { JournalError } from "@sluice/shell/journal"
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { currentVersion } from "../../../../src/journal/stores/sqlite/schema.ts"
import { goldenRows } from "./golden/rows.ts"
import { verifyStore } from "../../../../src/journal/verifyStore.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, all, fresh, positionsOf, query, reasonOf, rowsAfter, upTo } from "./support.ts"

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** Opens a file and closes it again. */
const visit = (options: SqliteJournal.SqliteOptions) => Effect.scoped(SqliteJournal.openStore(options))

it.live("creates the file and the directories above it for its owner only", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("above/further/journal.db")
    const store = yield* SqliteJournal.openStore({ path: file })
    yield* add(store, 1)
    // SQLite gives its other files the same mode.
    expect(["", "-wal", "-shm"].map((end) => modeOf(`${file}${end}`))).toEqual(["600", "600", "600"])
    expect(store.location).toBe(file)
  }))

it.live("leaves one file when it is closed, and has everything when it is opened again", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    const file = path("journal.db")
    const rows = yield* Effect.scoped(
      Effect.flatMap(SqliteJournal.openStore({ path: file }), (store) => add(store, 300)),
    )
    expect(readdirSync(directory)).toEqual(["journal.db"])
    const store = yield* SqliteJournal.openStore({ path: file, create: false })
    expect(yield* all(store)).toEqual(rows)
    expect(yield* store.size).toMatchObject({ entries: 300, first: 1 })
  }))

it.live("refuses paths that SQLite does not take for a file", () =>
  Effect.gen(function* () {
    for (const path of ["", ":memory:"]) {
      expect(yield* reasonOf(visit({ path }))).toEqual({ _tag: "Invalid", field: "path" })
    }
    expect(existsSync(":memory:")).toBe(false)
  }))

it.live("creates nothing without create: a missing file is Missing", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    const file = path("above/journal.db")
    for (const options of [{ create: false }, { readOnly: true }]) {
      const error = yield* Effect.flip(visit({ path: file, ...options }))
      expect(error.reason).toEqual({ _tag: "Missing", path: file, code: "ENOENT" })
      expect(error.message).toBe(`journal: ${file} was not opened: it does not exist (ENOENT)`)
    }
    const below = path("file/journal.db")
    writeFileSync(path("file"), "")
    expect(yield* reasonOf(visit({ path: below }))).toMatchObject({ _tag: "Missing", path: below })
    expect(readdirSync(directory)).toEqual(["file"])
  }))

it.live("creates a journal in an empty file", () =>
  Effect.gen(function* () {
    const { write } = yield* workshop
    const store = yield* SqliteJournal.openStore({ path: write("journal.db", "") })
    expect(yield* store.head).toEqual({ position: 0, hash: "0".repeat(64) })
    expect(yield* store.size).toMatchObject({ entries: 0, first: 0 })
    yield* add(store, 1)
  }))

const database = (path: string, ...statements: ReadonlyArray<string>): void => {
  const open = new DatabaseSync(path)
  for (const sql of statements) open.exec(sql)
  open.close()
}

const strangers: ReadonlyArray<readonly [what: string, make: (path: string) => void, reason: object]> = [
  [
    "a text",
    (path) => writeFileSync(path, "not a database\n".repeat(500)),
    { _tag: "Corrupt", what: "the file is not a SQLite database", code: "SQLITE_NOTADB" },
  ],
  ...[1, 99, 100, 511, 512, 600].map((length) =>
    [
      `a text of ${length} bytes`,
      (path: string) => writeFileSync(path, "x".repeat(length)),
      { _tag: "Corrupt", code: "SQLITE_NOTADB" },
    ] as const
  ),
  ["a database without a mark", (path) => database(path, "CREATE TABLE entries (x)"), {
    _tag: "Invalid",
    field: "path",
  }],
  [
    "a database with a write-ahead log",
    (path) => database(path, "PRAGMA journal_mode = WAL", "CREATE TABLE t (x)"),
    { _tag: "Invalid", field: "path" },
  ],
  [
    "a marked database of another application",
    (path) => database(path, "PRAGMA application_id = 7"),
    { _tag: "Invalid", field: "path" },
  ],
]

for (const [what, make, reason] of strangers) {
  it.live(`leaves a file unchanged that is not a journal: ${what}`, () =>
    Effect.gen(function* () {
      const { directory, path } = yield* workshop
      const file = path("strange.db")
      make(file)
      const before = readFileSync(file)
      for (const readOnly of [false, true]) {
        const error = yield* Effect.flip(visit({ path: file, readOnly }))
        expect(error.reason).toMatchObject(reason)
        expect(error.message).toMatch(/^journal: .*strange\.db was not opened: /)
      }
      expect(readFileSync(file).equals(before)).toBe(true)
      expect(readdirSync(directory)).toEqual(["strange.db"])
    }))
}

it.live("reads and verifies the recorded file of layout 1, and appends to it", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("recorded.db")
    copyFileSync(new URL("./golden/layout-1.db", import.meta.url), file)
    const store = yield* SqliteJournal.openStore({ path: file })
    expect(yield* all(store)).toEqual(goldenRows)
    expect(positionsOf(yield* store.scan({ filter: { correlationId: "c3" }, maxRows: 100 }))).toEqual(upTo(30, 21))
    expect(positionsOf(yield* store.scan({ filter: { tags: ["Asked"] }, maxRows: 100 }))).toHaveLength(21)
    yield* verifyStore(store)
    yield* add(store, 1)
    expect((yield* store.head).position).toBe(301)
  }))

it.live("refuses a later layout, also when another process changes it while the file is open", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 1)
    database(file, "PRAGMA user_version = 99")
    expect(yield* reasonOf(add(store, 1))).toEqual({ _tag: "TooNew", version: 99, known: currentVersion })
    expect(query(file, "SELECT count(*) FROM entries")).toEqual([1])
    for (const readOnly of [false, true]) {
      expect(yield* reasonOf(visit({ path: file, readOnly }))).toEqual({
        _tag: "TooNew",
        version: 99,
        known: currentVersion,
      })
    }
  }))

it.live("refuses a path with a NUL, and one of a directory", () =>
  Effect.gen(function* () {
    const { directory } = yield* workshop
    for (const path of ["", directory, "a\0b", "/dev/null"]) {
      expect(yield* reasonOf(visit({ path }))).toEqual({ _tag: "Invalid", field: "path" })
    }
  }))

it.live("fails with Closed after its Scope was closed", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const store = yield* Effect.scoped(SqliteJournal.openStore({ path: path("journal.db") }))
    for (const each of [store.head, store.size, store.scan({ maxRows: 1 }), add(store, 1)]) {
      expect(yield* reasonOf(Effect.asVoid<unknown, JournalError, never>(each))).toEqual({ _tag: "Closed" })
    }
  }))

it.live("fails with Missing when its file was removed or replaced", () =>
  Effect.gen(function* () {
    const { file } = yield* fresh()
    const store = yield* SqliteJournal.openStore({ path: file })
    rmSync(file)
    expect(yield* reasonOf(add(store, 1))).toEqual({ _tag: "Missing", path: file })
    writeFileSync(file, "")
    expect(yield* reasonOf(add(store, 1))).toEqual({ _tag: "Missing", path: file })
  }))

it.live("is created once by many stores at the same time", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.db")
    const append = Effect.gen(function* () {
      const store = yield* SqliteJournal.openStore({ path: file })
      for (let round = 0; round < 20; round++) {
        yield* store.transact("os", (transaction) => transaction.insert(rowsAfter(transaction.head, 3)))
        yield* Effect.yieldNow
      }
      return store
    })
    const [store] = yield* Effect.all([append, append, append, append], { concurrency: "unbounded" })
    expect(positionsOf(yield* all(store))).toEqual(upTo(240))
  }))
