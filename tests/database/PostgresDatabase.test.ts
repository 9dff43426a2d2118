import { describe, expect, it } from "@effect/vitest"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { PostgresDatabase } from "@sluice/shell/database/postgres"
import { serviceLayers } from "../../src/branch/mod.ts"
import { Database, DatabaseBranch, type DatabaseFault } from "../../src/database/mod.ts"
import { MemoryJournal } from "../../src/journal/Journal.ts"
import { pause } from "../support/eventually.ts"
import { Proxy } from "../support/proxy.ts"
import { postgresIsHere, type Server, useServer } from "../support/postgres.ts"
import { databaseContract, type Place, postgres } from "./databaseContract.ts"

const { journaled } = serviceLayers(DatabaseBranch, Database)

type Leaf = Layer.Layer<Database, unknown>
type Options = Omit<PostgresDatabase.PostgresDatabaseOptions, "url">

it.effect("reads its URL from SLUICE_DATABASE, or its options from another Config", () =>
  Effect.gen(function* () {
    const failureOf = (
      config: Config.Config<PostgresDatabase.PostgresDatabaseOptions> | undefined,
      variables: unknown,
    ) =>
      Database.query("SELECT 1").pipe(
        Effect.provide(PostgresDatabase.layerConfig(config)),
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables)),
        Effect.flip,
      )
    const url = "postgres://me:hunter2@127.0.0.1:1/app"
    // No server listens at port 1.
    const fault = yield* failureOf(undefined, { SLUICE_DATABASE: url })
    expect(fault).toMatchObject({ _tag: "DatabaseFault", faultKind: "Unreachable" })
    expect(fault.message).not.toContain("hunter2")
    expect(yield* failureOf(Config.succeed({ url: Redacted.make(url) }), {})).toMatchObject({
      faultKind: "Unreachable",
    })
    expect(yield* failureOf(undefined, {})).toMatchObject({ _tag: "ConfigError" })
  }))

