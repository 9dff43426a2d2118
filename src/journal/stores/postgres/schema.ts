/** Creates or migrates the tables of a PostgreSQL journal in numbered steps. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { noHash } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { JournalErrorReason } from "../../JournalErrorReason.ts"
import type { Durability } from "../../JournalStore.ts"
import type { RunQuery } from "./connect.ts"
import type { PostgresSettings } from "./options.ts"
import { numberIn } from "./scan.ts"
import type { TableNames } from "./tableNames.ts"
import { controlStatement } from "./WriteConnection.ts"

export interface Migration {
  readonly name: string
  readonly statements: (names: TableNames) => ReadonlyArray<string>
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * Compresses bodies with LZ4: the server's own method takes five times as long. Servers before 14, and those built without
 * LZ4, keep their own.
 */
const fastCompression = (entry: string): string => {
  const alter = literal(`ALTER TABLE ${entry} ALTER COLUMN body SET COMPRESSION lz4`)
  return `DO ${literal(`BEGIN EXECUTE ${alter}; EXCEPTION WHEN feature_not_supported OR syntax_error THEN NULL; END`)}`
}

/**
 * The steps, numbered from 1. Add steps, but never change one: existing journals have run it.
 *
 * Text is compared byte by byte (`COLLATE "C"`): faster, and no upgrade of a locale can break an index. The body is `text`
 * and not `jsonb`, which would change what was hashed. Each filter has an index that gives its entries in order, so that no
 * plan sorts a journal for one page of it.
 */
export const migrations: ReadonlyArray<Migration> = [{
  name: "entries and head",
  statements: ({ entry, head }) => [
    `CREATE TABLE ${entry} (
      position bigint PRIMARY KEY,
      time bigint NOT NULL,
      version bigint NOT NULL,
      branch text COLLATE "C" NOT NULL,
      correlation_id text COLLATE "C" NOT NULL,
      tag text COLLATE "C" NOT NULL,
      hash text COLLATE "C" NOT NULL,
      body text COLLATE "C" NOT NULL
    )`,
    fastCompression(entry),
    `CREATE INDEX journal_entry_correlation ON ${entry} (correlation_id, position)`,
    `CREATE INDEX journal_entry_tag ON ${entry} (tag, position)`,
    `CREATE INDEX journal_entry_branch ON ${entry} (branch, position)`,
    // Half of the page stays free, so that a new version of the row fits next to the old one.
    `CREATE TABLE ${head} (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      position bigint NOT NULL,
      hash text COLLATE "C" NOT NULL
    ) WITH (fillfactor = 50)`,
    `INSERT INTO ${head} (position, hash) VALUES (0, '${noHash}')`,
  ],
}]

const notOpened = (location: string, reason: JournalErrorReason, what: string): JournalError =>
  JournalError.because(reason, `journal: ${location} was not opened: ${what}`)

/** Reads how many steps a journal has run; 0 if there is none. */
const readVersion = (run: RunQuery, { names }: PostgresSettings): Effect.Effect<number, SqlError> =>
  Effect.gen(function* () {
    const params = [PgTypes.text(names.migration)]
    const { rows: [table] } = yield* run({ sql: "SELECT to_regclass($1) IS NOT NULL AS found", params })
    if (table?.["found"] !== true) return 0
    const sql = `SELECT coalesce(max(number), 0)::float8 AS version FROM ${names.migration}`
    const { rows: [row] } = yield* run({ sql, params: [] })
    return numberIn(row, "version") ?? 0
  })

const checkVersion = (
  version: number,
  { create, location }: Pick<PostgresSettings, "create" | "location">,
): Effect.Effect<void, JournalError> => {
  const known = migrations.length
  if (version > known) {
    return Effect.fail(notOpened(
      location,
      { _tag: "TooNew", version, known },
      `its version ${version} is newer than ${known}, the last known one; update this program`,
    ))
  }
  return version === 0 && !create
    ? Effect.fail(notOpened(location, { _tag: "Missing", path: location }, "there is no journal"))
    : Effect.void
}

const inspectServer = (
  run: RunQuery,
  { location }: PostgresSettings,
): Effect.Effect<ReadonlyArray<Durability>, SqlError | JournalError> =>
  Effect.gen(function* () {
    const sql = "SELECT current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync"
    const { rows: [row] } = yield* run({ sql, params: [] })
    const encoding = row?.["encoding"]
    if (encoding !== "UTF8") {
      const what = `its encoding is ${String(encoding)}, and must be UTF8`
      return yield* Effect.fail(notOpened(location, { _tag: "Invalid", field: "database" }, what))
    }
    return row?.["fsync"] === "on" ? ["memory", "os", "disk"] : ["memory", "os"]
  })

/** Runs the missing steps as one transaction, under a lock that other processes wait for. */
const migrate = (run: RunQuery, settings: PostgresSettings): Effect.Effect<void, SqlError | JournalError> =>
  Effect.gen(function* () {
    const { location, names } = settings
    const execute = (sql: string, ...params: ReadonlyArray<unknown>) => run({ sql, params })
    yield* run(controlStatement("BEGIN ISOLATION LEVEL READ COMMITTED"))
    yield* execute(
      "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
      PgTypes.text(`sluice journal ${names.schemaName}`),
    )
    const { rows: [schema] } = yield* execute(
      "SELECT to_regnamespace($1) IS NULL AS missing",
      PgTypes.text(names.schema),
    )
    // Not `IF NOT EXISTS`, which needs the right to create schemas even if none is created.
    if (schema?.["missing"] === true) yield* execute(`CREATE SCHEMA ${names.schema}`)
    // Another process may have run steps while this one waited for the lock.
    const version = yield* readVersion(run, settings)
    yield* checkVersion(version, { create: true, location })
    if (version === 0) {
      yield* execute(`CREATE TABLE IF NOT EXISTS ${names.migration} (
        number integer PRIMARY KEY,
        name text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      )`)
    }
    for (const [index, { name, statements }] of migrations.entries()) {
      if (index < version) continue
      for (const sql of statements(names)) yield* execute(sql)
      yield* execute(
        `INSERT INTO ${names.migration} (number, name) VALUES ($1, $2)`,
        PgTypes.int4(index + 1),
        PgTypes.text(name),
      )
    }
    yield* run(controlStatement("COMMIT"))
  })

/**
 * Creates the tables, or brings them up to date; returns which durabilities the server can provide. Writes nothing to a
 * journal that is up to date, so that a user with the right to read can open it.
 */
export const prepareSchema = (
  run: RunQuery,
  settings: PostgresSettings,
): Effect.Effect<ReadonlyArray<Durability>, SqlError | JournalError> =>
  Effect.gen(function* () {
    const durabilities = yield* inspectServer(run, settings)
    const version = yield* readVersion(run, settings)
    yield* checkVersion(version, settings)
    if (version < migrations.length) yield* migrate(run, settings)
    return durabilities
  })
