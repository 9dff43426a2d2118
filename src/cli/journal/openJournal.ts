/**
 * Finds the journal that a flag, a variable or the nearest default path names, and opens it. Loads only the module of its
 * store.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Redacted from "effect/Redacted"
import { quote } from "../../base/quote.ts"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { JournalService } from "../../journal/JournalService.ts"
import type { CliProcess } from "../CliProcess.ts"
import { UsageError } from "../UsageError.ts"
import { nodeProcess } from "../../host/nodeProcess.ts"
import { readFileHead } from "../../host/runtimes/readFileHead.ts"

export type JournalLocation =
  | { readonly _tag: "Sqlite"; readonly path: string }
  | { readonly _tag: "Ndjson"; readonly path: string }
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted<string> }

export const defaultJournalPath = ".sluice/journal.db"

const acceptedForms =
  "FILE.db, FILE.sqlite or FILE.sqlite3 (SQLite), FILE.ndjson or FILE.jsonl (NDJSON), or postgres://HOST/DATABASE"

/** The first bytes of files that a store has made. */
const fileSignatures: ReadonlyArray<readonly [string, "Sqlite" | "Ndjson"]> = [
  // https://www.sqlite.org/fileformat2.html, section 1.3
  ["SQLite format 3\0", "Sqlite"],
  [`{"sluice":"journal"`, "Ndjson"],
]

const extensions: ReadonlyArray<readonly [RegExp, "Sqlite" | "Ndjson"]> = [
  [/\.(?:db|sqlite3?)$/i, "Sqlite"],
  [/\.(?:ndjson|jsonl)$/i, "Ndjson"],
]

/** The first bytes of a file, as Latin-1; `""` if it cannot be read. */
const readFileStart = (path: string): string => {
  const fs = nodeProcess()?.getBuiltinModule("node:fs")
  if (fs === undefined) return ""
  try {
    return String.fromCharCode(...readFileHead(fs, path, 32) ?? [])
  } catch {
    // The store reports the problem.
    return ""
  }
}

/** Parses a location: its store follows from the name, else from the first bytes of the file. */
export const parseLocation = (text: string, named = "--journal"): Effect.Effect<JournalLocation, UsageError> =>
  Effect.suspend((): Effect.Effect<JournalLocation, UsageError> => {
    if (/^postgres(?:ql)?:\/\//i.test(text)) {
      return Effect.succeed({ _tag: "Postgres", url: Redacted.make(text, { label: "journal" }) })
    }
    // Another URL may contain a password too, so the message quotes none.
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) {
      return Effect.fail(new UsageError(`${named}: no store for a URL of this kind; write ${acceptedForms}`))
    }
    const store = extensions.find(([extension]) => extension.test(text))?.[1] ??
      fileSignatures.find(([signature]) => readFileStart(text).startsWith(signature))?.[1]
    return store === undefined
      ? Effect.fail(new UsageError(`${named}: cannot tell the store of ${quote(text)}; write ${acceptedForms}`))
      : Effect.succeed({ _tag: store, path: text })
  })

/** The default journal of a directory, or of its nearest parent that has one. */
const findNearestJournal = (): string | undefined => {
  const process = nodeProcess()
  const fs = process?.getBuiltinModule("node:fs")
  if (process === undefined || fs === undefined) return undefined
  let directory = process.cwd().replace(/[/\\]+$/, "")
  for (;;) {
    const path = `${directory}/${defaultJournalPath}`
    if (fs.existsSync(path)) return path
    const above = directory.replace(/[/\\][^/\\]*$/, "")
    if (above === directory) return undefined
    directory = above
  }
}

/** The journal to write: the named one, else that of `SLUICE_JOURNAL`, else none. An empty variable counts as not set. */
export const configuredLocation = (
  cli: CliProcess,
  at: string | undefined,
): Effect.Effect<JournalLocation | undefined, UsageError> => {
  if (at !== undefined) return parseLocation(at)
  const text = cli.variable("SLUICE_JOURNAL") ?? ""
  return text === "" ? Effect.undefined : parseLocation(text, "SLUICE_JOURNAL")
}

/** The journal to read: the named one, else that of the environment, else the nearest default one. */
export const findLocation = (cli: CliProcess, at: string | undefined): Effect.Effect<JournalLocation, UsageError> =>
  Effect.flatMap(configuredLocation(cli, at), (chosen) => {
    if (chosen !== undefined) return Effect.succeed(chosen)
    const found = findNearestJournal()
    return found === undefined
      ? Effect.fail(
        new UsageError(
          `there is no ${defaultJournalPath} here or above; create one with sluice run --journal ${defaultJournalPath} -- COMMAND, ` +
            "or name one with --journal or SLUICE_JOURNAL",
        ),
      )
      : parseLocation(found)
  })

/** Mode of opening: `append` also creates a missing file. */
export type JournalAccess = "read" | "write" | "append"

/** Maximum time to wait for the lock of another writer. */
export const lockTimeout = "5 seconds"

const load = <A>(packages: string, module: () => Promise<A>): Effect.Effect<A, UsageError> =>
  Effect.tryPromise({
    try: module,
    catch: (error) =>
      new UsageError(`a journal in PostgreSQL needs the package ${packages}: npm install ${packages} (${error})`),
  })

/** Refuses a new file that is two or more folders below an existing one: a mistyped path must not create folders. */
const checkFolder = (location: JournalLocation): Effect.Effect<void, UsageError> => {
  if (location._tag === "Postgres") return Effect.void
  const node = nodeBuiltins()
  const paths = node?.getBuiltinModule("node:path")
  const above = paths?.dirname(paths.dirname(paths.resolve(location.path)))
  return above === undefined || node?.getBuiltinModule("node:fs").existsSync(above) === true
    ? Effect.void
    : Effect.fail(new UsageError(`the journal ${location.path} was not created: the folder ${above} does not exist`))
}

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
  configuredLocation(cli, at).pipe(
    Effect.flatMap((location) => location === undefined ? Effect.undefined : openJournal(location, "append")),
    Effect.catchTag("JournalError", ({ message }) => Effect.fail(new UsageError(message))),
  )
