/**
 * Implements `sluice journal salvage FROM TO`: copies the readable entries of a damaged journal into a new file,
 * created only when complete, and prints the losses.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { errorMessage } from "../../base/errorMessage.ts"
import { nodeProcess } from "../../leaves/local/nodeProcess.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { PositionRange, SalvageReport } from "../../journal/salvage.ts"
import { UsageError } from "../UsageError.ts"
import type { CliOutput, SubcommandError } from "./CliOutput.ts"
import { countText } from "./formatValues.ts"
import { type JournalLocation, parseLocation } from "./location.ts"
import { lockTimeout } from "./openJournal.ts"

type FileLocation = Exclude<JournalLocation, { readonly _tag: "Postgres" }>

const fileAt = (text: string, named: string): Effect.Effect<FileLocation, UsageError> =>
  Effect.flatMap(
    parseLocation(text, named),
    (location) =>
      location._tag === "Postgres"
        ? Effect.fail(new UsageError(`salvage: ${named} must be a file; for PostgreSQL use its own tools`))
        : Effect.succeed(location),
  )

/** Loads the module of a store, on demand. */
const loadStore = ({ _tag }: FileLocation) =>
  Effect.promise(async () =>
    _tag === "Sqlite"
      ? (await import("../../journal/sqlite.ts")).SqliteJournal
      : (await import("../../journal/ndjson.ts")).NdjsonJournal
  )

/** Copies a damaged journal into a new one at `path`, of the store of the target. */
const copy = (source: FileLocation, target: FileLocation, path: string): Effect.Effect<SalvageReport, JournalError> =>
  Effect.scoped(Effect.gen(function* () {
    const store = yield* (yield* loadStore(target)).openStore({ path, lockTimeout })
    return yield* (yield* loadStore(source)).salvage({ path: source.path }, store)
  }))

const isThere = (path: string): boolean => nodeProcess()?.getBuiltinModule("node:fs").existsSync(path) === true

/**
 * Builds the journal in a temporary directory beside its target, and links it there once it is complete, after the folder
 * with the texts of a SQLite journal: a failed salvage leaves nothing behind, and an existing file is never written, by
 * whatever name.
 */
const createAtomically = (
  { path }: FileLocation,
  make: (path: string) => Effect.Effect<SalvageReport, JournalError>,
): Effect.Effect<SalvageReport, JournalError | UsageError> => {
  const process = nodeProcess()
  if (process === undefined) return make(path)
  const fs = process.getBuiltinModule("node:fs")
  const attempt = <A>(work: () => A): Effect.Effect<A, UsageError> =>
    Effect.try({
      try: work,
      catch: (error) => new UsageError(`salvage: cannot create ${path}: ${errorMessage(error)}`),
    })
  const publish = (unfinished: string): void => {
    const [from, to] = [`${unfinished}-texts`, `${path}-texts`]
    const hasTexts = fs.existsSync(from)
    if (hasTexts) fs.renameSync(from, to)
    try {
      fs.linkSync(unfinished, path)
    } catch (error) {
      if (hasTexts) fs.renameSync(to, from)
      throw error
    }
  }
  return Effect.acquireUseRelease(
    attempt(() => {
      const directory = `${path}.salvage-${crypto.randomUUID()}`
      fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
      return directory
    }),
    (directory) => {
      const unfinished = `${directory}/journal`
      return Effect.tap(make(unfinished), () => attempt(() => publish(unfinished)))
    },
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true })),
  )
}

const rangesText = (ranges: ReadonlyArray<PositionRange>): string => {
  const shown = ranges.slice(0, 20).map(([from, to]) => from === to ? String(from) : `${from}-${to}`)
  return [...shown, ...(ranges.length > shown.length ? ["…"] : [])].join(", ")
}

const reportLines = (report: SalvageReport): ReadonlyArray<string> => {
  const { entries, leftOut, lost, lostBytes, lostEntries, removedThrough, unproven } = report
  return [
    `copied: ${countText(entries, "entry", "entries")}`,
    ...(lostEntries === 0 ? [] : [`lost: ${countText(lostEntries, "position", "positions")} (${rangesText(lost)})`]),
    ...(lostBytes === 0 ? [] : [`not entries: ${lostBytes} bytes`]),
    ...(unproven.length === 0 ? [] : [`not confirmed by the entry before: ${rangesText(unproven)}`]),
    ...(leftOut === 0 ? [] : [`left out, pruned contents and checkpoints: ${countText(leftOut, "entry", "entries")}`]),
    ...(removedThrough === 0 ? [] : [`pruned before: entries up to ${removedThrough}`]),
  ]
}

/** Salvages a journal and prints a report. */
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
