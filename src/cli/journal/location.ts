/**
 * Parses the location of a journal from a flag, a variable or the default path, and determines its store: SQLite,
 * NDJSON or PostgreSQL.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { nodeProcess } from "../../leaves/local/nodeProcess.ts"
import { readHead } from "../../leaves/local/readHead.ts"
import type { CliProcess } from "../CliProcess.ts"
import { UsageError } from "../UsageError.ts"

/** Where a journal is. */
export type JournalLocation =
  | { readonly _tag: "Sqlite"; readonly path: string }
  | { readonly _tag: "Ndjson"; readonly path: string }
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted<string> }

/** The journal that is meant when nothing says which, from its directory on. */
export const defaultJournalPath = ".sluice/journal.db"

const forms =
  "FILE.db, FILE.sqlite or FILE.sqlite3 (SQLite), FILE.ndjson or FILE.jsonl (NDJSON), or postgres://HOST/DATABASE"

/** How a file begins that a store has made. */
const beginnings: ReadonlyArray<readonly [string, "Sqlite" | "Ndjson"]> = [
  // https://www.sqlite.org/fileformat2.html, section 1.3
  ["SQLite format 3\0", "Sqlite"],
  [`{"sluice":"journal"`, "Ndjson"],
]

const extensions: ReadonlyArray<readonly [RegExp, "Sqlite" | "Ndjson"]> = [
  [/\.(?:db|sqlite3?)$/i, "Sqlite"],
  [/\.(?:ndjson|jsonl)$/i, "Ndjson"],
]

/** The first bytes of a file, as Latin-1; `""` when there is none to read. */
const beginningOf = (path: string): string => {
  const fs = nodeProcess()?.getBuiltinModule("node:fs")
  if (fs === undefined) return ""
  try {
    return String.fromCharCode(...readHead(fs, path, 32) ?? [])
  } catch {
    // The store will say what is wrong with it.
    return ""
  }
}

/** Reads where a journal is: by its name, or where that says nothing by how the file begins. */
export const parseLocation = (text: string, named = "--journal"): Effect.Effect<JournalLocation, UsageError> =>
  Effect.suspend((): Effect.Effect<JournalLocation, UsageError> => {
    if (/^postgres(?:ql)?:\/\//i.test(text)) {
      return Effect.succeed({ _tag: "Postgres", url: Redacted.make(text, { label: "journal" }) })
    }
    // Another URL may have a password too, so none is quoted.
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) {
      return Effect.fail(new UsageError(`${named}: no store for a URL of this kind; write ${forms}`))
    }
    const store = extensions.find(([extension]) => extension.test(text))?.[1] ??
      beginnings.find(([beginning]) => beginningOf(text).startsWith(beginning))?.[1]
    return store === undefined
      ? Effect.fail(new UsageError(`${named}: "${text}" does not say which store it is; write ${forms}`))
      : Effect.succeed({ _tag: store, path: text })
  })

/** The usual journal of a directory, or of the nearest above it that has one. */
const nearest = (): string | undefined => {
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

/** The journal that the environment names; an empty variable is one that is not set. */
const ofVariable = (own: CliProcess): Effect.Effect<JournalLocation, UsageError> | undefined => {
  const name = "SLUICE_JOURNAL"
  const text = own.variable(name) ?? ""
  return text === "" ? undefined : parseLocation(text, name)
}

/** The journal to write: the one that is named, else that of the environment, if there is one. */
export const configuredLocation = (
  own: CliProcess,
  at: string | undefined,
): Effect.Effect<JournalLocation, UsageError> | undefined => at === undefined ? ofVariable(own) : parseLocation(at)

/** The journal to read: the one that is named, else that of the environment, else the nearest usual one. */
export const findLocation = (own: CliProcess, at: string | undefined): Effect.Effect<JournalLocation, UsageError> =>
  Effect.suspend(() => {
    const chosen = configuredLocation(own, at)
    if (chosen !== undefined) return chosen
    const found = nearest()
    return found === undefined
      ? Effect.fail(
        new UsageError(
          `there is no ${defaultJournalPath} here or above; make one with sluice run --journal ${defaultJournalPath} -- COMMAND, ` +
            "or name one with --journal or SLUICE_JOURNAL",
        ),
      )
      : parseLocation(found)
  })