describe.runIf(postgresIsHere)("PostgreSQL", () => {
  const server = useServer()
  let count = 0

  const ask = (sql: string) => Effect.runPromise(server().query(sql))
  const urlOf = ({ password, port }: Server, user: string, name: string) =>
    Redacted.make(`postgres://${user}:${Redacted.value(password)}@127.0.0.1:${port}/${name}`)

  /** A database of its own, whose owner is a role without power. */
  const makeDatabase = async () => {
    const name = `d${count++}`
    await ask(`CREATE ROLE ${name} LOGIN PASSWORD '${Redacted.value(server().password)}'`)
    await ask(`CREATE DATABASE ${name} OWNER ${name}`)
    return { name, url: urlOf(server(), name, name) }
  }

  const place = (over: (leaf: Leaf) => Leaf = (leaf) => leaf) => async (): Promise<Place> => {
    const { url } = await makeDatabase()
    return {
      layer: (limits = {}) => over(PostgresDatabase.layer({ url, ...limits })),
      dispose: () => Promise.resolve(),
    }
  }

  /** The fault of a program on a service with options. */
  const faultOf = <A>(
    program: Effect.Effect<A, DatabaseFault, Database>,
    options: PostgresDatabase.PostgresDatabaseOptions,
  ) => Effect.runPromise(Effect.provide(Effect.flip(program), PostgresDatabase.layer(options)))

  // The first: with many databases the server takes long to stop.
  it("connects again after the server was away, and says where it cannot, without the password", async () => {
    const { url } = await makeDatabase()
    const secret = Redacted.value(server().password)
    const program = Effect.gen(function* () {
      expect(yield* Database.query("SELECT 1 AS one")).toEqual([{ one: 1 }])
      yield* Effect.promise(() => server().stop())
      const fault = yield* Effect.flip(Database.query("SELECT 1"))
      expect(fault.faultKind).toBe("Unreachable")
      expect(JSON.stringify(fault)).not.toContain(secret)
      expect(fault.message).toMatch(/^database query: postgres:\/\/d\d+@127\.0\.0\.1:\d+\/d\d+ cannot be reached: /)
      yield* Effect.promise(() => server().start())
      expect(yield* Database.query("SELECT 1 AS one")).toEqual([{ one: 1 }])
      // The connection that is idle now is ended behind its back.
      yield* server().query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> 'sluice'")
      expect(yield* Database.query("SELECT 2 AS two")).toEqual([{ two: 2 }])
    })
    await Effect.runPromise(Effect.provide(program, PostgresDatabase.layer({ url })))
    const wrong = Redacted.make(Redacted.value(url).replace(secret, "wrong-password"))
    const fault = await faultOf(Database.query("SELECT 1"), { url: wrong })
    expect([fault.faultKind, fault.code]).toEqual(["NotAllowed", "28P01"])
    expect(JSON.stringify(fault)).not.toContain("wrong-password")
    for (const bad of ["mysql://a:s3cret@h/d", "postgres://a:s3cret@h:99999999/d", "no url s3cret"]) {
      const error = await Effect.runPromise(
        Effect.flip(Effect.scoped(PostgresDatabase.make({ url: Redacted.make(bad) }))),
      )
      expect([error.option, error.message.includes("s3cret")]).toEqual(["url", false])
    }
  }, 60_000)

  databaseContract("a server", postgres, place())
  databaseContract(
    "a journaled server",
    postgres,
    place((leaf) => Layer.provide(journaled, Layer.merge(leaf, MemoryJournal.layer))),
  )

  const withDatabase = async (
    use: (name: string) => Effect.Effect<unknown, unknown, Database>,
    options: Options = {},
  ) => {
    const { name, url } = await makeDatabase()
    const table = Database.transaction([
      "CREATE TABLE t (n integer, s text)",
      "INSERT INTO t VALUES (1, 'one')",
      "CREATE SEQUENCE q",
      "CREATE FUNCTION deleting() RETURNS void LANGUAGE sql AS 'DELETE FROM t'",
      "CREATE PROCEDURE p() LANGUAGE sql AS 'DELETE FROM t'",
    ])
    await Effect.runPromise(Effect.provide(table, PostgresDatabase.layer({ url })))
    await Effect.runPromise(
      Effect.provide(Effect.suspend(() => use(name)), PostgresDatabase.layer({ url, ...options })),
    )
  }

  /** Statements that the server runs for a database. */
  const running = (name: string) =>
    Effect.map(
      server().query(`SELECT query FROM pg_stat_activity WHERE datname = $1 AND state = 'active'`, [name]),
      (rows) => rows.length,
    )

  const untilRunning = (name: string, count: number): Effect.Effect<void> =>
    Effect.flatMap(
      running(name),
      (n) => n === count ? Effect.void : Effect.andThen(pause(20), untilRunning(name, count)),
    )

  it("reads the types of PostgreSQL, dates and times as ISO text", () =>
    withDatabase(() =>
      Effect.gen(function* () {
        const cells = {
          "'2026-01-02 03:04:05.123456+02'::timestamptz": "2026-01-02T01:04:05.123456Z",
          "'1969-12-31 23:59:59.5'::timestamp": "1969-12-31T23:59:59.5",
          "'0044-03-15 12:00:00 BC'::timestamp": "-0043-03-15T12:00:00",
          "'294276-12-31 23:59:59'::timestamp": "294276-12-31T23:59:59",
          "'infinity'::timestamptz": "infinity",
          "'2026-02-28'::date": "2026-02-28",
          "'23:05:09.25'::time": "23:05:09.25",
          "'1 year 2 days 03:00:00.5'::interval": "P12M2DT10800.5S",
          "'-00:00:01.5'::interval": "PT-1.5S",
          "'0'::interval": "PT0S",
          "12.50::numeric": "12.50",
          "'NaN'::float8": NaN,
          "9007199254740993": 2n ** 53n + 1n,
          "(-32768)::int2": -32768,
          "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
          "'{\"a\": [1, null]}'::jsonb": { json: { a: [1, null] } },
          "'null'::json": { json: null },
          '\'{"json": 1, "b": {"json": 2}}\'::jsonb': { json: { json: 1, b: { json: 2 } } },
          "ARRAY[1, NULL, 3]": { json: [1, null, 3] },
          "ARRAY['2026-01-02'::timestamp]": { json: ["2026-01-02T00:00:00"] },
          "ARRAY['\\x00ff'::bytea]": { json: ["\\x00ff"] },
          "'happy'::mood": "happy",
          "'x'::name": "x",
          "true": true,
        }
        yield* Database.execute("CREATE TYPE mood AS ENUM ('happy', 'sad')")
        const [row] = yield* Database.query(
          `SELECT ${Object.keys(cells).map((sql, at) => `${sql} AS c${at}`).join(", ")}`,
        )
        expect(Object.values(row ?? {})).toEqual(Object.values(cells))
        const fault = yield* Effect.flip(Database.query("SELECT 1 AS a, point(1, 2) AS place"))
        expect(fault.message).toBe(
          'database query: the column "place" is of type point, which is not read; cast it to text: place::text',
        )
        expect(yield* Database.query("SELECT point(1, 2)::text AS place")).toEqual([{ place: "(1,2)" }])
        const returned = yield* Database.execute(
          "INSERT INTO t VALUES (2, 'b') RETURNING now() > '2000-01-01' AS late, n",
        )
        expect(returned.rows).toEqual([[true, 2]])
      })
    ))

  it("a read-only leaf changes nothing", () =>
    withDatabase((name) =>
      Effect.gen(function* () {
        const attacks = [
          ...["SET default_transaction_read_only = off", "SET TRANSACTION READ WRITE", "RESET ALL", "DISCARD ALL"],
          ...["SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", "SET SESSION AUTHORIZATION DEFAULT"],
          ...["COMMIT; DELETE FROM t", "COMMIT AND CHAIN", "SELECT 1; SET TRANSACTION READ WRITE; DELETE FROM t"],
          ...[
            "SELECT set_config('transaction_read_only', 'off', false)",
            "CALL p()",
            "DO $$ BEGIN DELETE FROM t; END $$",
          ],
          ...["SELECT set_config('transaction_read_only', 'off', true), deleting()", "SELECT deleting()"],
          ...[
            "SELECT nextval('q')",
            "SELECT setval('q', 9)",
            "SELECT lo_create(0)",
            "EXECUTE x",
            "NOTIFY x",
            "LISTEN x",
          ],
          ...[
            "COPY t TO STDOUT",
            "COPY t FROM STDIN",
            `COPY (SELECT 1) TO PROGRAM 'touch "${join(server().directory, "x")}"'`,
            "SELECT * INTO u FROM t",
          ],
          ...[
            "EXPLAIN ANALYZE DELETE FROM t",
            "SELECT n FROM t FOR UPDATE",
            "LOCK t",
            "TRUNCATE t",
            "PREPARE x AS DELETE FROM t",
          ],
          ...["CREATE TEMP TABLE x (n integer)", "SELECT query_to_xml('DELETE FROM t', true, true, '')"],
          ...["SELECT 1) UNION SELECT 2", "WITH d AS (DELETE FROM t RETURNING n) SELECT n FROM d"],
        ]
        for (const sql of attacks) {
          const outcome = yield* Effect.result(Database.query(sql))
          // Some of them do nothing and say so; what counts is what the server has afterwards.
          if (outcome._tag === "Failure") {
            expect([sql, outcome.failure.faultKind]).toEqual([
              sql,
              expect.stringMatching(/^(ReadOnly|Syntax|NotAllowed|Failed|InvalidRequest)$/),
            ])
          }
          expect((yield* Effect.flip(Database.execute(sql))).faultKind).toBe("ReadOnly")
          expect((yield* Effect.flip(Database.transaction(["SET TRANSACTION READ WRITE", sql]))).faultKind).toBe(
            "ReadOnly",
          )
        }
        const [row] = yield* Database.query("SELECT (SELECT count(*) FROM t) AS n, current_user AS u")
        expect(row).toEqual({ n: 1, u: name })
        const [state] = yield* Database.query(`SELECT last_value AS q, is_called AS c,
          (SELECT count(*) FROM pg_class WHERE relname IN ('u', 'x')) AS tables,
          (SELECT count(*) FROM pg_largeobject_metadata) AS large, current_setting('transaction_read_only') AS r FROM q`)
        expect(state).toEqual({ q: 1, c: false, tables: 0, large: 0, r: "on" })
        expect(existsSync(join(server().directory, "x"))).toBe(false)
      }), { readOnly: true }), 60_000)

  it("a read-only leaf refuses a superuser, whose functions write outside of transactions", async () => {
    const superuser = urlOf(server(), "sluice", "postgres")
    const file = join(server().directory, "exported")
    const write = Database.query(`SELECT lo_export(oid, '${file}') FROM pg_largeobject_metadata`)
    await ask("SELECT lo_from_bytea(4711, 'x')")
    const fault = await faultOf(write, { url: superuser, readOnly: true })
    expect([fault.faultKind, fault.message]).toEqual(["NotAllowed", expect.stringContaining("give this leaf a role")])
    expect(existsSync(file)).toBe(false)
    // The control: one that may write has no such check, and the file is there.
    await Effect.runPromise(Effect.provide(write, PostgresDatabase.layer({ url: superuser })))
    expect(existsSync(file)).toBe(true)
  })

  it("a read-only leaf refuses each role that may become one with power over files", async () => {
    const file = join(server().directory, "exported-by-member")
    const write = Database.query(
      `SELECT set_config('role', 'sluice', true) || query_to_xml('SELECT lo_export(4712, ''${file}'')', true, true, '')`,
    )
    const powers = ["sluice", "pg_read_server_files", "pg_write_server_files", "pg_execute_server_program"]
    for (const power of powers) {
      const { name, url } = await makeDatabase()
      const make = Database.execute("SELECT lo_from_bytea(4712, 'x')")
      await Effect.runPromise(Effect.provide(make, PostgresDatabase.layer({ url })))
      await ask(`CREATE ROLE via_${name}`)
      await ask(`GRANT ${power} TO via_${name}`)
      await ask(`GRANT via_${name} TO ${name}`)
      // A role that does not inherit has no power before it becomes the other one.
      await ask(`ALTER ROLE ${name} NOINHERIT`)
      const fault = await faultOf(write, { url, readOnly: true })
      expect([power, fault.faultKind, fault.message]).toEqual([
        power,
        "NotAllowed",
        expect.stringContaining("give this leaf a role"),
      ])
      expect(existsSync(file)).toBe(false)
      // The control: where nothing refuses it, the member writes the file.
      if (power === "sluice") await Effect.runPromise(Effect.provide(write, PostgresDatabase.layer({ url })))
      expect(existsSync(file)).toBe(power === "sluice")
      rmSync(file, { force: true })
      // Another role, which a setting of the role begins with, hides nothing.
      await ask(`CREATE ROLE mask_${name}`)
      await ask(`GRANT mask_${name} TO ${name}`)
      await ask(`ALTER ROLE ${name} SET role = mask_${name}`)
      expect((await faultOf(Database.query("SELECT 1"), { url, readOnly: true })).faultKind).toBe("NotAllowed")
    }
  })

  it("JSON that is nested deep is a fault, not a defect", () =>
    withDatabase(() =>
      Effect.gen(function* () {
        const nested = (depth: number) => `(repeat('[', ${depth}) || repeat(']', ${depth}))`
        expect(yield* Database.query(`SELECT (${nested(128)}::jsonb)::text = ${nested(128)} AS same`)).toEqual([
          { same: true },
        ])
        expect((yield* Database.query(`SELECT ${nested(128)}::json AS j`)).length).toBe(1)
        for (const type of ["json", "jsonb"]) {
          for (
            const sql of [
              `SELECT ${nested(129)}::${type}`,
              `SELECT ${nested(4_000)}::${type}`,
              `SELECT ARRAY[${nested(4_000)}::${type}]`,
            ]
          ) {
            for (const request of [Effect.flip(Database.query(sql)), Effect.flip(Database.execute(sql))]) {
              const { faultKind, message } = yield* request
              expect([sql, faultKind, message]).toEqual([sql, "TooLarge", expect.stringContaining("128")])
            }
          }
        }
        expect(yield* Database.query(`SELECT ${nested(4_000)}::json::text AS j`)).toEqual([
          { j: "[".repeat(4_000) + "]".repeat(4_000) },
        ])
      })
    ))

  it("a request leaves nothing behind in the session of the next", () =>
    withDatabase(() =>
      Effect.gen(function* () {
        yield* Database.transaction(["CREATE TEMP TABLE t (n integer)", "SET search_path = pg_temp", "LISTEN x"])
        yield* Database.query("SELECT set_config('TimeZone', 'Asia/Tokyo', false), pg_advisory_lock(1)")
        yield* Database.execute("SELECT set_config('statement_timeout', '1', false)")
        const [row] = yield* Database.query(`SELECT (SELECT s FROM t) AS s, current_setting('TimeZone') AS zone,
          (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
          (SELECT count(*) FROM pg_listening_channels()) AS channels, pg_sleep(0.05)`)
        expect(row).toMatchObject({ s: "one", zone: "UTC", locks: 0, channels: 0 })
      }), { maxConnections: 1 }))

  it("a request that ends early or times out is cancelled at the server", () =>
    withDatabase((name) =>
      Effect.gen(function* () {
        for (const slow of [Database.query("SELECT pg_sleep(600)"), Database.execute("SELECT pg_sleep(600)")]) {
          const fiber = yield* Effect.forkChild(slow)
          yield* untilRunning(name, 1)
          yield* Fiber.interrupt(fiber)
          yield* untilRunning(name, 0)
        }
        const fault = yield* Effect.flip(Database.query("SELECT pg_sleep(600)", [], { timeout: 200 }))
        expect(fault.faultKind).toBe("Timeout")
        expect(yield* running(name)).toBe(0)
        const changed = yield* Effect.flip(
          Database.transaction(["DELETE FROM t", "SELECT pg_sleep(600)"], { timeout: 200 }),
        )
        expect(changed.faultKind).toBe("Timeout")
        const cancelled = yield* Effect.forkChild(Effect.flip(Database.query("SELECT pg_sleep(600)")))
        yield* untilRunning(name, 1)
        yield* server().query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name])
        expect(yield* Fiber.join(cancelled)).toMatchObject({ faultKind: "Cancelled", code: "57014" })
        expect(yield* Database.query("SELECT n FROM t")).toEqual([{ n: 1 }])
      }), { maxConnections: 1 }))

  it("reads no more than is pulled", () =>
    withDatabase(() =>
      Effect.gen(function* () {
        yield* Database.execute(
          "CREATE FUNCTION pulled(n integer) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('p', ''); " +
            "PERFORM set_config('app.pulled', n::text, false); RETURN n; END $$",
        )
        const rows = yield* Stream.runCollect(
          Stream.take(
            Database.stream(
              "SELECT pulled(n) AS n, current_setting('app.pulled') AS seen FROM generate_series(1, 100000) n",
            ),
            100,
          ),
        )
        expect(Number(rows.at(-1)?.["seen"])).toBeLessThan(200)
      })
    ))

  it("stops reading the rows that a change returns at the limit", async () => {
    const { url } = await makeDatabase()
    const proxy = await Proxy.make(server().port)
    const through = Redacted.make(Redacted.value(url).replace(`:${server().port}/`, `:${proxy.port}/`))
    const big = "INSERT INTO t SELECT n, repeat('x', 1000000) FROM generate_series(1, 200) n RETURNING s"
    const program = Effect.gen(function* () {
      yield* Database.execute("CREATE TABLE t (n integer, s text)")
      expect((yield* Effect.flip(Database.execute(big))).faultKind).toBe("TooLarge")
      // Of 200 MB; the rest is what sockets of the proxy and the kernel hold.
      expect(proxy.bytesFromServer).toBeLessThan(100_000_000)
      expect((yield* Effect.flip(Database.query("SELECT repeat('x', 20000000) AS x"))).faultKind).toMatch(
        /^(TooLarge|Unreachable)$/,
      )
      expect(yield* Database.query("SELECT count(*)::int AS c FROM t")).toEqual([{ c: 0 }])
    })
    try {
      await Effect.runPromise(Effect.provide(program, PostgresDatabase.layer({ url: through })))
    } finally {
      await proxy.close()
    }
  })

  it("a deadlock, a lock and a race are busy, and a deferred constraint fails the commit", () =>
    withDatabase(() =>
      Effect.gen(function* () {
        yield* Database.execute("INSERT INTO t VALUES (2, 'two')")
        const both = (first: number, second: number) =>
          Effect.result(Database.transaction([
            ["UPDATE t SET s = 'x' WHERE n = $1", [first]],
            "SELECT pg_sleep(0.5)",
            ["UPDATE t SET s = 'x' WHERE n = $1", [second]],
          ]))
        const results = yield* Effect.all([both(1, 2), both(2, 1)], { concurrency: 2 })
        const faults = results.flatMap((result) => result._tag === "Failure" ? [result.failure] : [])
        expect(faults.map(({ code, faultKind }) => [faultKind, code])).toEqual([["Busy", "40P01"]])
        yield* Database.execute("CREATE TABLE d (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        const deferred = yield* Effect.flip(Database.execute("INSERT INTO d VALUES (1), (1)"))
        expect(deferred).toMatchObject({ faultKind: "Constraint", code: "23505" })
        expect((yield* Effect.flip(Database.query("SELECT 1 / 0"))).code).toBe("22012")
      })
    ))

  it("leaves no connection when it is closed", async () => {
    const { name, url } = await makeDatabase()
    const many = Effect.forEach([1, 2, 3, 4, 5, 6], (n) => Database.query("SELECT $1::int AS n", [n]), {
      concurrency: 6,
    })
    const connections = () => server().query("SELECT pid FROM pg_stat_activity WHERE datname = $1", [name])
    const program = Effect.andThen(many, connections())
    const open = await Effect.runPromise(Effect.provide(program, PostgresDatabase.layer({ url, maxConnections: 3 })))
    expect([open.length > 0, open.length <= 3]).toEqual([true, true])
    const gone: Effect.Effect<void> = Effect.flatMap(
      connections(),
      ({ length }) => length === 0 ? Effect.void : Effect.andThen(pause(20), gone),
    )
    await Effect.runPromise(gone)
  })
})
