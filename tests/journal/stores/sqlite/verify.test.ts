import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { copyFileSync, statSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import { hashRow } from "../../../../src/journal/hashChain.ts"
import { workshop } from "../../../support/workshop.ts"
import { query, reasonOf } from "./support.ts"

/** A closed journal of 3 commands, 900 entries, of which the first 300 were pruned. */
const filled = Effect.gen(function* () {
  const { path } = yield* workshop
  const file = path("journal.db")
  yield* Effect.scoped(Effect.gen(function* () {
    const journal = yield* SqliteJournal.make({ path: file })
    for (let n = 0; n < 9; n++) {
      const draft = { branch: `b${n % 2}`, correlationId: `c${n % 3}`, body: { _tag: `T${n % 4}`, text: "x" } }
      yield* journal.append(Array.from({ length: 100 }, () => draft))
    }
    yield* journal.prune({ through: 300, correlationIds: ["c1"] })
  }))
  return file
})

const change = (file: string, ...statements: ReadonlyArray<string>): void => {
  const database = new DatabaseSync(file, { defensive: false } as object)
  for (const sql of statements) database.exec(sql)
  database.close()
}

const verified = (file: string) =>
  Effect.scoped(Effect.flatMap(SqliteJournal.make({ path: file, readOnly: true }), (journal) => journal.verify()))

/** Changes of what finds entries, which their hashes do not cover. */
const attacks: ReadonlyArray<readonly [what: string, ...statements: ReadonlyArray<string>]> = [
  ["marks that are gone", "UPDATE entries SET marks = 0"],
  ["one mark that is gone", "UPDATE entries SET marks = marks & ~1 WHERE position = 601"],
  ["an index that is gone", "DROP INDEX by_tag"],
  [
    "an index over something else",
    "DROP INDEX by_branch",
    "CREATE INDEX by_branch ON entries (branch) WHERE marks & 8",
  ],
  ["a view of something else", "DROP VIEW journal", "CREATE VIEW journal AS SELECT 1 AS position"],
  [
    "a trigger",
    "CREATE TRIGGER hide AFTER INSERT ON entries BEGIN DELETE FROM entries WHERE position = new.position; END",
  ],
  ["an index that keeps entries out", "CREATE UNIQUE INDEX only ON entries (position > 902) WHERE position > 902"],
  ["a view in the place of an index", "DROP INDEX by_tag", "CREATE VIEW by_tag AS SELECT 1"],
  [
    "index rows that are gone",
    "PRAGMA writable_schema = ON",
    "UPDATE sqlite_schema SET sql = replace(sql, 'marks & 2', 'marks & 8') WHERE name = 'by_tag'",
    "PRAGMA writable_schema = RESET",
    "REINDEX by_tag",
    "PRAGMA writable_schema = ON",
    "UPDATE sqlite_schema SET sql = replace(sql, 'marks & 8', 'marks & 2') WHERE name = 'by_tag'",
    "PRAGMA writable_schema = RESET",
  ],
]

for (const [what, ...statements] of attacks) {
  it.live(`finds ${what}, and repairs it`, () =>
    Effect.gen(function* () {
      const file = yield* filled
      const whole = yield* verified(file)
      change(file, ...statements)
      const error = yield* Effect.flip(verified(file))
      expect(error.reason._tag).toBe("Corrupt")
      expect(error.message).toContain("sluice journal repair")
      const report = yield* SqliteJournal.repair({ path: file })
      expect(report.entries).toBe(602)
      expect(yield* verified(file)).toEqual(whole)
      expect(query(file, "PRAGMA integrity_check")).toEqual(["ok"])
      const journal = yield* SqliteJournal.make({ path: file })
      for (const filter of [{ correlationId: "c2" }, { tags: ["T3"] }, { branch: "b1" }]) {
        const found = yield* journal.read({ filter, maxEntries: 1_000 })
        expect(found.length).toBe(filter.tags === undefined && filter.branch === "b1" ? 300 : filter.tags ? 200 : 200)
      }
    }))
}

it.live("finds a change of any column", () =>
  Effect.gen(function* () {
    for (
      const sql of [
        "UPDATE entries SET tag = 'T9' WHERE position = 500",
        "UPDATE entries SET branch = 'other' WHERE position = 500",
        "UPDATE entries SET correlation_id = 'other' WHERE position = 500",
        "UPDATE entries SET version = 2 WHERE position = 500",
        "UPDATE entries SET time = time + 1 WHERE position = 500",
        "DELETE FROM entries WHERE position = 500",
        // Deno's node:sqlite reads a text up to its first zero byte.
        "UPDATE entries SET correlation_id = correlation_id || char(0) || 'x' WHERE position = 500",
        "UPDATE entries SET body = body || char(0) || 'x' WHERE position = 500",
        "UPDATE entries SET hash = hash || char(0) WHERE position = 500",
        // An integer that JavaScript cannot hold.
        "UPDATE entries SET time = 9007199254740993000 WHERE position = 500",
        "UPDATE entries SET position = 9007199254740993000 WHERE position = 902",
      ]
    ) {
      const file = yield* filled
      change(file, sql)
      expect([sql, yield* reasonOf(verified(file))]).toMatchObject([sql, { _tag: "Corrupt" }])
    }
  }))

it.live("reports its repairs, and restores the position where the journal begins", () =>
  Effect.gen(function* () {
    const file = yield* filled
    expect(yield* SqliteJournal.repair({ path: file })).toEqual({ entries: 602, marks: 2, objects: [] })
    expect(yield* SqliteJournal.repair({ path: file })).toEqual({ entries: 602, marks: 0, objects: [] })
    change(file, "DELETE FROM meta", "DROP INDEX by_tag", "UPDATE entries SET marks = 7 WHERE position IN (402, 403)")
    expect(yield* SqliteJournal.repair({ path: file })).toEqual({ entries: 602, marks: 2, objects: ["by_tag"] })
    expect(yield* verified(file)).toMatchObject({ removedThrough: 300 })
  }))

it.live("leaves a file that it cannot repair unchanged, and names salvage", () =>
  Effect.gen(function* () {
    const file = yield* filled
    change(file, "ALTER TABLE entries ADD COLUMN more TEXT")
    const error = yield* Effect.flip(SqliteJournal.repair({ path: file }))
    expect(error.reason._tag).toBe("Corrupt")
    expect(error.message).toContain("sluice journal salvage")
    expect(query(file, "SELECT count(*) FROM entries")).toEqual([602])
  }))

it.live("does not drop a table with the name of an index, and advises to rename it", () =>
  Effect.gen(function* () {
    const file = yield* filled
    change(file, "DROP INDEX by_tag", "CREATE TABLE by_tag (x TEXT)")
    const error = yield* Effect.flip(SqliteJournal.repair({ path: file }))
    expect(error.message).toContain(`"by_tag" is a table`)
    expect(query(file, "SELECT count(*) FROM by_tag")).toEqual([0])
  }))

it.live("does not create a journal in an empty or truncated file", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    for (const length of [0, 100]) {
      const file = path(`${length}.db`)
      writeFileSync(file, "SQLite format 3\0".padEnd(length, "x").slice(0, length))
      expect((yield* Effect.flip(SqliteJournal.repair({ path: file }))).reason._tag).toBe(
        length === 0 ? "Missing" : "Corrupt",
      )
      expect(statSync(file).size).toBe(length)
    }
  }))

