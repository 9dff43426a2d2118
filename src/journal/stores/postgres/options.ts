/**
 * Where a PostgreSQL journal is, and how patient its store is.
 *
 * @module
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ConnectionOptions } from "node:tls"
import { type DurationInput, readDuration } from "../../../base/duration.ts"
import { durationForms } from "../../../base/DurationText.ts"
import { JournalError } from "../../JournalError.ts"
import { locationOf, splitSchema } from "./location.ts"
import { type Names, namesOf } from "./names.ts"
import type { Address } from "./sockets.ts"

/** Settings of a PostgreSQL journal. What is given beside `url` wins over what the URL says. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`, as libpq reads it, `?sslmode=`, `?host=/socket/folder` and
   * `?options=` included, and `?schema=`, which is {@link PostgresOptions.schema}. Nothing is read from `PGHOST` and its
   * like.
   *
   * Source: PostgreSQL documentation, "34.1.1.2. Connection URIs".
   */
  readonly url?: Redacted.Redacted<string> | undefined
  /** A name, an address, or the folder of a Unix socket when it begins with `/`. Default: `"localhost"`. */
  readonly host?: string | undefined
  /** Default: 5432. */
  readonly port?: number | undefined
  /** Default: the database that is named like the user. */
  readonly database?: string | undefined
  /** Default: the user of this process. */
  readonly username?: string | undefined
  /** A password, or an effect that is run for each new connection (a token that expires). Default: none. */
  readonly password?: Redacted.Redacted<string> | Effect.Effect<Redacted.Redacted<string>> | undefined
  /** TLS: `true` checks the certificate against the system's authorities. Default: what the URL says, else `false`. */
  readonly ssl?: boolean | ConnectionOptions | undefined
  /** The schema whose tables are the journal; one database holds as many journals as schemas. Default: that of the URL, else `"sluice"`. */
  readonly schema?: string | undefined
  /** Whether the journal may be made when it is not there. Default: `true`; with `false` the error is `Missing`. */
  readonly create?: boolean | undefined
  /** Connections for reading, opened when they are needed and closed after a minute without use. Default: 2. */
  readonly readers?: number | undefined
  /** How the server's own lists call the connections. Default: what the URL says, else `"sluice"`. */
  readonly applicationName?: string | undefined
  /** How long one attempt to connect may take. Default: what the URL says, else 5 seconds. */
  readonly connectTimeout?: DurationInput | undefined
  /** How long to wait for other writers before the error is `Locked`. Default: 10 seconds. */
  readonly lockTimeout?: DurationInput | undefined
  /**
   * How long to try again while the server is down, when opening, reading and appending, before the error is
   * `Unavailable`. Default: 10 seconds; 0 fails at once.
   */
  readonly reconnectTimeout?: DurationInput | undefined
  /** How long a server that is there may take for one answer before the connection counts as lost. Default: 30 seconds. */
  readonly answerTimeout?: DurationInput | undefined
  /** How often to look whether a notification was missed. Default: 1 second; 10 milliseconds are the least. */
  readonly pollInterval?: DurationInput | undefined
}

/** Options with their defaults, in the form in which the store uses them. Times in milliseconds. */
export interface Settings {
  readonly config: PgConnection.Config
  readonly address: Address
  readonly names: Names
  readonly location: string
  readonly create: boolean
  readonly readers: number
  readonly lockTimeout: number
  readonly reconnectTimeout: number
  readonly answerTimeout: number
  readonly pollInterval: number
}

const leastPollInterval = 10

/**
 * Every scan has an index that gives its rows in order. Of a table that the server has not analyzed yet it believes that
 * few rows match, and would rather fetch and sort them all; and one plan for every tag and limit is a bad one for some.
 * What is switched off counts as so expensive where it is the only way that the statement would be compiled, for 70 ms.
 */
const planning = {
  plan_cache_mode: "force_custom_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  jit: "off",
}

/** A row must fit into one message of the server: the longest text that PostgreSQL keeps. */
const maxMessageSize = 1024 * 1024 * 1024

const invalid = (field: string, what: string): JournalError =>
  JournalError.because({ _tag: "Invalid", field }, `journal: the PostgreSQL journal was not opened: ${what}`)

const millisOf = (field: string, input: DurationInput): Effect.Effect<number, JournalError> => {
  const duration = readDuration(input)
  return duration !== undefined && Duration.toMillis(duration) >= 0
    ? Effect.succeed(Duration.toMillis(duration))
    : Effect.fail(invalid(field, `${field} is no time span; write ${durationForms}`))
}

/** Checks the options and fills in what is not given. */
export const settingsOf = (options: PostgresOptions): Effect.Effect<Settings, JournalError> =>
  Effect.gen(function* () {
    const { create = true, database, host, password, port, readers = 2, ssl, username } = options
    const given = options.url === undefined ? undefined : splitSchema(Redacted.value(options.url))
    const url = given === undefined ? undefined : Redacted.make(given.url)
    const schema = options.schema ?? given?.schema ?? "sluice"
    const names = namesOf(schema)
    if (names === undefined) {
      return yield* Effect.fail(
        invalid("schema", "its schema is not 1 to 55 bytes, or begins with pg_, or holds a NUL"),
      )
    }
    if (!Number.isSafeInteger(readers) || readers < 1) {
      return yield* Effect.fail(invalid("readers", "readers is below 1"))
    }
    const location = locationOf({
      url: given?.url,
      host,
      port,
      database,
      username,
      schema,
    })
    // The error of a URL that cannot be read would quote it, password and all.
    if (location === undefined) return yield* Effect.fail(invalid("url", "its URL, or its port, cannot be read"))
    const applicationName = options.applicationName ?? location.applicationName ?? "sluice"
    const { connectTimeout } = options
    return {
      config: {
        ...(url === undefined ? undefined : { url }),
        ...(host === undefined ? undefined : { host }),
        ...(port === undefined ? undefined : { port }),
        ...(database === undefined ? undefined : { database }),
        ...(username === undefined ? undefined : { username }),
        ...(password === undefined ? undefined : { password }),
        ...(ssl === undefined ? undefined : { ssl }),
        ...(connectTimeout === undefined
          ? undefined
          : { connectTimeout: yield* millisOf("connectTimeout", connectTimeout) }),
        applicationName,
        startupParameters: planning,
        maxMessageSize,
      },
      address: { host: location.host, port: location.port },
      names,
      location: location.text,
      create,
      readers,
      lockTimeout: yield* millisOf("lockTimeout", options.lockTimeout ?? "10 seconds"),
      reconnectTimeout: yield* millisOf("reconnectTimeout", options.reconnectTimeout ?? "10 seconds"),
      answerTimeout: yield* millisOf("answerTimeout", options.answerTimeout ?? "30 seconds"),
      pollInterval: Math.max(leastPollInterval, yield* millisOf("pollInterval", options.pollInterval ?? "1 second")),
    }
  })
