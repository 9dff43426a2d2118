/** Implements `sluice journal salvage FROM TO`. The new file is created only when it is complete. */
import * as Effect from "effect/Effect"
import { errorMessage } from "../../base/errorMessage.ts"
import { nodeProcess } from "../../host/nodeProcess.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { JournalStore } from "../../journal/Journal.ts"
import { UsageError } from "../UsageError.ts"
import type { CliOutput, SubcommandError } from "./CliOutput.ts"
import { countText } from "./formatValues.ts"
import { type JournalLocation, lockTimeout, parseLocation } from "./openJournal.ts"

type FileLocation = Exclude<JournalLocation, { readonly _tag: "Postgres" }>

const fileAt = (text: string, named: string): Effect.Effect<FileLocation, UsageError> =>
  Effect.flatMap(
    parseLocation(text, named),
    (location) =>
      location._tag === "Postgres"
        ? Effect.fail(new UsageError(`salvage: ${named} must be a file; for PostgreSQL use its own tools`))
        : Effect.succeed(location),
  )

/**
 * Opens the store of a file; loads its module on demand. `readOnly`: changes nothing in the file, and takes no lock.
 */
const openStore = ({ _tag }: FileLocation, path: string, readOnly: boolean) =>
  Effect.flatten(
    Effect.promise(async () =>
      _tag === "Sqlite"
        ? (await import("../../journal/sqlite.ts")).SqliteJournal.openStore({ path, lockTimeout, readOnly })
        : (await import("../../journal/ndjson.ts")).NdjsonJournal.openStore({
          path,
          lockTimeout,
          mode: readOnly ? "read" : "write",
        })
    ),
  )

const copy = (
  source: FileLocation,
  target: FileLocation,
  path: string,
): Effect.Effect<JournalStore.SalvageReport, JournalError> =>
  Effect.scoped(Effect.gen(function* () {
    const from = yield* openStore(source, source.path, true)
    return yield* JournalStore.salvage(from, yield* openStore(target, path, false))
  }))

const isThere = (path: string): boolean => nodeProcess()?.getBuiltinModule("node:fs").existsSync(path) === true

/**
 * Builds the journal in a temporary directory beside its target, and links it there once it is complete: a failed salvage
 * leaves nothing behind, and an existing file is never written, by whatever name.
 */
const createAtomically = (
  { path }: FileLocation,
  make: (path: string) => Effect.Effect<JournalStore.SalvageReport, JournalError>,
): Effect.Effect<JournalStore.SalvageReport, JournalError | UsageError> => {
  const process = nodeProcess()
  if (process === undefined) return make(path)
  const fs = process.getBuiltinModule("node:fs")
  const attempt = <A>(work: () => A): Effect.Effect<A, UsageError> =>
    Effect.try({
      try: work,
      catch: (error) => new UsageError(`salvage: cannot create ${path}: ${errorMessage(error)}`),
    })
  return Effect.acquireUseRelease(
    attempt(() => {
      const directory = `${path}.salvage-${crypto.randomUUID()}`
      fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
      return directory
    }),
    (directory) => {
      const unfinished = `${directory}/journal`
      return Effect.tap(make(unfinished), () => attempt(() => fs.linkSync(unfinished, path)))
    },
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true })),
  )
}

const rangesText = (ranges: ReadonlyArray<JournalStore.PositionRange>): string => {
  const shown = ranges.slice(0, 20).map(([from, to]) => from === to ? String(from) : `${from}-${to}`)
  return [...shown, ...(ranges.length > shown.length ? ["…"] : [])].join(", ")
}

const reportLines = (report: JournalStore.SalvageReport): ReadonlyArray<string> => {
  const { endLost, entries, leftOut, lost, lostEntries, removedThrough, unproven } = report
  return [
    `copied: ${countText(entries, "entry", "entries")}`,
    ...(lostEntries === 0 ? [] : [`lost: ${countText(lostEntries, "position", "positions")} (${rangesText(lost)})`]),
    ...(endLost ? ["lost: everything after the last copied entry"] : []),
    ...(unproven.length === 0 ? [] : [`not confirmed by the entry before: ${rangesText(unproven)}`]),
    ...(leftOut === 0 ? [] : [`left out, pruned contents and checkpoints: ${countText(leftOut, "entry", "entries")}`]),
    ...(removedThrough === 0 ? [] : [`pruned before: entries up to ${removedThrough}`]),
  ]
}

export const salvage = (
  from: string,
  to: string,
  cliOutput: CliOutput,
): Effect.Effect<number, SubcommandError> =>
  Effect.gen(function* () {
    const [source, target] = [yield* fileAt(from, "FROM"), yield* fileAt(to, "TO")]
    if (!isThere(source.path)) {
      return yield* Effect.fail(new UsageError(`salvage: ${from} does not exist`))
    }
    if (isThere(target.path)) {
      return yield* Effect.fail(new UsageError(`salvage: ${to} exists already; name a new journal`))
    }
    const report = yield* createAtomically(target, (path) => copy(source, target, path))
    if (cliOutput.json) yield* cliOutput.value(report)
    else yield* cliOutput.lines(1, reportLines(report))
    return 0
  })
