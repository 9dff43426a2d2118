/**
 * Declares the options of a PostgreSQL store and resolves them to settings.
 *
 * @module
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ConnectionOptions } from "node:tls"
import type { DurationInput } from "../../../base/duration.ts"
import { JournalError } from "../../JournalError.ts"
import type { JournalOptions } from "../../makeJournal.ts"
import { checkNames, readMillis } from "../storeOptions.ts"
import { type Address, parseLocation, splitSchema } from "./location.ts"
import { type TableNames, tableNames } from "./tableNames.ts"

/**
 * Where a PostgreSQL journal is, and how long its store waits. The other options override the parts of `url`.
 *
 * @stability stable
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
  /** TLS: `true` checks the certificate against the system's authorities. Default: what the URL says, else `false`. */
  readonly ssl?: boolean | ConnectionOptions | undefined
  /**
   * The schema that holds the tables of the journal; each schema of a database may be a journal. Default: what the URL
   * says, else `"sluice"`.
   */
  readonly schema?: string | undefined
  /** Whether a missing journal is created; else the error is `Missing`. Default: `true`. */
  readonly create?: boolean | undefined
  /** At most this many connections read; they are opened when needed and closed after an idle minute. Default: 2. */
  readonly maxReadConnections?: number | undefined
  /** The name of the connections in `pg_stat_activity`. Default: what the URL says, else `"sluice"`. */
  readonly applicationName?: string | undefined
  /** Time for one attempt to connect. Default: what the URL says, else 5 seconds. */
  readonly connectTimeout?: DurationInput | undefined
  /** Time to wait for other writers before the error is `Locked`. Default: 10 seconds. */
  readonly lockTimeout?: DurationInput | undefined
  /**
   * Time to try again while the server is down, on opening, reading and appending, before the error is `Unavailable`; 0
   * fails at once. Default: 10 seconds.
   */
  readonly reconnectTimeout?: DurationInput | undefined
  /** Time for one answer of the server; then the connection counts as lost. Default: 30 seconds. */
  readonly answerTimeout?: DurationInput | undefined
  /** How often a waiting reader looks for missed notifications. Default: 1 second, at least 10 milliseconds. */
  readonly pollInterval?: DurationInput | undefined
}

/** {@link PostgresOptions} with defaults. */
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
  readonly pollMillis: number
}

const minPollMillis = 10

const optionNames: Readonly<Record<keyof PostgresOptions | keyof JournalOptions, true>> = {
  url: true,
  host: true,
  port: true,
  database: true,
  username: true,
  password: true,
  ssl: true,
  schema: true,
  create: true,
  maxReadConnections: true,
  applicationName: true,
  connectTimeout: true,
  lockTimeout: true,
  reconnectTimeout: true,
  answerTimeout: true,
  pollInterval: true,
  durability: true,
}

/**
 * Every scan has an index that gives its rows in order. In a table without statistics the server expects few matches, and
 * would rather fetch and sort all of them; and one plan for every tag and limit is bad for some. A disabled method that is
 * the only one costs so much that the statement would be compiled, which takes 70 ms.
 */
const plannerSettings = {
  plan_cache_mode: "force_custom_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  jit: "off",
}

/** A row has to fit into one message of the server; PostgreSQL's longest text has 1 GiB. */
const maxMessageSize = 1024 * 1024 * 1024

const tried = "the PostgreSQL journal was not opened"

const invalid = (field: string, what: string): Effect.Effect<never, JournalError> =>
  Effect.fail(JournalError.because({ _tag: "Invalid", field }, `journal: ${tried}: ${what}`))

/** Checks the options and fills in the defaults; fails with `Invalid`. */
export const resolveOptions = (options: PostgresOptions): Effect.Effect<PostgresSettings, JournalError> =>
  Effect.gen(function* () {
    yield* checkNames("PostgresJournal", options, optionNames)
    const { create = true, database, host, maxReadConnections = 2, password, port, ssl, username } = options
    const fromUrl = options.url === undefined ? undefined : splitSchema(Redacted.value(options.url))
    const url = fromUrl === undefined ? undefined : Redacted.make(fromUrl.url)
    const schema = options.schema ?? fromUrl?.schema ?? "sluice"
    const names = tableNames(schema)
    if (names === undefined) {
      return yield* invalid("schema", "its schema must have 1 to 55 bytes, no NUL, and not begin with pg_")
    }
    if (!Number.isSafeInteger(maxReadConnections) || maxReadConnections < 1) {
      return yield* invalid("maxReadConnections", `maxReadConnections is ${maxReadConnections}; give 1 or more`)
    }
    const location = parseLocation({ url: fromUrl?.url, host, port, database, username, schema })
    // The client's error for a bad URL would quote it with its password.
    if (location === undefined) return yield* invalid("url", "its URL, or its port, cannot be parsed")
    const millis = (field: string, input: DurationInput) => readMillis(field, input, tried)
    const connectTimeout = options.connectTimeout === undefined
      ? undefined
      : yield* millis("connectTimeout", options.connectTimeout)
    return {
      config: {
        ...(url === undefined ? undefined : { url }),
        ...(host === undefined ? undefined : { host }),
        ...(port === undefined ? undefined : { port }),
        ...(database === undefined ? undefined : { database }),
        ...(username === undefined ? undefined : { username }),
        ...(password === undefined ? undefined : { password }),
        ...(ssl === undefined ? undefined : { ssl }),
        ...(connectTimeout === undefined ? undefined : { connectTimeout }),
        applicationName: options.applicationName ?? location.applicationName ?? "sluice",
        startupParameters: plannerSettings,
        maxMessageSize,
      },
      address: { host: location.host, port: location.port },
      names,
      location: location.text,
      create,
      maxReadConnections,
      lockTimeoutMillis: yield* millis("lockTimeout", options.lockTimeout ?? "10 seconds"),
      reconnectTimeoutMillis: yield* millis("reconnectTimeout", options.reconnectTimeout ?? "10 seconds"),
      answerTimeoutMillis: yield* millis("answerTimeout", options.answerTimeout ?? "30 seconds"),
      pollMillis: Math.max(minPollMillis, yield* millis("pollInterval", options.pollInterval ?? "1 second")),
    }
  })
