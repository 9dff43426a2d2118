/**
 * Implements `sluice journal repair`: rebuilds the indexes and tables that a journal derives from its entries.
 *
 * @module
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
      `indexes made again from ${countText(entries, "entry", "entries")}`,
      ...(marks === 0 ? [] : [`marks that did not fit: ${marks}`]),
      ...(objects.length === 0 ? [] : [`not as they were made: ${objects.join(", ")}`]),
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
        ? ["nothing to repair: an NDJSON journal keeps no indexes, and its end is whole"]
        : cuts.map(({ bytes, kept, position }) => `cut ${bytes} bytes from entry ${position} on; they are in ${kept}`),
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
        new UsageError("repair: PostgreSQL makes its indexes again itself: REINDEX TABLE SCHEMA.journal_entry"),
      )
  }
}
