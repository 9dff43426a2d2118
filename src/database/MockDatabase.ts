/**
 * Makes the mock leaf of the Database branch, which answers requests by rules, for tests.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { globMatcher } from "../base/globMatcher.ts"
import { type ScriptedService, type ScriptOptions, scriptRequests } from "../branch/scriptRequests.ts"
import { Database } from "./Database.ts"
import { DatabaseBranch, databaseFault } from "./DatabaseBranch.ts"
import type { DatabaseEvent, DatabaseFault, DatabaseFaultKind, DatabaseRequest } from "./DatabaseEntry.ts"

type WithoutId<Event> = Event extends DatabaseEvent ? Omit<Event, "correlationId"> : never

/** A rule of the mock: the requests that it matches, and the event or fault that answers them. */
export interface MockDatabaseRule extends ScriptOptions {
  /** A glob for the SQL; a transaction matches by any of its statements. Default: all. */
  readonly sql?: string | undefined
  /** The answer, or the kind of its fault. */
  readonly answer: WithoutId<DatabaseEvent> | DatabaseFaultKind
}

/**
 * Makes a mock: the service, the requests it has seen, and the check of its expectations.
 *
 * @example
 * ```ts
 * import { Database, MockDatabase } from "@sluice/shell/database"
 * import { Effect } from "effect"
 *
 * const database = MockDatabase.make([{ sql: "INSERT *", answer: "Constraint", times: 1, expected: true }])
 * const insert = Effect.flip(Database.execute("INSERT INTO users VALUES (1)")).pipe(
 *   Effect.tap(database.verify),
 *   Effect.provideService(Database, database),
 * )
 * console.log((await Effect.runPromise(insert)).faultKind) // Constraint
 * ```
 */
export const make = (
  rules: ReadonlyArray<MockDatabaseRule>,
): ScriptedService<DatabaseRequest, DatabaseEvent, DatabaseFault> =>
  scriptRequests(
    DatabaseBranch,
    rules.map(({ answer, sql = "*", ...options }) => {
      const isSql = globMatcher(sql)
      return {
        ...options,
        name: sql === "*" ? "any request" : sql,
        matches: (request) => ("sql" in request ? [request] : request.statements).some((each) => isSql(each.sql)),
        answer: (request) =>
          typeof answer === "string"
            ? Effect.fail(databaseFault(request, answer, "a rule of the mock fails this request"))
            : Effect.succeed({ ...answer, correlationId: request.correlationId }),
      }
    }),
  )

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { Database, MockDatabase } from "@sluice/shell/database"
 * import { Effect } from "effect"
 *
 * const database = MockDatabase.layer([{ answer: { _tag: "DatabaseRows", columns: ["id"], rows: [[1], [2]] } }])
 * const rows = await Effect.runPromise(Effect.provide(Database.query("SELECT id FROM users"), database))
 * console.log(rows.length, rows[1]?.id) // 2 2
 * ```
 */
export const layer = (rules: ReadonlyArray<MockDatabaseRule>): Layer.Layer<Database> =>
  Layer.succeed(Database, make(rules))
