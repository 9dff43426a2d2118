/** Writes journals in files, for tests of the command line. */
import * as Effect from "effect/Effect"
import type { Journal, JournalError } from "../../../src/journal/Journal.ts"
import { NdjsonJournal } from "../../../src/journal/ndjson.ts"
import { SqliteJournal } from "../../../src/journal/sqlite.ts"
import { workshop } from "../../support/workshop.ts"
import { fakeProcess, runFakeProcess } from "../support.ts"

/** Writes into a journal, and closes it. */
export const fill = <A, E, R>(
  path: string,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | JournalError, Exclude<R, Journal>> =>
  Effect.provide(work, path.endsWith(".db") ? SqliteJournal.layer({ path }) : NdjsonJournal.layer({ path }))

/** What a process is told, and what it is. */
export interface Circumstances {
  readonly terminal?: boolean
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
}

/** What `sluice journal` says of a journal. */
export const readerOf = (file: string) => {
  const saidIn = ({ columns, env = {}, terminal = false }: Circumstances, ...args: ReadonlyArray<string>) =>
    runFakeProcess({
      ...fakeProcess(["journal", ...args, "--journal", file]),
      isTerminal: () => terminal,
      columns: () => columns,
      variable: (variable) => env[variable],
    })
  return { saidIn, said: (...args: ReadonlyArray<string>) => saidIn({}, ...args) }
}

/** A journal with something in it, and what `sluice journal` says of it. */
export const journalWith = <A, E, R>(work: Effect.Effect<A, E, R>, name = "j.db") =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    yield* fill(path(name), work)
    return { file: path(name), path, ...readerOf(path(name)) }
  })