it.live("finds rows that were changed, cut behind a zero byte, or written anew with their hash", () =>
  Effect.gen(function* () {
    const file = yield* filled
    const { path } = yield* workshop
    const hashAt = (at: number): string => String(query(file, `SELECT hash FROM entries WHERE position = ${at}`)[0])
    const row = { position: 850, time: 1, branch: "b", correlationId: "c", version: 1, body: `{"_tag":"T"}` }
    const anew = hashRow(hashAt(849), { ...row, tag: "T" })
    let copies = 0
    for (
      const [what, statement] of [
        ["entry 850 does", "SET body = replace(body, 'T', 'U') WHERE position = 850"],
        ["entry 850 does", "SET tag = 'U' WHERE position = 850"],
        ["entry 850 does", `SET hash = '${"0".repeat(64)}' WHERE position = 850`],
        ["entry 850 does", "SET body = '' WHERE position = 850"],
        // Deno's node:sqlite reads a text up to its first zero byte.
        ["entry 850 ", "SET tag = tag || char(0) WHERE position = 850"],
        ["entry 850 ", "SET body = body || char(0) || 'x' WHERE position = 850"],
        [
          "entry 851 does",
          `SET time = 1, branch = 'b', correlation_id = 'c', tag = 'T', version = 1, body = '${row.body}',
            hash = '${anew}', marks = 7 WHERE position = 850`,
        ],
      ] as const
    ) {
      const copy = path(`copy-${copies++}.db`)
      copyFileSync(file, copy)
      change(copy, `UPDATE entries ${statement}`)
      expect((yield* Effect.flip(verified(copy))).message).toContain(what)
    }
  }))
