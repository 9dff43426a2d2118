/** Errors for what a server refuses. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { PostgresJournal } from "@sluice/shell/journal/postgres"
import { migrations } from "../../../../../src/journal/stores/postgres/schema.ts"
import { pause } from "../../../../support/eventually.ts"
import { hasOpenssl, postgresIsHere, useServer } from "../../../../support/postgres.ts"
import { append, errorOf, insertInto, newSchema, numbered, openStore, positionsOf, reasonOf, upTo } from "../support.ts"

const server = useServer()

const sql = (text: string, params?: ReadonlyArray<unknown>) => server().query(text, params)

describe.runIf(postgresIsHere)("refusals", () => {
  it.live("reports a wrong password at once, without quoting it", () =>
    Effect.gen(function* () {
      for (
        const password of [Redacted.make("wr0ng-secret"), Effect.succeed(Redacted.make("wr0ng-secret")), undefined]
      ) {
        const error = yield* errorOf(openStore(server(), newSchema(), { password }))
        expect(error.reason).toEqual(password === undefined ? { _tag: "Failed" } : { _tag: "Failed", code: "28P01" })
        expect(error.message).toMatch(/^journal: it was not opened: .*password/)
        expect(JSON.stringify(error)).not.toContain("secret")
      }
    }))

  it.live("evaluates the password for each connection, as for tokens that expire", () =>
    Effect.gen(function* () {
      let asked = 0
      const password = Effect.sync(() => {
        asked++
        return server().password
      })
      const store = yield* openStore(server(), newSchema(), { password })
      yield* store.head
      expect(asked).toBe(2)
    }))

  it.live("can be reached by URL, over TCP and over a Unix socket", () =>
    Effect.gen(function* () {
      const { directory, password, port } = server()
      const nothing = {
        host: undefined,
        port: undefined,
        database: undefined,
        username: undefined,
        password: undefined,
      }
      const urls = [
        `postgres://sluice:${Redacted.value(password)}@127.0.0.1:${port}/postgres`,
        `postgres:///postgres?user=sluice&host=${directory}&port=${port}&application_name=by-url`,
      ]
      for (const url of urls) {
        const store = yield* openStore(server(), newSchema(), { ...nothing, url: Redacted.make(url) })
        expect(yield* append(store, numbered(2), "disk")).toEqual([1, 2])
        expect(store.location).not.toContain(Redacted.value(password))
        const name = url.includes("by-url") ? "by-url" : "sluice"
        const [row] = yield* sql("SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1", [name])
        expect(row?.["n"]).toBeGreaterThan(0)
      }
    }))

  it.live.runIf(hasOpenssl)(
    "checks the certificate of the server with ssl, and does not retry with a wrong one",
    () =>
      Effect.gen(function* () {
        const certificate = server().certify()
        yield* sql("ALTER SYSTEM SET ssl = on")
        yield* sql("SELECT pg_reload_conf()")
        yield* Effect.ensuring(
          Effect.gen(function* () {
            const open = (ssl: PostgresJournal.PostgresOptions["ssl"]) =>
              openStore(server(), newSchema(), { reconnectTimeout: "1 hour", applicationName: "encrypted", ssl })
            const error = yield* errorOf(open(true))
            expect(error.reason._tag).toBe("Failed")
            expect(error.message).toMatch(/^journal: it was not opened: .*certificate/i)
            const store = yield* open({ ca: certificate })
            expect(yield* append(store, numbered(3), "disk")).toEqual([1, 2, 3])
            yield* store.head
            const connections = yield* sql(
              "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'encrypted'",
            )
            expect(connections).toEqual([{ ssl: true }, { ssl: true }])
          }),
          Effect.promise(() => server().reset("ssl")),
        )
      }),
  )

  it.live("does not retry TLS on a server without it", () =>
    Effect.gen(function* () {
      const error = yield* errorOf(openStore(server(), newSchema(), { ssl: true, reconnectTimeout: "1 hour" }))
      expect(error.reason).toEqual({ _tag: "Failed" })
      expect(error.message).toBe("journal: it was not opened: The server does not support TLS")
    }))

  it.live("fails with Missing for a missing database, and for a missing journal without create", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const missing = (options: Parameters<typeof openStore>[2]) => reasonOf(openStore(server(), schema, options))
      expect(yield* missing({ database: "nowhere" })).toMatchObject({ _tag: "Missing", code: "3D000" })
      const reason = yield* missing({ create: false })
      expect(reason).toMatchObject({ _tag: "Missing", path: expect.stringContaining(`schema=${schema}`) })
      expect(yield* sql("SELECT to_regnamespace($1)::text AS schema", [schema])).toEqual([{ schema: null }])
      const store = yield* openStore(server(), schema)
      yield* append(store, numbered(1))
      expect((yield* (yield* openStore(server(), schema, { create: false })).head).position).toBe(1)
      yield* sql(`DROP SCHEMA ${schema} CASCADE`)
      expect(yield* reasonOf(append(store, numbered(1)))).toMatchObject({ _tag: "Missing", code: "42P01" })
      expect(yield* reasonOf(store.head)).toMatchObject({ _tag: "Missing", code: "42P01" })
    }))

  it.live("fails writes with ReadOnly on a read-only database, and succeeds once it is writable", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const store = yield* openStore(server(), schema)
      yield* append(store, numbered(2))
      yield* sql("ALTER SYSTEM SET default_transaction_read_only = on")
      yield* sql("SELECT pg_reload_conf()")
      yield* Effect.ensuring(
        Effect.gen(function* () {
          const refused = { _tag: "ReadOnly", code: "25006" }
          // The reload reaches a connection when it is next idle.
          while ((yield* Effect.exit(append(store, numbered(1))))._tag === "Success");
          const error = yield* errorOf(append(store, numbered(1)))
          expect(error.reason).toEqual(refused)
          expect(error.message).toMatch(/^journal: nothing was written: .* may only be read now \(25006\)$/)
          const other = yield* openStore(server(), schema)
          expect((yield* other.scan({ maxRows: 2 })).length).toBe(2)
          expect(yield* reasonOf(append(other, numbered(1)))).toEqual(refused)
          expect(yield* reasonOf(openStore(server(), newSchema()))).toEqual(refused)
        }),
        Effect.promise(() => server().reset("default_transaction_read_only")),
      )
      const { position } = yield* store.head
      // The reload reaches this connection, too, when it is next idle.
      while ((yield* Effect.exit(append(store, numbered(1))))._tag === "Failure") yield* pause(10)
      expect((yield* store.head).position).toBe(position + 1)
    }))

  it.live("needs no more rights than to read, or to write rows", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const owner = yield* openStore(server(), schema)
      yield* append(owner, numbered(2))
      const password = Redacted.make("of-the-role")
      for (const role of ["reader", "writer", "stranger"]) {
        yield* sql(`CREATE ROLE ${schema}_${role} LOGIN PASSWORD '${Redacted.value(password)}'`)
      }
      yield* sql(`GRANT USAGE ON SCHEMA ${schema} TO ${schema}_reader, ${schema}_writer`)
      yield* sql(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${schema}_reader, ${schema}_writer`)
      yield* sql(`GRANT INSERT ON ${schema}.journal_entry TO ${schema}_writer`)
      yield* sql(`GRANT UPDATE ON ${schema}.journal_head TO ${schema}_writer`)
      const as = (role: string) => openStore(server(), schema, { username: `${schema}_${role}`, password })

      const reader = yield* as("reader")
      expect(positionsOf(yield* reader.scan({ maxRows: 9 }))).toEqual([1, 2])
      expect((yield* reader.size).entries).toBe(2)
      expect(yield* reasonOf(append(reader, numbered(1)))).toEqual({ _tag: "ReadOnly", code: "42501" })
      const writer = yield* as("writer")
      expect(yield* append(writer, numbered(2), "disk")).toEqual([3, 4])
      // The right to append is not the right to prune.
      const prune = writer.transact("memory", (transaction) => transaction.removeThrough(1))
      expect(yield* reasonOf(prune)).toEqual({ _tag: "ReadOnly", code: "42501" })
      expect((yield* writer.size).first).toBe(1)
      expect(yield* reasonOf(as("stranger"))).toMatchObject({ code: "42501" })
    }))

  it.live("fails with Full when the disk is full, keeps nothing of the append, and continues when there is space", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const store = yield* openStore(server(), schema)
      yield* append(store, numbered(1))
      // A trigger raises PostgreSQL's error for a file that cannot be extended (ENOSPC).
      yield* sql(`CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE 'could not extend file "base/5/16384": No space left on device' USING ERRCODE = '53100'; END $$`)
      yield* sql(`CREATE TRIGGER refuse BEFORE INSERT ON ${schema}.journal_entry EXECUTE FUNCTION ${schema}.refuse()`)
      for (const durability of ["disk", "memory"] as const) {
        const error = yield* errorOf(append(store, numbered(3), durability))
        expect(error.reason).toEqual({ _tag: "Full", code: "53100" })
        expect(error.message).toMatch(/^journal: nothing was written: the disk of .* is full \(53100\)$/)
      }
      // Also for a statement that is sent before the commit.
      const early = store.transact(
        "disk",
        (transaction) => Effect.andThen(insertInto(transaction, numbered(1)), transaction.scan({ maxRows: 1 })),
      )
      expect(yield* reasonOf(early)).toEqual({ _tag: "Full", code: "53100" })
      expect((yield* store.head).position).toBe(1)
      yield* sql(`DROP TRIGGER refuse ON ${schema}.journal_entry`)
      expect(yield* append(store, numbered(1))).toEqual([2])
    }))

  it.live("fails with the server's code and message otherwise, and quotes no entry", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const store = yield* openStore(server(), schema)
      yield* sql(`ALTER TABLE ${schema}.journal_entry ADD CONSTRAINT short CHECK (length(body) < 100)`)
      const secret = "s3cret".repeat(50)
      const rows = numbered(1, { body: JSON.stringify({ _tag: "Noted", text: secret }) })
      const error = yield* errorOf(append(store, rows))
      expect(error.reason).toEqual({ _tag: "Failed", code: "23514" })
      expect(JSON.stringify(error)).not.toContain("s3cret")
      yield* sql(`ALTER TABLE ${schema}.journal_entry ALTER version TYPE smallint`)
      const large = yield* errorOf(append(store, numbered(1, { version: 1_000_000 })))
      expect(large.message).toBe("journal: nothing was written: the server refuses a value (22003)")
      expect(yield* append(store, numbered(1))).toEqual([1])
    }))

  it.live("refuses a journal of a later version, and runs missing migrations", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      yield* append(yield* openStore(server(), schema), numbered(2))
      const { length } = migrations
      yield* sql(`INSERT INTO ${schema}.journal_migration (number, name) VALUES ($1, 'from the future')`, [length + 1])
      const error = yield* errorOf(openStore(server(), schema))
      expect(error.reason).toEqual({ _tag: "TooNew", version: length + 1, known: length })
      expect(error.message).toMatch(
        /was not opened: its version 2 is newer than 1, the last known one; update this program$/,
      )
      yield* sql(`DELETE FROM ${schema}.journal_migration WHERE number = $1`, [length + 1])
      expect((yield* (yield* openStore(server(), schema)).head).position).toBe(2)
    }))

  it.live("refuses a database that is not UTF8", () =>
    Effect.gen(function* () {
      yield* sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
      const error = yield* errorOf(openStore(server(), newSchema(), { database: "latin" }))
      expect(error.reason).toEqual({ _tag: "Invalid", field: "database" })
      expect(error.message).toMatch(/its encoding is LATIN1, and must be UTF8$/)
    }))

  it.live("sets synchronous_commit for each durability, within the server's settings", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const store = yield* openStore(server(), schema)
      expect(store.durabilities).toEqual(["memory", "os", "disk"])
      yield* sql(`CREATE TABLE ${schema}.seen (position bigint, level text)`)
      yield* sql(`CREATE FUNCTION ${schema}.see() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO ${schema}.seen VALUES (NEW.position, current_setting('synchronous_commit')); RETURN NEW; END $$`)
      yield* sql(
        `CREATE TRIGGER see AFTER INSERT ON ${schema}.journal_entry FOR EACH ROW EXECUTE FUNCTION ${schema}.see()`,
      )
      const levels = ["memory", "os", "disk"] as const
      for (const level of levels) yield* append(store, numbered(1), level)
      // Servers or users with a lower or higher synchronous_commit.
      for (const setting of ["off", "local", "remote_apply"]) {
        yield* sql(`ALTER ROLE sluice SET synchronous_commit = ${setting}`)
        const other = yield* openStore(server(), schema)
        for (const level of levels) yield* append(other, numbered(1), level)
      }
      yield* sql("ALTER ROLE sluice RESET synchronous_commit")
      const seen = yield* sql(`SELECT level FROM ${schema}.seen ORDER BY position`)
      expect(seen.map(({ level }) => level)).toEqual([
        ...["off", "on", "on"],
        ...["off", "on", "on"],
        ...["off", "local", "local"],
        ...["off", "remote_apply", "remote_apply"],
      ])
    }))

  it.live("does not offer the durability disk on a server with fsync off", () =>
    Effect.gen(function* () {
      yield* sql("ALTER SYSTEM SET fsync = off")
      yield* sql("SELECT pg_reload_conf()")
      yield* Effect.ensuring(
        Effect.gen(function* () {
          let durabilities: ReadonlyArray<string> = []
          for (const _ of upTo(100)) {
            durabilities = (yield* openStore(server(), newSchema())).durabilities
            if (durabilities.length < 3) break
          }
          expect(durabilities).toEqual(["memory", "os"])
        }),
        Effect.promise(() => server().reset("fsync")),
      )
    }))
})
