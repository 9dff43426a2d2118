/** Declares the options of a PostgreSQL journal, and resolves them to settings with defaults. */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type { ConnectionOptions } from "node:tls"
import { defined } from "../../../base/defined.ts"
import { type DurationInput, millisOf } from "../../../base/duration.ts"
import { OptionError } from "../../../base/OptionError.ts"
import type { JournalError } from "../../JournalError.ts"
import type { JournalOptions } from "../../makeJournal.ts"
import * as StoreOption from "../storeOptions.ts"
import { type Address, parseLocation, splitSchema } from "../../../sql/postgresLocation.ts"
import { type TableNames, tableNames } from "./tableNames.ts"

/**
 * Location of a PostgreSQL journal, and the time limits of its store. The other options override the parts of `url`.
 */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`, as libpq reads it, `?sslmode=`, `?host=/socket/folder` and
   * `?options=` included, and `?schema=`, which is {@link PostgresOptions.schema}. Variables such as `PGHOST` are not read.
   *
   * Source: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
   */
  readonly url?: Redacted.Redacted<string> | undefined
  /** A name, an address, or the folder of a Unix socket when it begins with `/`. Default: `"localhost"`. */
  readonly host?: string | undefined
  /** Default: 5432. */
  readonly port?: number | undefined
  /** Default: the database with the name of the user. */
  readonly database?: string | undefined
  /** Default: the user of this process. */
  readonly username?: string | undefined
  /** A password, or an effect that returns it for each new connection (a token that expires). Default: none. */
  readonly password?: Redacted.Redacted<string> | Effect.Effect<Redacted.Redacted<string>> | undefined
  /** TLS: `true` checks the certificate against the system's authorities. Default: the URL's, else `false`. */
  readonly ssl?: boolean | ConnectionOptions | undefined
  /**
   * The schema that holds the tables of the journal; each schema of a database may be a journal. Default: the URL's, else
   * `"sluice"`.
   */
  readonly schema?: string | undefined
  /** Whether a missing journal is created; else the error is `Missing`. Default: `true`. */
  readonly create?: boolean | undefined
  /**
   * Maximum number of connections that read; they are opened when needed and closed after an idle minute. Default: 2.
   */
  readonly maxReadConnections?: number | undefined
  /** The name of the connections in `pg_stat_activity`. Default: the URL's, else `"sluice"`. */
  readonly applicationName?: string | undefined
  /** Time for one attempt to connect. Default: the URL's, else 5 seconds. */
  readonly connectTimeout?: DurationInput | undefined
  /** Time to wait for other writers before the error is `Locked`. Default: 10 seconds. */
  readonly lockTimeout?: DurationInput | undefined
  /**
   * Time for which opening, reading and appending are retried while the server is down; then the error is
   * `Unavailable`. With 0 they fail at once. Default: 10 seconds.
   */
  readonly reconnectTimeout?: DurationInput | undefined
  /** Time limit for one answer of the server; then the connection counts as lost. Default: 30 seconds. */
  readonly answerTimeout?: DurationInput | undefined
  /**
   * Interval at which a waiting reader checks for missed notifications. Default: 1 second, at least 10 milliseconds.
   */
  readonly pollInterval?: DurationInput | undefined
}

export interface PostgresSettings {
  readonly config: PgConnection.Config
  readonly address: Address
  readonly names: TableNames
  /** The journal's URL without its password. */
  readonly location: string
  readonly create: boolean
  readonly maxReadConnections: number
  readonly lockTimeoutMillis: number
  readonly reconnectTimeoutMillis: number
  readonly answerTimeoutMillis: number
  readonly pollIntervalMillis: number
}

const minPollMillis = 10

const isRedactedText = (value: unknown): boolean =>
  Redacted.isRedacted(value) && typeof Redacted.value(value) === "string"

const redactedText = "a Redacted string, such as Redacted.make(text) of Effect"

const checks: StoreOption.OptionChecks<PostgresOptions & JournalOptions> = {
  url: { what: redactedText, isSecret: true, isValid: (value) => value === undefined || isRedactedText(value) },
  host: StoreOption.text,
  port: StoreOption.count(65_535),
  database: StoreOption.text,
  username: StoreOption.text,
  password: {
    what: `${redactedText}, or an Effect that returns one`,
    isSecret: true,
    isValid: (value) => value === undefined || isRedactedText(value) || Effect.isEffect(value),
  },
  ssl: {
    what: "true, false or options of node:tls",
    isValid: (value) => value === undefined || typeof value === "boolean" || Predicate.isObject(value),
  },
  schema: StoreOption.text,
  create: StoreOption.flag,
  maxReadConnections: StoreOption.count(Infinity),
  applicationName: StoreOption.text,
  connectTimeout: StoreOption.duration,
  lockTimeout: StoreOption.duration,
  reconnectTimeout: StoreOption.duration,
  answerTimeout: StoreOption.duration,
  pollInterval: StoreOption.duration,
  durability: StoreOption.durability,
}

/**
 * Settings of the planner. Every scan has an index that gives its rows in order, but in a table without statistics the
 * server expects few matches, and would fetch and sort all of them. One plan for every tag and limit would also be bad
 * for some of them. If the only possible method is disabled, its estimated cost is so high that the server would
 * compile the statement, which takes 70 ms.
 */
const plannerSettings = {
  plan_cache_mode: "force_custom_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  jit: "off",
}

/** A row has to fit into one message of the server; PostgreSQL's longest text has 1 GiB. */
const maxMessageSize = 1024 * 1024 * 1024

export const resolveOptions = (options: PostgresOptions): Effect.Effect<PostgresSettings, JournalError> =>
  StoreOption.resolveStoreOptions("PostgresJournal", options, checks, (options) => {
    const { connectTimeout, create = true, database, host, maxReadConnections = 2, password, port, ssl, username } =
      options
    const fromUrl = options.url === undefined ? undefined : splitSchema(Redacted.value(options.url))
    const schema = options.schema ?? fromUrl?.schema ?? "sluice"
    const names = tableNames(schema)
    if (names === undefined) {
      throw new OptionError(
        "schema",
        "PostgresJournal: its schema must have 1 to 55 bytes, no NUL, and not begin with pg_",
      )
    }
    const location = parseLocation({ url: fromUrl?.url, host, port, database, username, schema })
    // The client's error for a bad URL would quote it with its password.
    if (location === undefined) {
      throw new OptionError("url", "PostgresJournal: its URL, or the port in it, cannot be parsed")
    }
    return {
      config: {
        ...defined({
          url: fromUrl && Redacted.make(fromUrl.url),
          host,
          port,
          database,
          username,
          password,
          ssl,
          connectTimeout: connectTimeout === undefined ? undefined : millisOf("connectTimeout", connectTimeout),
        }),
        applicationName: options.applicationName ?? location.applicationName ?? "sluice",
        startupParameters: plannerSettings,
        maxMessageSize,
      },
      address: { host: location.host, port: location.port },
      names,
      location: location.text,
      create,
      maxReadConnections,
      lockTimeoutMillis: millisOf("lockTimeout", options.lockTimeout ?? "10 seconds"),
      reconnectTimeoutMillis: millisOf("reconnectTimeout", options.reconnectTimeout ?? "10 seconds"),
      answerTimeoutMillis: millisOf("answerTimeout", options.answerTimeout ?? "30 seconds"),
      pollIntervalMillis: Math.max(minPollMillis, StoreOption.pollMillisOf(options.pollInterval ?? "1 second")),
    }
  })
