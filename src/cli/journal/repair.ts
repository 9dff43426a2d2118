/**
 * Implements `sluice journal repair`: rebuilds the indexes of a SQLite journal, or moves the incomplete end of an
 * NDJSON journal to a file beside it, and prints a report.
 */
import * as Effect from "effect/Effect"
import type { NdjsonRepairReport } from "../../journal/stores/ndjson/options.ts"
import { UsageError } from "../UsageError.ts"
import type { CliOutput, SubcommandError } from "./CliOutput.ts"
import { countText } from "./formatValues.ts"
import type { JournalLocation } from "./location.ts"
import { lockTimeout } from "./openJournal.ts"

const repairSqliteJournal = (path: string, cliOutput: CliOutput): Effect.Effect<void, SubcommandError> =>
  Effect.gen(function* () {
    const { SqliteJournal } = yield* Effect.promise(() => import("../../journal/sqlite.ts"))
    const report = yield* SqliteJournal.repair({ path, lockTimeout })
    if (cliOutput.json) return yield* cliOutput.value(report)
    const { entries, marks, objects } = report
    yield* cliOutput.lines(1, [
      `indexes rebuilt from ${countText(entries, "entry", "entries")}`,
      ...(marks === 0 ? [] : [`marks corrected: ${marks}`]),
      ...(objects.length === 0 ? [] : [`objects replaced or dropped: ${objects.join(", ")}`]),
    ])
  })

const repairNdjsonAt = (path: string, cliOutput: CliOutput): Effect.Effect<void, SubcommandError> =>
  Effect.gen(function* () {
    const { NdjsonJournal } = yield* Effect.promise(() => import("../../journal/ndjson.ts"))
    const cuts: Array<NdjsonRepairReport> = []
    const onRepair = (cut: NdjsonRepairReport): void => void cuts.push(cut)
    yield* Effect.scoped(NdjsonJournal.openStore({ path, create: false, lockTimeout, onRepair }))
    if (cliOutput.json) return yield* cliOutput.value({ cut: cuts[0] })
    yield* cliOutput.lines(
      1,
      cuts.length === 0
        ? ["nothing to repair: an NDJSON journal has no indexes, and its end is complete"]
        : cuts.map(({ bytes, kept, position }) => `moved ${bytes} bytes from entry ${position} on to ${kept}`),
    )
  })

/** Repairs a journal; `verify` then checks its entries. */
export const repair = (location: JournalLocation, cliOutput: CliOutput): Effect.Effect<number, SubcommandError> => {
  switch (location._tag) {
    case "Sqlite":
      return Effect.as(repairSqliteJournal(location.path, cliOutput), 0)
    case "Ndjson":
      return Effect.as(repairNdjsonAt(location.path, cliOutput), 0)
    case "Postgres":
      return Effect.fail(
        new UsageError("repair: PostgreSQL rebuilds its own indexes: REINDEX TABLE SCHEMA.journal_entry"),
      )
  }
}
