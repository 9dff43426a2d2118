import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { PostgresJournal } from "@sluice/shell/journal/postgres"
import { parseLocation, splitSchema } from "../../../../src/sql/postgresLocation.ts"
import { resolveOptions } from "../../../../src/journal/stores/postgres/options.ts"
import { tableNames } from "../../../../src/journal/stores/postgres/tableNames.ts"
import { pause } from "../../../support/eventually.ts"
import { errorOf, reasonOf } from "./support.ts"

const location = (url: string | undefined, place: Partial<Parameters<typeof parseLocation>[0]> = {}) =>
  parseLocation({
    url,
    host: undefined,
    port: undefined,
    database: undefined,
    username: undefined,
    schema: "sluice",
    ...place,
  })?.text

it("formats a location without its password", () => {
  const secret = "s3cret"
  const cases = {
    [`postgres://me:${secret}@db.example:6543/app?sslmode=require`]: "postgres://me@db.example:6543/app?schema=sluice",
    [`postgresql://me:${secret}@[::1]/app`]: "postgres://me@[::1]:5432/app?schema=sluice",
    [`postgres://db/app?user=me&password=${secret}&port=7&dbname=other`]: "postgres://me@db:7/other?schema=sluice",
    [`postgres:///app?user=me&password=${secret}&host=/run/postgresql`]:
      "postgres:///app?user=me&host=/run/postgresql&port=5432&schema=sluice",
    [`postgres://a%40b:${secret}@db/a%20b`]: "postgres://a%40b@db:5432/a%20b?schema=sluice",
    "postgres://db": "postgres://db:5432/?schema=sluice",
  }
  expect(Object.fromEntries(Object.keys(cases).map((url) => [url, location(url)]))).toEqual(cases)
})

it("splits the schema from a URL", () => {
  const cases = [
    ["postgres://u:p@h/d", "postgres://u:p@h/d", undefined],
    ["postgresql://h/d?schema=builds", "postgresql://h/d", "builds"],
    ["postgres://h/d?sslmode=require&schema=b%20c", "postgres://h/d?sslmode=require", "b c"],
    ["POSTGRES://h/d?schema=b&host=/tmp", "POSTGRES://h/d?host=/tmp", "b"],
    ["postgres://h/d?a=1&schema=b&c=2", "postgres://h/d?a=1&c=2", "b"],
    ["postgres://u:schema=x@h/d", "postgres://u:schema=x@h/d", undefined],
    ["postgres://h/d?schema=100%", "postgres://h/d", "100%"],
  ] as const
  for (const [text, url, schema] of cases) expect(splitSchema(text)).toEqual({ url, schema })
})

it.effect("takes the schema from the URL unless it is an option", () =>
  Effect.gen(function* () {
    const url = Redacted.make("postgres://me:s3cret@h/d?schema=builds")
    const settings = yield* resolveOptions({ url })
    expect(settings.location).toBe("postgres://me@h:5432/d?schema=builds")
    expect(settings.names).toEqual(tableNames("builds"))
    expect(settings.config.url === undefined ? "" : Redacted.value(settings.config.url)).toBe(
      "postgres://me:s3cret@h/d",
    )
    expect((yield* resolveOptions({ url, schema: "other" })).names).toEqual(tableNames("other"))
  }))

it("lets options override the URL", () => {
  const place = { host: "there", port: 1, database: "that", username: "you", schema: "it's" }
  expect(location("postgres://me:x@here:2/this", place)).toBe("postgres://you@there:1/that?schema=it's")
  expect(location(undefined, place)).toBe("postgres://you@there:1/that?schema=it's")
  expect(location(undefined)).toBe("postgres://localhost:5432/?schema=sluice")
})

it("rejects a text that is not a URL of PostgreSQL", () => {
  for (const url of ["", "db", "mysql://db", "postgres:// db", "http://db", "postgres:///?port=0"]) {
    expect(location(url)).toBeUndefined()
  }
})

it("quotes table names, and rejects names that no schema can have", () => {
  const names = tableNames(`a"; DROP TABLE x; --`)
  expect(names?.entry).toBe(`"a""; DROP TABLE x; --"."journal_entry"`)
  for (const schema of ["", "pg_mine", "a\0", "x".repeat(56), "é".repeat(28)]) {
    expect(tableNames(schema)).toBeUndefined()
  }
  expect(tableNames("é".repeat(27))?.channel).toBe(`sluice:${"é".repeat(27)}`)
})

const url = Redacted.make("postgres://me:s3cret@localhost:1/app")

const wrong: ReadonlyArray<readonly [field: string, options: PostgresJournal.PostgresOptions]> = [
  ["url", { url: Redacted.make("postgres://me:s3cret@local host/app") }],
  ["url", { url: Redacted.make("me:s3cret") }],
  ["port", { port: 65_536 }],
  ["schema", { url, schema: "" }],
  ["maxReadConnections", { url, maxReadConnections: 0 }],
  ["maxReadConnections", { url, maxReadConnections: 1.5 }],
  ["lockTimeout", { url, lockTimeout: -1 }],
  ["pollInterval", { url, pollInterval: "-1 second" }],
]

it.effect("fails with Invalid for bad options, and quotes no password", () =>
  Effect.gen(function* () {
    for (const [field, options] of wrong) {
      const error = yield* errorOf(PostgresJournal.openStore(options))
      expect(error.reason).toEqual({ _tag: "Invalid", field })
      expect(JSON.stringify(error)).not.toContain("s3cret")
    }
  }))

it.live("fails at once with a reconnectTimeout of 0, and names the location", () =>
  Effect.gen(function* () {
    const error = yield* errorOf(PostgresJournal.openStore({ url, reconnectTimeout: 0 }))
    expect(error.reason).toEqual({ _tag: "Unavailable", code: "ECONNREFUSED" })
    expect(error.message).toMatch(
      /^journal: it was not opened: postgres:\/\/me@localhost:1\/app\?schema=sluice cannot be reached: .*\(ECONNREFUSED\)$/,
    )
    expect(JSON.stringify(error)).not.toContain("s3cret")
  }))

it.effect("tries again for reconnectTimeout, by Effect's Clock", () =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(reasonOf(PostgresJournal.openStore({ url, reconnectTimeout: "1 hour" })))
    for (let round = 0; round < 25; round++) {
      yield* pause(5)
      yield* TestClock.adjust("2 minutes")
    }
    expect(fiber.pollUnsafe()).toBeUndefined()
    for (let round = 0; round < 1_000 && fiber.pollUnsafe() === undefined; round++) {
      yield* pause(5)
      yield* TestClock.adjust("2 minutes")
    }
    expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "Unavailable" })
  }))

it.live("fails with Unavailable for a missing socket and an unknown host", () =>
  Effect.gen(function* () {
    const open = (options: PostgresJournal.PostgresOptions) =>
      reasonOf(PostgresJournal.openStore({ ...options, username: "me", reconnectTimeout: 0 }))
    expect(yield* open({ host: "/nonexistent/folder" })).toMatchObject({ _tag: "Unavailable", code: "ENOENT" })
    expect(yield* open({ host: "nobody.invalid" })).toMatchObject({ _tag: "Unavailable" })
  }))
