/**
 * Bringing the tables of a journal up to date, by one process at a time.
 *
 * @module
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { JournalError } from "../../JournalError.ts"
import type { Durability } from "../../JournalStore.ts"
import type { Tried } from "./errors.ts"
import { type Migration, migrations as known } from "./migrations.ts"
import type { Settings } from "./options.ts"
import { type Ask, numberOf } from "./read.ts"
import { control } from "./Session.ts"

/** What was found out about the server. */
export interface Prepared {
  readonly durabilities: ReadonlyArray<Durability>
}

/** Which steps the journal has run; 0 when there is none. */
const versionOf = (ask: Ask, { names }: Settings): Effect.Effect<number, SqlError> =>
  Effect.gen(function* () {
    const { rows: [found] } = yield* ask({
      sql: `SELECT to_regclass($1) IS NOT NULL AS there`,
      params: [PgTypes.text(names.migration)],
    })
    if (found?.["there"] !== true) return 0
    const { rows: [row] } = yield* ask({
      sql: `SELECT coalesce(max(number), 0)::float8 AS version FROM ${names.migration}`,
      params: [],
    })
    return numberOf(row, "version") ?? 0
  })

const tooNew = (version: number, { location }: Settings, migrations: ReadonlyArray<Migration>): JournalError =>
  JournalError.because(
    { _tag: "TooNew", version, known: migrations.length },
    `journal: ${location} was not opened: it has version ${version}, and this program knows up to ${migrations.length}`,
  )

const checkVersion = (
  version: number,
  settings: Settings,
  migrations: ReadonlyArray<Migration>,
): Effect.Effect<void, JournalError> => {
  if (version > migrations.length) return Effect.fail(tooNew(version, settings, migrations))
  return version === 0 && !settings.create
    ? Effect.fail(JournalError.because(
      { _tag: "Missing", path: settings.location },
      `journal: ${settings.location} was not opened: there is no journal`,
    ))
    : Effect.void
}

/** What the server must be, and what it can promise. */
const inspect = (ask: Ask, { location }: Settings): Effect.Effect<Prepared, SqlError | JournalError> =>
  Effect.gen(function* () {
    const { rows: [row] } = yield* ask({
      sql: `SELECT current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync`,
      params: [],
    })
    const encoding = row?.["encoding"]
    if (encoding !== "UTF8") {
      return yield* Effect.fail(JournalError.because(
        { _tag: "Invalid", field: "database" },
        `journal: ${location} was not opened: its encoding is ${String(encoding)}, and must be UTF8`,
      ))
    }
    return { durabilities: row?.["fsync"] === "on" ? ["memory", "os", "disk"] : ["memory", "os"] }
  })

const runSteps = (
  ask: Ask,
  settings: Settings,
  migrations: ReadonlyArray<Migration>,
): Effect.Effect<void, SqlError | JournalError> =>
  Effect.gen(function* () {
    const { names } = settings
    const run = (sql: string, ...params: ReadonlyArray<unknown>) => ask({ sql, params })
    yield* ask(control("BEGIN ISOLATION LEVEL READ COMMITTED"))
    yield* run(
      "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
      PgTypes.text(`sluice journal ${names.schemaName}`),
    )
    const { rows: [schema] } = yield* run("SELECT to_regnamespace($1) IS NULL AS missing", PgTypes.text(names.schema))
    // Not `IF NOT EXISTS`: that asks for the right to make schemas even where there is nothing to make.
    if (schema?.["missing"] === true) yield* run(`CREATE SCHEMA ${names.schema}`)
    // Somebody else may have been here while this one waited for the lock.
    const version = yield* versionOf(ask, settings)
    yield* checkVersion(version, { ...settings, create: true }, migrations)
    if (version === 0) {
      yield* run(`CREATE TABLE IF NOT EXISTS ${names.migration} (
        number integer PRIMARY KEY,
        name text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      )`)
    }
    for (const [index, { name, statements }] of migrations.entries()) {
      const number = index + 1
      if (number <= version) continue
      for (const sql of statements(names)) yield* run(sql)
      yield* run(
        `INSERT INTO ${names.migration} (number, name) VALUES ($1, $2)`,
        PgTypes.int4(number),
        PgTypes.text(name),
      )
    }
    yield* ask(control("COMMIT"))
  })

/**
 * Makes the journal, or brings it up to date. Who may only read can open one that is up to date: nothing is written then.
 */
export const prepare = (
  ask: Ask,
  settings: Settings,
  migrations: ReadonlyArray<Migration> = known,
): Effect.Effect<Prepared, SqlError | JournalError> =>
  Effect.gen(function* () {
    const prepared = yield* inspect(ask, settings)
    const version = yield* versionOf(ask, settings)
    yield* checkVersion(version, settings, migrations)
    if (version < migrations.length) yield* runSteps(ask, settings, migrations)
    return prepared
  })

/** What is said when it fails. */
export const opening = ({ location }: Settings): Tried => ({ what: "it was not opened", location, writes: true })
