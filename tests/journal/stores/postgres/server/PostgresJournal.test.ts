import { expect, it } from "@effect/vitest"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Journal, type Position } from "@sluice/shell/journal"
import { PostgresJournal } from "@sluice/shell/journal/postgres"
import type { Row } from "../../../../../src/journal/Entry.ts"
import { note } from "../../../../support/journal-contract/target.ts"
import { journalContract, type JournalTarget } from "../../../../support/journalContract.ts"
import { postgresIsHere, type Server, useServer } from "../../../../support/postgres.ts"

const server = useServer()

const columns = {
  time: "time",
  branch: "branch",
  correlationId: "correlation_id",
  tag: "tag",
  version: "version",
  hash: "hash",
  body: "body",
} as const satisfies Record<keyof Omit<Row, "position">, string>

/** Changes rows behind the journal's back, with SQL. */
const tamperOf = (there: Server, table: string) => ({
  change: (position: Position, fields: Partial<Omit<Row, "position">>) =>
    Effect.forEach(
      Object.entries(columns),
      ([field, column]) => {
        const value: unknown = Reflect.get(fields, field)
        return value === undefined
          ? Effect.void
          : there.query(`UPDATE ${table} SET ${column} = $1 WHERE position = $2`, [value, position])
      },
      { discard: true },
    ),
  remove: (position: Position) => Effect.asVoid(there.query(`DELETE FROM ${table} WHERE position = $1`, [position])),
  swap: (one: Position, other: Position) =>
    Effect.forEach(
      [[one, -1], [other, one], [-1, other]],
      ([from, to]) => there.query(`UPDATE ${table} SET position = $1 WHERE position = $2`, [to, from]),
      { discard: true },
    ),
})

let places = 0

const place: JournalTarget["place"] = Effect.sync(() => {
  const schema = `place_${++places}`
  return {
    open: (options) => PostgresJournal.make({ ...server().options(schema), ...options }),
    tamper: tamperOf(server(), `${schema}.journal_entry`),
  }
})

journalContract("PostgreSQL", {
  place,
  can: { durable: true, processes: true, durabilities: ["memory", "os", "disk"] },
}, postgresIsHere)

it.live.runIf(postgresIsHere)(
  "is a layer, with options or with the URL of SLUICE_JOURNAL",
  () =>
    Effect.gen(function* () {
      const { password, port } = server()
      const url = `postgres://sluice:${Redacted.value(password)}@127.0.0.1:${port}/postgres`
      const appended = Effect.flatMap(Journal, (journal) => journal.append([note("n")]))
      const layers = [
        PostgresJournal.layer({ url: Redacted.make(url), durability: "disk" }),
        PostgresJournal.layerConfig().pipe(
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ SLUICE_JOURNAL: url }))),
        ),
        PostgresJournal.layerConfig(Config.succeed(server().options("sluice"))),
      ]
      for (const [index, layer] of layers.entries()) {
        expect(yield* Effect.provide(appended, layer)).toEqual([index + 1])
      }
      const missing = PostgresJournal.layerConfig().pipe(
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({}))),
      )
      expect(yield* Effect.flip(Effect.provide(appended, missing))).toMatchObject({ _tag: "ConfigError" })
    }),
)
