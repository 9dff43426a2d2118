/**
 * `sluice journal salvage FROM TO`: what can be read of a damaged journal, in a new one.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { nodeProcess } from "../../leaves/local/nodeBuiltins.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { JournalStore } from "../../journal/JournalStore.ts"
import type { PositionRange, SalvageReport } from "../../journal/salvage.ts"
import { UsageError } from "../UsageError.ts"
import type { Desk, DeskError } from "./Desk.ts"
import { countText } from "./humane.ts"
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

const openNew = ({ _tag, path }: FileLocation): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  _tag === "Sqlite"
    ? Effect.flatMap(
      Effect.promise(() => import("../../journal/sqlite.ts")),
      ({ openSqlite }) => openSqlite({ path, lockTimeout }),
    )
    : Effect.flatMap(
      Effect.promise(() => import("../../journal/ndjson.ts")),
      ({ openNdjson }) => openNdjson({ path, lockTimeout }),
    )

const copyInto = ({ _tag, path }: FileLocation, to: JournalStore): Effect.Effect<SalvageReport, JournalError> =>
  _tag === "Sqlite"
    ? Effect.flatMap(
      Effect.promise(() => import("../../journal/sqlite.ts")),
      ({ salvageSqlite }) => salvageSqlite({ path }, to),
    )
    : Effect.flatMap(
      Effect.promise(() => import("../../journal/ndjson.ts")),
      ({ salvageNdjson }) => salvageNdjson({ path }, to),
    )

/** Opening the new journal writes: what is there already may be the damaged one, by whatever name. */
const isThere = (path: string): boolean => nodeProcess()?.getBuiltinModule("node:fs").existsSync(path) === true

const rangesText = (ranges: ReadonlyArray<PositionRange>): string => {
  const shown = ranges.slice(0, 20).map(([from, to]) => from === to ? String(from) : `${from}-${to}`)
  return [...shown, ...(ranges.length > shown.length ? ["…"] : [])].join(", ")
}

const reportLines = (report: SalvageReport): ReadonlyArray<string> => {
  const { entries, leftOut, lost, lostBytes, lostEntries, removedThrough, unproven } = report
  return [
    `copied: ${countText(entries, "entry", "entries")}`,
    ...(lostEntries === 0 ? [] : [`lost: ${countText(lostEntries, "position", "positions")} (${rangesText(lost)})`]),
    ...(lostBytes === 0 ? [] : [`no entries: ${lostBytes} bytes`]),
    ...(unproven.length === 0 ? [] : [`not proven by the entry before them: ${rangesText(unproven)}`]),
    ...(leftOut === 0 ? [] : [`left out, pruned contents and checkpoints: ${countText(leftOut, "entry", "entries")}`]),
    ...(removedThrough === 0 ? [] : [`pruned before: entries up to ${removedThrough}`]),
  ]
}

/** Salvages a journal. */
export const salvage = (
  { from, to }: { readonly from: string; readonly to: string },
  desk: Desk,
): Effect.Effect<number, DeskError> =>
  Effect.scoped(Effect.gen(function* () {
    const [source, target] = [yield* fileAt(from, "FROM"), yield* fileAt(to, "TO")]
    if (!isThere(source.path)) return yield* Effect.fail(new UsageError(`salvage: ${from} is not there`))
    if (isThere(target.path)) {
      return yield* Effect.fail(new UsageError(`salvage: ${to} is there already; name a new journal`))
    }
    const report = yield* copyInto(source, yield* openNew(target))
    if (desk.json) yield* desk.value(report)
    else yield* desk.lines(1, reportLines(report))
    return 0
  }))
