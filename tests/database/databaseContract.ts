/** Tests every service of the Database branch over a real database. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  Database,
  DatabaseExecute,
  type DatabaseFault,
  DatabaseQuery,
  type DatabaseValue,
} from "../../src/database/mod.ts"

/** One database, empty at first, that several services may be opened over. */
export interface Place {
  /** A service with limits of rows and bytes. */
  readonly layer: (limits?: { readonly maxRows?: number; readonly maxBytes?: number }) => Layer.Layer<Database, unknown>
  readonly dispose: () => Promise<void>
}

/** What differs in SQL. */
export interface Dialect {
  readonly bytes: string
  readonly json: string
  /** A query whose third row fails. */
  readonly failingRow: string
  /** 1 to n. */
  readonly series: (n: number) => string
}

export const sqlite: Dialect = {
  bytes: "blob",
  json: "text",
  failingRow: "SELECT CASE n WHEN 3 THEN abs(-9223372036854775808) ELSE n END AS n FROM (%) AS s",
  series: (n) => `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${n}) SELECT n FROM s`,
}

export const postgres: Dialect = {
  bytes: "bytea",
  json: "jsonb",
  failingRow: "SELECT 6 / (3 - n) AS n FROM (%) AS s",
  series: (n) => `SELECT n FROM generate_series(1, ${n}) AS n`,
}

const kindOf = <A, R>(program: Effect.Effect<A, DatabaseFault, R>) =>
  Effect.map(Effect.flip(program), ({ faultKind }) => faultKind)

