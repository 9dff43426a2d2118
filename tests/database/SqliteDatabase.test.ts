import { beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { nodeBuiltins } from "../../src/base/nodeBuiltins.ts"
import { findSqlite } from "../../src/sql/nodeSqlite.ts"
import { serviceLayers } from "../../src/branch/mod.ts"
import { Database, DatabaseBranch, SqliteDatabase } from "../../src/database/mod.ts"
import { MemoryJournal } from "../../src/journal/Journal.ts"
import { bundled } from "../support/bundled.ts"
import { databaseContract, type Place, sqlite } from "./databaseContract.ts"

const { DatabaseSync } = findSqlite(nodeBuiltins()) ?? {}
/** Node 22.19 has no authorizer. */
const canRun = DatabaseSync !== undefined && "setAuthorizer" in DatabaseSync.prototype

const { client, daemon, journaled } = serviceLayers(DatabaseBranch, Database)

type Leaf = Layer.Layer<Database, unknown>

const place = (over: (leaf: Leaf) => Leaf = (leaf) => leaf) => (): Promise<Place> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-database-"))
  return Promise.resolve({
    layer: (limits = {}) => over(SqliteDatabase.layer({ path: join(folder, "a.db"), ...limits })),
    dispose: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  })
}

describe.runIf(canRun)("SQLite", () => {
  databaseContract("a file", sqlite, place())
  databaseContract(
    "a journaled file",
    sqlite,
    place((leaf) => Layer.provide(journaled, Layer.merge(leaf, MemoryJournal.layer))),
  )
  databaseContract(
    "the client of a daemon",
    sqlite,
    place((leaf) => client.pipe(Layer.merge(daemon.pipe(Layer.provide(leaf))), Layer.provide(MemoryJournal.layer))),
  )

  /** A folder with a database, `a.db`, that has a table of one row. */
  const withFile = async (use: (folder: string, path: string) => Promise<void> | void) => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-database-"))
    const path = join(folder, "a.db")
    try {
      await Effect.runPromise(
        Effect.provide(
          Database.transaction(["CREATE TABLE t (n integer, s text)", "INSERT INTO t VALUES (1, 'one')"]),
          SqliteDatabase.layer({ path }),
        ),
      )
      await use(folder, path)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  /** The faults of a statement in a request of each kind. */
  const everyWay = (sql: string) =>
    Effect.all([
      Effect.flip(Database.query(sql)),
      Effect.flip(Database.execute(sql)),
      Effect.flip(Database.transaction(["SELECT 1", sql])),
    ])

  const attacks = (folder: string): ReadonlyArray<string> =>
    [
      `ATTACH '${folder}/b.db' AS b`,
      `ATTACH 'file:${folder}/b.db?mode=rwc' AS b`,
      "DETACH main",
      `VACUUM INTO '${folder}/b.db'`,
      "SELECT load_extension('x')",
      "SELECT LOAD_EXTENSION('x', 'y')",
      `SELECT writefile('${folder}/b.db', 'x')`,
      "SELECT fts3_tokenizer('simple')",
      ...["query_only = 0", "query_only(0)", "writable_schema = 1", "journal_mode = WAL", "journal_mode = DELETE"],
      ...[`temp_store_directory = '${folder}'`, "synchronous = OFF", "foreign_keys = OFF", "trusted_schema = 1"],
      ...["wal_checkpoint(TRUNCATE)", "locking_mode = EXCLUSIVE", "mmap_size = 1000000000", "main.query_only = 0"],
    ].map((attack) => /^[a-z_.]+( = |\()/.test(attack) ? `PRAGMA ${attack}` : attack)

  it("reaches no other file, and no setting, by a request of any kind", () =>
    withFile(async (folder, path) => {
      const before = readFileSync(path)
      const secret = join(folder, "secret.db")
      await Effect.runPromise(
        Effect.provide(Database.execute("CREATE TABLE s (x)"), SqliteDatabase.layer({ path: secret })),
      )
      for (const readOnly of [false, true]) {
        const program = Effect.forEach([...attacks(folder), `ATTACH '${secret}' AS s`], (sql) =>
          Effect.gen(function* () {
            for (const { faultKind } of yield* everyWay(sql)) {
              expect([sql, faultKind]).toEqual([sql, expect.stringMatching(/^(NotAllowed|ReadOnly|Syntax|Failed)$/)])
            }
          }))
        await Effect.runPromise(Effect.provide(program, SqliteDatabase.layer({ path, readOnly })))
      }
      expect(readdirSync(folder).sort()).toEqual(["a.db", "secret.db"])
      expect(readFileSync(path)).toEqual(before)
    }))

  it("sets the two pragmas that are data of the file, only by a change", () =>
    withFile((_, path) => {
      const program = Effect.forEach(["user_version", "application_id"], (name) =>
        Effect.gen(function* () {
          const set = `PRAGMA ${name} = 7`
          expect((yield* Effect.flip(Database.query(set))).faultKind).toBe("ReadOnly")
          expect((yield* Effect.flip(Database.transaction([set, "SELEKT"]))).faultKind).toBe("Syntax")
          expect(yield* Database.query(`PRAGMA ${name}`)).toEqual([{ [name]: 0 }])
          yield* Database.execute(set)
          expect(yield* Database.query(`PRAGMA ${name}`)).toEqual([{ [name]: 7 }])
        }))
      return Effect.runPromise(Effect.asVoid(Effect.provide(program, SqliteDatabase.layer({ path }))))
    }))

  it("these attacks work where they are not refused", () =>
    withFile((folder, path) => {
      if (DatabaseSync === undefined) throw new Error("no node:sqlite")
      const database = new DatabaseSync(path)
      database.exec(`VACUUM INTO '${folder}/b.db'`)
      database.exec(`ATTACH '${folder}/c.db' AS c`)
      database.exec("CREATE TABLE c.x (n)")
      database.close()
      expect([existsSync(join(folder, "b.db")), existsSync(join(folder, "c.db"))]).toEqual([true, true])
    }))

  it("a read-only leaf changes nothing, in a file that could be written", () =>
    withFile(async (_, path) => {
      const before = readFileSync(path)
      const program = Effect.gen(function* () {
        for (const sql of ["DELETE FROM t", "DROP TABLE t", "CREATE TABLE u (n)", "PRAGMA user_version = 7"]) {
          for (const { faultKind } of yield* everyWay(sql)) expect(faultKind).toBe("ReadOnly")
        }
        expect(yield* Database.query("SELECT name FROM pragma_table_info('t')")).toEqual([{ name: "n" }, { name: "s" }])
        expect((yield* Database.query("PRAGMA table_info(t)")).length).toBe(2)
        expect((yield* Database.query("EXPLAIN QUERY PLAN SELECT * FROM t WHERE n = $1", [1])).length).toBe(1)
      })
      await Effect.runPromise(Effect.provide(program, SqliteDatabase.layer({ path, readOnly: true })))
      expect(readFileSync(path)).toEqual(before)
    }))

  it("needs an existing file to read, and creates one to write", () =>
    withFile(async (folder) => {
      const path = join(folder, "new.db")
      const opened = (readOnly: boolean) => Effect.scoped(SqliteDatabase.make({ path, readOnly }))
      const error = await Effect.runPromise(Effect.flip(opened(true)))
      expect([error.option, error.message]).toEqual(["path", expect.stringContaining("new.db was not opened")])
      await Effect.runPromise(opened(false))
      expect(existsSync(path)).toBe(true)
      for (const wrong of [{ path: "" }, { path: ":memory:" }, { path, maxRows: 0 }, { path, timeout: 0 }]) {
        const { _tag } = await Effect.runPromise(Effect.flip(Effect.scoped(SqliteDatabase.make(wrong))))
        expect(_tag).toBe("OptionError")
      }
    }))

  it("lets other fibers and timers run between rows, and is interrupted between them", () =>
    withFile(async (_, path) => {
      const program = Effect.gen(function* () {
        let beats = 0
        const timer = setInterval(() => beats++, 1)
        const running = yield* Effect.forkChild(
          Stream.runDrain(Database.stream(sqlite.series(100_000_000), [], { timeout: "1 minute" })),
        )
        while (beats < 20) yield* Effect.sleep("5 millis")
        yield* Fiber.interrupt(running)
        clearInterval(timer)
        // Its connection is closed: nothing holds the file.
        expect((yield* Database.execute("DROP TABLE t")).affectedRows).toBe(0)
      })
      const leaf = SqliteDatabase.layer({ path, maxRows: 1_000_000_000, maxBytes: Infinity })
      await Effect.runPromise(Effect.provide(program, leaf))
    }))

  it("waits for the lock of another connection, and is busy when its time is over", () =>
    withFile(async (_, path) => {
      if (DatabaseSync === undefined) throw new Error("no node:sqlite")
      const other = new DatabaseSync(path)
      other.exec("BEGIN EXCLUSIVE")
      const insert = "INSERT INTO t VALUES (2, 'two')"
      const program = Effect.gen(function* () {
        const busy = yield* Effect.flip(Database.execute(insert, [], { timeout: 100 }))
        expect(busy.faultKind).toMatch(/^(Busy|Timeout)$/)
        expect((yield* Effect.flip(Database.query("SELECT 1 FROM t", [], { timeout: 100 }))).faultKind)
          .toMatch(/^(Busy|Timeout)$/)
        const waiting = yield* Effect.forkChild(Database.execute(insert))
        yield* Effect.sleep("50 millis")
        other.exec("COMMIT")
        expect((yield* Fiber.join(waiting)).affectedRows).toBe(1)
        expect(yield* Database.query("SELECT n FROM t ORDER BY n")).toEqual([{ n: 1 }, { n: 2 }])
      })
      await Effect.runPromise(Effect.provide(program, SqliteDatabase.layer({ path })))
      other.close()
    }))

  it("refuses values that SQLite would change", () =>
    withFile(async (_, path) => {
      const program = Effect.gen(function* () {
        for (const value of [NaN, 2n ** 63n, -(2n ** 64n)]) {
          expect((yield* Effect.flip(Database.query("SELECT $1", [value]))).faultKind).toBe("InvalidRequest")
        }
        expect((yield* Effect.flip(Database.query("SELECT $1", [1, 2]))).faultKind).toBe("InvalidRequest")
        expect(yield* Database.query('SELECT \'$1\' AS a, "$2" AS b, ? AS c /* $3 */ FROM (SELECT 1 AS "$2")', [7]))
          .toEqual([{ a: "$1", b: 1, c: 7 }])
        const [row] = yield* Database.query("SELECT typeof($1) AS a, typeof($2) AS b, typeof($3) AS c", [1, 1.5, true])
        expect(row).toEqual({ a: "integer", b: "real", c: "integer" })
        expect((yield* Effect.flip(Database.query("SELECT zeroblob(500000000)"))).faultKind)
          // Deno does not tell why a row failed.
          .toMatch(/^(TooLarge|Failed)$/)
      })
      await Effect.runPromise(Effect.provide(program, SqliteDatabase.layer({ path })))
    }))

  const printed = Schema.decodeUnknownSync(
    Schema.fromJsonString(Schema.Struct({ faultKind: Schema.String, peakKilobytes: Schema.Number })),
  )
  let program = ""
  beforeAll(async () => {
    program = await bundled("tests/database/wideRow.ts")
  })
  /** The fault of a statement, and the most memory of a process that runs it. */
  const runAlone = async (path: string, kind: "query" | "execute", sql: string) => {
    const before = "Deno" in globalThis ? ["run", "-A"] : []
    const { stdout } = await promisify(execFile)(process.execPath, [...before, program, path, kind, sql])
    return printed(stdout)
  }
  const times = (count: number, sql: string): string => Array.from({ length: count }, () => sql).join()

  it.runIf(existsSync("/proc/self/status"))(
    "bounds the memory of one row, of its values and of many",
    () =>
      withFile(async (_, path) => {
        const big = "zeroblob(4190000)"
        const idle = (await runAlone(path, "query", "SELECT 1")).peakKilobytes
        for (
          const [kind, sql] of [
            ["query", `SELECT ${times(150, big)}`],
            ["query", `SELECT ${times(150, "b")} FROM (SELECT randomblob(4190000) AS b)`],
            ["query", `SELECT ${times(150, "printf('%.*c', 4190000, 'x')")}`],
            ["query", `SELECT max(${times(150, "printf('%.*c', 4190000, 'x')")}) > ''`],
            ["query", `SELECT ${big} FROM (${sqlite.series(150)})`],
            ["query", `SELECT ${big} FROM (${sqlite.series(150)}) /* not closed`],
            ["execute", `INSERT INTO t SELECT n, 'a' FROM (${sqlite.series(150)}) WHERE true RETURNING ${big}`],
          ] as const
        ) {
          const { faultKind, peakKilobytes } = await runAlone(path, kind, sql)
          // Deno does not tell why a row failed.
          expect([sql.slice(0, 60), faultKind]).toEqual([
            sql.slice(0, 60),
            expect.stringMatching(/^(TooLarge|Failed)$/),
          ])
          expect([sql.slice(0, 60), peakKilobytes - idle < 300_000 || peakKilobytes - idle]).toEqual([
            sql.slice(0, 60),
            true,
          ])
        }
      }),
    120_000,
  )

  it("reads rows of many columns, and large values, within the limits", () =>
    withFile(async (_, path) => {
      const columns = Array.from({ length: 400 }, (_, index) => `c${index}`)
      const program = Effect.gen(function* () {
        yield* Database.execute(`CREATE TABLE wide (${columns.join()})`)
        yield* Database.execute("INSERT INTO wide (c7) VALUES ($1)", ["x".repeat(300_000)])
        const [wide] = yield* Database.query("SELECT * FROM wide")
        expect(String(wide?.["c7"]).length).toBe(300_000)
        yield* Database.execute("INSERT INTO t VALUES ($1, $2)", [2, "x".repeat(4_000_000)])
        expect((yield* Database.query("SELECT n, s FROM t ORDER BY n DESC"))[0]).toEqual({
          n: 2,
          s: "x".repeat(4_000_000),
        })
        // A program of more steps than a call may have arguments.
        expect(yield* Database.query(`SELECT 2 AS n WHERE 1 IN (${times(200_000, "$1")})`, [1])).toEqual([{ n: 2 }])
        expect((yield* Database.execute("UPDATE t SET s = s || 'y' RETURNING length(s)")).rows).toEqual([[4], [
          4_000_001,
        ]])
      })
      await Effect.runPromise(Effect.provide(program, SqliteDatabase.layer({ path })))
    }))
})
