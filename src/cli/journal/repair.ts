/** Implements `sluice journal repair`: rebuilds indexes (SQLite), or moves an incomplete end aside (NDJSON). */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readEntriesToHead } from "../../history/readEntries.ts"
import type { NdjsonRepairReport } from "../../journal/stores/ndjson/options.ts"
import { UsageError } from "../UsageError.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { JournalService } from "../../journal/JournalService.ts"
import { type CliOutput, describeDamage, type SubcommandError } from "./CliOutput.ts"
import { countText } from "./formatValues.ts"
import { type JournalLocation, lockTimeout } from "./openJournal.ts"

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

/** Reads every entry; returns the first unreadable one, which no repair restores. */
const findDamage = (journal: JournalService): Effect.Effect<JournalError | undefined, JournalError> =>
  Effect.catchReason(
    Effect.as(Stream.runDrain(readEntriesToHead(journal, {})), undefined),
    "JournalError",
    "Corrupt",
    (_, error) => Effect.succeed(error),
  )

const repairNdjsonAt = (path: string, cliOutput: CliOutput): Effect.Effect<number, SubcommandError> =>
  Effect.gen(function* () {
    const { NdjsonJournal } = yield* Effect.promise(() => import("../../journal/ndjson.ts"))
    const cuts: Array<NdjsonRepairReport> = []
    const onRepair = (cut: NdjsonRepairReport): void => void cuts.push(cut)
    const damage = yield* Effect.scoped(
      Effect.flatMap(NdjsonJournal.make({ path, create: false, lockTimeout, onRepair }), findDamage),
    )
    const status = damage === undefined ? 0 : 1
    if (cliOutput.json) {
      yield* cliOutput.value({ cut: cuts[0], damaged: damage?.reason })
      return status
    }
    const moved = cuts.map(({ bytes, kept, position }) => `moved ${bytes} bytes from entry ${position} on to ${kept}`)
    const notRepaired = damage === undefined ? [] : [`not repaired: ${describeDamage(damage)}`]
    const lines = [...moved, ...notRepaired]
    yield* cliOutput.lines(
      1,
      lines.length > 0
        ? lines
        : ["nothing to repair: an NDJSON journal has no indexes, its end is complete, and its entries can be read"],
    )
    return status
  })

export const repair = (location: JournalLocation, cliOutput: CliOutput): Effect.Effect<number, SubcommandError> => {
  switch (location._tag) {
    case "Sqlite":
      return Effect.as(repairSqliteJournal(location.path, cliOutput), 0)
    case "Ndjson":
      return repairNdjsonAt(location.path, cliOutput)
    case "Postgres":
      return Effect.fail(
        new UsageError("repair: PostgreSQL rebuilds its own indexes: REINDEX TABLE SCHEMA.journal_entry"),
      )
  }
}