export const databaseContract = (name: string, dialect: Dialect, open: () => Promise<Place>): void => {
  const test = (
    title: string,
    program: () => Effect.Effect<unknown, unknown, Database>,
    limits?: Parameters<Place["layer"]>[0],
  ) =>
    it(title, async () => {
      const place = await open()
      try {
        await Effect.runPromise(Effect.provide(Effect.suspend(program), place.layer(limits)))
      } finally {
        await place.dispose()
      }
    })

  /** Rows of n, from a table. */
  const table = Database.transaction(["CREATE TABLE t (n integer PRIMARY KEY, name text)"])
  const names = Effect.map(Database.query("SELECT n FROM t ORDER BY n"), (rows) => rows.map(({ n }) => n))

  describe(`${name}: the contract of databases`, () => {
    test("keeps the types of values, as parameters and as cells", () =>
      Effect.gen(function* () {
        const { bytes, json } = dialect
        yield* Database.execute(
          `CREATE TABLE v (id integer, i bigint, f double precision, s text, b ${bytes}, j ${json}, l boolean)`,
        )
        const rows: ReadonlyArray<ReadonlyArray<DatabaseValue>> = [
          [1, 7, 1.5, "ä 🚀 'quoted' \\ \"", new Uint8Array([0, 255, 10]), { json: { a: [1, null, "x"] } }, true],
          [2, 2n ** 62n, -1e300, "", new Uint8Array(0), { json: [] }, false],
          [3, -(2n ** 63n), Infinity, "null", new Uint8Array([1]), { json: null }, null],
          [4, null, null, null, null, null, null],
        ]
        for (const row of rows) {
          const { affectedRows } = yield* Database.execute("INSERT INTO v VALUES ($1, $2, $3, $4, $5, $6, $7)", row)
          expect(affectedRows).toBe(1)
        }
        const service = yield* Database
        const events = yield* Stream.runCollect(
          service.request(DatabaseQuery.make({ correlationId: "q1", sql: "SELECT * FROM v ORDER BY id" })),
        )
        const isSqlite = dialect === sqlite
        expect(events.filter(({ _tag }) => _tag === "DatabaseRows")).toEqual([{
          _tag: "DatabaseRows",
          correlationId: "q1",
          columns: ["id", "i", "f", "s", "b", "j", "l"],
          // SQLite has neither booleans nor JSON.
          rows: rows.map((row) =>
            row.map((value, at) =>
              !isSqlite
                ? value
                : at === 5 && value !== null && typeof value === "object" && "json" in value
                ? JSON.stringify(value.json)
                : typeof value === "boolean"
                ? Number(value)
                : value
            )
          ),
        }])
      }))

    test("names the columns of an empty result, and returns rows by the names of their columns", () =>
      Effect.gen(function* () {
        yield* table
        const service = yield* Database
        const events = yield* Stream.runCollect(service.request(DatabaseQuery.make({ sql: "SELECT name, n FROM t" })))
        expect(events[0]).toMatchObject({ columns: ["name", "n"], rows: [] })
        yield* Database.execute("INSERT INTO t VALUES (1, 'one')")
        expect(yield* Database.query("SELECT name, n AS number FROM t WHERE n = $1;", [1])).toEqual([
          { name: "one", number: 1 },
        ])
        // Both cells of columns with one name are in the rows.
        const both = yield* Stream.runHead(service.request(DatabaseQuery.make({ sql: "SELECT 1 AS a, 2 AS a -- c" })))
        expect(both).toMatchObject({ value: { columns: ["a", "a"], rows: [[1, 2]] } })
      }))

    test("counts changed rows, and returns the rows of RETURNING", () =>
      Effect.gen(function* () {
        yield* table
        const inserted = yield* Database.execute("INSERT INTO t VALUES ($1, 'a'), ($2, 'b') RETURNING n, name", [1, 2])
        expect(inserted).toMatchObject({ affectedRows: 2, columns: ["n", "name"], rows: [[1, "a"], [2, "b"]] })
        expect((yield* Database.execute("UPDATE t SET name = 'c' WHERE n > $1", [0])).affectedRows).toBe(2)
        expect((yield* Database.execute("DELETE FROM t WHERE n = $1", [9])).affectedRows).toBe(0)
        expect((yield* Database.execute("CREATE TABLE u (n integer)")).affectedRows).toBe(0)
      }))

    test("runs all statements of a transaction, or none", () =>
      Effect.gen(function* () {
        yield* table
        const { results } = yield* Database.transaction([
          ["INSERT INTO t VALUES ($1, 'a')", [1]],
          "UPDATE t SET name = 'b' RETURNING name",
          "CREATE TABLE u (n integer)",
        ])
        expect(results).toEqual([
          { affectedRows: 1, columns: [], rows: [] },
          { affectedRows: 1, columns: ["name"], rows: [["b"]] },
          { affectedRows: 0, columns: [], rows: [] },
        ])
        const fault = yield* Effect.flip(
          Database.transaction(["INSERT INTO t VALUES (2, 'a')", "DROP TABLE u", "INSERT INTO t VALUES (1, 'a')"]),
        )
        expect(fault).toMatchObject({ faultKind: "Constraint", statement: 2 })
        expect(fault.code).toMatch(/^(23505|SQLITE_CONSTRAINT)$/)
        expect(fault.message).toMatch(/^database transaction, statement 3: .*(unique|UNIQUE)/)
        expect([yield* names, yield* Database.query("SELECT n FROM u")]).toEqual([[1], []])
      }))

    test("refuses statements that would end the transaction, and more than one statement", () =>
      Effect.gen(function* () {
        yield* table
        const insert = "INSERT INTO t VALUES (1, 'a')"
        for (
          const trick of [
            ...[
              "COMMIT",
              "commit;",
              "  \n-- c\n/* /* nested */ */ ;;COMMIT",
              "END",
              "ROLLBACK",
              "BEGIN",
              "SAVEPOINT x",
            ],
            ...["START TRANSACTION", "ABORT", "RELEASE x", "PREPARE TRANSACTION 'x'", "ROLLBACK TO SAVEPOINT x"],
            ...["COMMIT; INSERT INTO t VALUES (3, 'c')", `${insert}; COMMIT`, `${insert};${insert}`],
          ]
        ) {
          const kinds = [
            yield* kindOf(Database.transaction([insert, trick, "INSERT INTO t VALUES (2, 'b')"])),
            yield* kindOf(Database.execute(trick)),
          ]
          for (const kind of kinds) {
            expect([trick, kind]).toEqual([trick, expect.stringMatching(/^(InvalidRequest|Syntax|NotAllowed)$/)])
          }
        }
        expect(yield* names).toEqual([])
      }))

    test("reads comments as the database does, each in one pass", () =>
      Effect.gen(function* () {
        yield* table
        const ones = [
          ...[
            "/* all users */ SELECT 1 AS a",
            "SELECT 1 AS a; /* b */ -- c",
            `-- ${"-".repeat(60)}\n-- Users\nSELECT 1 AS a`,
          ],
          ...[`${"/**/".repeat(50)}SELECT 1 AS a`, `SELECT 1 AS a ${"/* - */ -- -\n".repeat(10_000)}`],
        ]
        for (const sql of ones) expect([sql, yield* Database.query(sql)]).toEqual([sql, [{ a: 1 }]])
        const insert = "INSERT INTO t VALUES (1, 'a')"
        for (const end of ["/* and */ INSERT INTO t VALUES (2, 'b')", "-- and\nINSERT INTO t VALUES (2, 'b')"]) {
          expect([end, yield* kindOf(Database.execute(`${insert}; ${end}`))]).toEqual([end, "Syntax"])
        }
        for (const nothing of ["", ";", "--", "-- SELECT 1", "/* SELECT 1 */", " ;; \n"]) {
          expect([nothing, yield* kindOf(Database.query(nothing))]).toEqual([nothing, "Syntax"])
        }
        expect(yield* names).toEqual([])
      }))

    test("refuses SQL of more than a mebibyte, and a NUL in it", () =>
      Effect.gen(function* () {
        const long = `SELECT '${"x".repeat(1_048_576)}'`
        const isTooLarge = { faultKind: "TooLarge", message: expect.stringContaining("1048576") }
        const { faultKind, message } = yield* Effect.flip(Database.query(long))
        expect({ faultKind, message }).toEqual(isTooLarge)
        expect(yield* Effect.flip(Database.execute(long))).toMatchObject(isTooLarge)
        expect(yield* Effect.flip(Database.transaction(["SELECT 1", long]))).toMatchObject({
          ...isTooLarge,
          statement: 1,
        })
        expect(yield* kindOf(Database.query("SELECT 1\0; DELETE FROM t"))).toBe("Syntax")
      }))

    test("refuses JSON of more than 128 levels as a parameter", () =>
      Effect.gen(function* () {
        yield* Database.execute(`CREATE TABLE v (id integer, j ${dialect.json})`)
        const insert = (levels: number) => {
          let json: Schema.Json = []
          for (let level = 1; level < levels; level++) json = [json]
          return Database.execute("INSERT INTO v VALUES (1, $1)", [{ json }])
        }
        expect((yield* insert(128)).affectedRows).toBe(1)
        for (const levels of [129, 1_000]) expect(yield* kindOf(insert(levels))).toBe("InvalidRequest")
      }))

    test("a query cannot change anything, however it is written", () =>
      Effect.gen(function* () {
        yield* table
        yield* Database.execute("INSERT INTO t VALUES (1, 'a')")
        for (
          const attack of [
            ...["DELETE FROM t", "INSERT INTO t VALUES (2, 'b')", "UPDATE t SET n = 5", "DROP TABLE t"],
            ...["SELECT 1; DELETE FROM t", "SELECT 1; COMMIT; DELETE FROM t", "COMMIT; DELETE FROM t", "COMMIT", "END"],
            ...[
              "CREATE TABLE x (n integer)",
              "DELETE FROM t RETURNING n",
              "ROLLBACK",
              "/**/;DELETE FROM t",
              "ALTER TABLE t RENAME TO u",
            ],
            ...["WITH d AS (DELETE FROM t RETURNING n) SELECT * FROM d", "VACUUM", "ANALYZE"],
          ]
        ) {
          expect([attack, yield* kindOf(Database.query(attack))]).toEqual([
            attack,
            expect.stringMatching(/^(ReadOnly|Syntax|NotAllowed)$/),
          ])
        }
        expect(yield* Database.query("SELECT n, name FROM t")).toEqual([{ n: 1, name: "a" }])
      }))

    test("has a fault for each mistake, with the words of the database", () =>
      Effect.gen(function* () {
        yield* table
        const syntax = yield* Effect.flip(Database.query("SELEKT 1"))
        expect(syntax).toMatchObject({ faultKind: "Syntax", code: expect.stringMatching(/^(42601|SQLITE_ERROR)$/) })
        expect(syntax.message).toContain("SELEKT")
        expect(yield* kindOf(Database.query("SELECT * FROM missing"))).toBe("Syntax")
        expect(yield* kindOf(Database.execute("INSERT INTO missing VALUES (1)"))).toBe("Syntax")
        expect(yield* kindOf(Database.query(""))).toBe("Syntax")
        expect(yield* kindOf(Database.query("SELECT n FROM t WHERE n = $1"))).toBe("InvalidRequest")
        expect(yield* kindOf(Database.execute("DELETE FROM t WHERE n = $1 OR name = $2", [1]))).toBe("InvalidRequest")
        const constraint = yield* Effect.flip(Database.execute("INSERT INTO t VALUES (1, 'a'), (1, 'b')"))
        expect(constraint).toMatchObject({ faultKind: "Constraint" })
        expect(yield* names).toEqual([])
      }))

    test("a row that fails is a fault, not the end", () =>
      Effect.gen(function* () {
        const fault = yield* Effect.flip(Database.query(dialect.failingRow.replace("%", dialect.series(5))))
        expect(fault.faultKind).toMatch(/^(Failed|InvalidRequest)$/)
      }))

    test("gives many rows in order, in pieces", () =>
      Effect.gen(function* () {
        const service = yield* Database
        const pieces = yield* Stream.runCollect(
          service.request(DatabaseQuery.make({ sql: `${dialect.series(5_000)} ORDER BY n` })),
        )
        expect(pieces.length).toBeGreaterThan(10)
        const rows = pieces.flatMap((piece) => piece._tag === "DatabaseRows" ? piece.rows.map(([n]) => n) : [])
        expect(rows).toEqual(Array.from({ length: 5_000 }, (_, index) => index + 1))
      }))

    test("ends a query when no more rows are read", () =>
      Effect.gen(function* () {
        const some = yield* Stream.runCollect(Stream.take(Database.stream(dialect.series(10_000_000)), 3))
        expect(some.map(({ n }) => n)).toEqual([1, 2, 3])
        // The file, and the connection, are free again.
        yield* table
        yield* Database.execute("DROP TABLE t")
      }))

    test(
      "fails where there are more rows or bytes than allowed, and changes nothing then",
      () =>
        Effect.gen(function* () {
          const many = dialect.series(11)
          expect(yield* kindOf(Database.query(many))).toBe("TooLarge")
          expect((yield* Database.query(dialect.series(10))).length).toBe(10)
          expect(yield* kindOf(Database.query(dialect.series(10), [], { maxRows: 9 }))).toBe("TooLarge")
          expect(yield* kindOf(Database.query("SELECT $1 AS x", ["x".repeat(100)], { maxBytes: 100 }))).toBe("TooLarge")
          yield* table
          const insert = `INSERT INTO t SELECT n, 'a' FROM (${many}) AS s WHERE true RETURNING n`
          expect(yield* kindOf(Database.execute(insert))).toBe("TooLarge")
          expect(yield* names).toEqual([])
        }),
      { maxRows: 10 },
    )

    test("fails at its timeout", () =>
      Effect.gen(function* () {
        const slow = Stream.runDrain(Database.stream(dialect.series(100_000_000), [], { timeout: "300 millis" }))
        const fault = yield* Effect.flip(slow)
        expect([fault.faultKind, fault.message]).toEqual(["Timeout", "database query: it took longer than 300 ms"])
      }), { maxRows: 1_000_000_000, maxBytes: 1_000_000_000 })

    test("many callers at once: each change happens once", () =>
      Effect.gen(function* () {
        yield* Database.execute("CREATE TABLE hits (n integer)")
        const ids = Array.from({ length: 60 }, (_, index) => index)
        yield* Effect.forEach(ids, (n): Effect.Effect<unknown, DatabaseFault, Database> =>
          n % 3 === 0
            ? Database.query("SELECT count(*) AS c FROM hits")
            : n % 3 === 1
            ? Database.execute("INSERT INTO hits VALUES ($1)", [n])
            : Database.transaction([["INSERT INTO hits VALUES ($1)", [n]], "SELECT count(*) FROM hits"]), {
          concurrency: 8,
        })
        const rows = yield* Database.query("SELECT n, count(*) AS c FROM hits GROUP BY n ORDER BY n")
        expect(rows).toEqual(
          ids.filter((n) =>
            n % 3 !== 0
          ).map((n) => ({ n, c: 1 })),
        )
      }))

    test("a request has its own id", () =>
      Effect.gen(function* () {
        const service = yield* Database
        const request = DatabaseExecute.make({ correlationId: "e1", sql: "SELEKT" })
        const fault = yield* Effect.flip(Stream.runDrain(service.request(request)))
        expect(fault).toMatchObject({ _tag: "DatabaseFault", correlationId: "e1" })
      }))
  })
}
