import { expect, it } from "vitest"
import { nodeBuiltins } from "../../src/base/nodeBuiltins.ts"
import { findSqlite } from "../../src/sql/nodeSqlite.ts"
import { numberParameters, sqliteDialect, statementStart } from "../../src/database/sqlScanner.ts"
import { forSeeds } from "../support/random.ts"

const { DatabaseSync } = findSqlite(nodeBuiltins()) ?? {}

const pieces = [
  ...[" ", "\n", "\r", "\t", "\f", "\v", "\u00A0", "\uFEFF", ";", "-", "--", "-- a", "---- b\n", "/", "*", "/*", "*/"],
  ...[
    "/**/",
    "/***/",
    "/*/",
    "/* a */",
    "/* 'b */",
    "'",
    '"',
    "`",
    "[",
    "]",
    "''",
    "'a'",
    '"b"',
    "[c]",
    "$1",
    "$2",
    "?3",
  ],
  ...[
    "$a",
    ":b",
    "@c",
    "::",
    "(",
    ")",
    "1",
    "x",
    "é",
    "x$1",
    "é$1",
    "1$1",
    "x'00'",
    "SELECT",
    "SELECT 1",
    "SELECT $1;",
  ],
]

it.runIf(DatabaseSync !== undefined)("finds where a statement starts as SQLite does", () => {
  if (DatabaseSync === undefined) throw new Error("no node:sqlite")
  const database = new DatabaseSync(":memory:")
  // A statement behind the pieces is one that SQLite reads, and nothing is read where there is none.
  const reads = (sql: string): boolean => {
    database.exec("PRAGMA user_version = 0")
    try {
      database.exec(`${sql}\nPRAGMA user_version = 1`)
    } catch {
      return false
    }
    return Object.values(database.prepare("PRAGMA user_version").get() ?? []).map(Number)[0] === 1
  }
  forSeeds(10_000, ({ int, pick }) => {
    const sql = Array.from({ length: int(1, 6) }, () => pick(pieces)).join("")
    // Behind a line end the PRAGMA begins: `sql` is blank exactly where SQLite reads it.
    const isBlank = statementStart(sqliteDialect, `${sql}\n`) > sql.length
    const isUnclosed = isBlank && statementStart(sqliteDialect, `${sql}\nX`) > sql.length + 1
    const isTerminated = !isBlank && reads(sql)
    if (isTerminated) expect([sql, /SELECT [1$][^]*;/.test(sql)]).toEqual([sql, true])
    else expect([sql, reads(sql)]).toEqual([sql, isBlank && !isUnclosed])
  })
  database.close()
})

it.runIf(DatabaseSync !== undefined)("numbers the parameters that SQLite reads, and changes nothing else", () => {
  if (DatabaseSync === undefined) throw new Error("no node:sqlite")
  const database = new DatabaseSync(":memory:")
  const isRight = (sql: string): boolean => {
    try {
      database.prepare(`EXPLAIN ${sql}`)
      return true
    } catch {
      return false
    }
  }
  /** The number of times that the program of a statement reads a parameter, and its texts. */
  const variables = (sql: string) =>
    database.prepare(`EXPLAIN ${sql}`).all().flatMap((step) => {
      const [opcode, text] = [Reflect.get(step, "opcode"), Reflect.get(step, "p4")]
      return opcode === "Variable" ? ["Variable"] : opcode === "String8" ? [text] : []
    })
  let compared = 0
  forSeeds(10_000, ({ int, pick }) => {
    const made = `SELECT ${Array.from({ length: int(1, 6) }, () => pick(pieces)).join("")}`
    const sql = made.replace(/;[^]*/, "")
    const numbered = numberParameters(sql)
    expect(numbered.length).toBe(sql.length)
    for (let at = 0; at < sql.length; at++) {
      if (sql[at] !== numbered[at]) expect([sql[at], numbered[at]]).toEqual(["$", "?"])
    }
    if (!isRight(sql) || sql === numbered) return
    compared++
    // Within a name, a text or a comment it would be another character only; SQLite's own count tells these apart.
    expect([sql, isRight(numbered), variables(numbered)]).toEqual([sql, true, variables(sql)])
  })
  expect(compared).toBeGreaterThan(20)
  database.close()
})

it.each([
  [
    "SELECT $1, '$1', \"$1\", `$1`, [$1] -- $1\n/* $1 */, $2",
    "SELECT ?1, '$1', \"$1\", `$1`, [$1] -- $1\n/* $1 */, ?2",
  ],
  ["SELECT é$1, a$1, $1a, $1::b, $a($1, :$1, @$1", "SELECT é$1, a$1, $1a, $1::b, $a(?1, :$1, @$1"],
  ["SELECT 'it''s $1', $1", "SELECT 'it''s $1', ?1"],
  ["\uFEFFSELECT \uFEFF$1", "\uFEFFSELECT \uFEFF?1"],
])("numbers the parameters of %j", (sql, numbered) => {
  expect(numberParameters(sql)).toBe(numbered)
})

it.each(["[", "'", "/*", "--", "-- ", "/**/", "$1", "/*/", "\n", "- "])(
  "reads a megabyte of %j in one pass",
  (piece) => {
    const sql = piece.repeat(1_000_000 / piece.length)
    expect(statementStart(sqliteDialect, sql)).toBeLessThanOrEqual(sql.length)
    expect(numberParameters(sql).length).toBe(sql.length)
  },
)
