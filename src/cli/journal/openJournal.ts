/**
 * Opens the SQLite, NDJSON or PostgreSQL journal at a location, or the one that a server's flag or variable names.
 * Loads only the module of its store.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { JournalService } from "../../journal/JournalService.ts"
import type { CliProcess } from "../CliProcess.ts"
import { UsageError } from "../UsageError.ts"
import { configuredLocation, type JournalLocation } from "./location.ts"

/** How to open it: `append` also creates it if it is missing. */
export type JournalAccess = "read" | "write" | "append"

/** How long to wait for the lock of another writer. */
export const lockTimeout = "5 seconds"

const load = <A>(packages: string, module: () => Promise<A>): Effect.Effect<A, UsageError> =>
  Effect.tryPromise({
    try: module,
    catch: (error) =>
      new UsageError(`a journal in PostgreSQL needs the package ${packages}: npm install ${packages} (${error})`),
  })

/** Refuses a new file two folders or more below those that exist: a mistyped path must not make folders. */
const checkFolder = (location: JournalLocation): Effect.Effect<void, UsageError> => {
  if (location._tag === "Postgres") return Effect.void
  const node = nodeBuiltins()
  const paths = node?.getBuiltinModule("node:path")
  const above = paths?.dirname(paths.dirname(paths.resolve(location.path)))
  return above === undefined || node?.getBuiltinModule("node:fs").existsSync(above) === true
    ? Effect.void
    : Effect.fail(new UsageError(`the journal ${location.path} was not created: the folder ${above} does not exist`))
}

/** Opens a journal until the scope closes. */
export const openJournal = (
  location: JournalLocation,
  access: JournalAccess,
): Effect.Effect<JournalService, JournalError | UsageError, Scope.Scope> =>
  Effect.gen(function* () {
    const create = access === "append"
    if (create) yield* checkFolder(location)
    switch (location._tag) {
      case "Sqlite": {
        const { SqliteJournal } = yield* Effect.promise(() => import("../../journal/sqlite.ts"))
        return yield* SqliteJournal.make({ path: location.path, create, readOnly: access === "read", lockTimeout })
      }
      case "Ndjson": {
        const { NdjsonJournal } = yield* Effect.promise(() => import("../../journal/ndjson.ts"))
        const mode = access === "read" ? "read" : "write"
        return yield* NdjsonJournal.make({ path: location.path, create, mode, lockTimeout })
      }
      case "Postgres": {
        const { PostgresJournal } = yield* load("@effect/sql-pg", () => import("../../journal/postgres.ts"))
        // A command waits until the server is back; a report fails early.
        const retry = access === "append" ? undefined : { reconnectTimeout: "2 seconds" as const }
        return yield* PostgresJournal.make({ url: location.url, create, ...retry })
      }
    }
  })

/** Opens the journal of the flag or of the environment; `undefined` if neither names one. */
export const openServerJournal = (
  cli: CliProcess,
  at: string | undefined,
): Effect.Effect<JournalService | undefined, UsageError, Scope.Scope> =>
  Effect.suspend(() => {
    const location = configuredLocation(cli, at)
    if (location === undefined) return Effect.succeed(undefined)
    return Effect.flatMap(location, (where) => openJournal(where, "append")).pipe(
      Effect.catchTag("JournalError", ({ message }) => Effect.fail(new UsageError(message))),
    )
  })
