/** Implements `sluice journal prune`: removes old entries, or the contents of ended commands, and prints a report. */
import * as Effect from "effect/Effect"
import { isOpen } from "../../history/CommandRecord.ts"
import { unfinishedCommands } from "../../history/unfinishedCommands.ts"
import { planPrune } from "../../history/planPrune.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { Journal } from "../../journal/JournalService.ts"
import type { PruneOptions, PruneReport } from "../../journal/PruneOptions.ts"
import { UsageError } from "../UsageError.ts"
import type { CliOutput, SubcommandEffect } from "./CliOutput.ts"
import { countText } from "./formatValues.ts"
import type { PruneFlags } from "./flags.ts"
import { resolveCommand } from "./resolveCommand.ts"

const emptyReport: PruneReport = { through: 0, removed: 0, stripped: 0, checkpoints: [] }

/** Resolves ids to whole ids; fails for commands that have not ended. */
const resolveEndedIds = (ids: ReadonlyArray<string>) =>
  Effect.forEach(
    ids,
    (id) =>
      Effect.flatMap(resolveCommand(id), (record) =>
        isOpen(record)
          ? Effect.fail(new UsageError(`--command-id: ${record.commandId} has not ended`))
          : Effect.succeed(record.commandId)),
  )

const reportText = ({ checkpoints, removed, stripped, through }: PruneReport, dryRun: boolean): string => {
  const parts = [
    ...(removed === 0 ? [] : [`${countText(removed, "entry", "entries")} up to position ${through}`]),
    ...(stripped === 0 ? [] : [`the contents of ${countText(stripped, "entry", "entries")}`]),
  ]
  if (parts.length === 0) return "nothing to prune"
  const what = parts.join(", and ")
  return dryRun ? `would prune ${what}` : `pruned ${what}; recorded at ${checkpoints.join(", ")}`
}

export const prune = (flags: PruneFlags, cliOutput: CliOutput): SubcommandEffect =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const { "dry-run": dryRun, "keep-bytes": keepBytes, "keep-entries": keepEntries, "older-than": olderThan } = flags
    const checkpoint = { by: cliOutput.cli.variable("USER") || "sluice journal prune", why: flags.why }
    const perform = (options: PruneOptions): Effect.Effect<PruneReport, JournalError, Journal> =>
      dryRun ? planPrune(options) : journal.prune({ ...options, ...checkpoint })

    const correlationIds = yield* resolveEndedIds(flags["command-id"])
    // In two steps, because a running command holds back the removal of old entries, but not the stripping of chosen
    // ones.
    const contents = correlationIds.length === 0 ? emptyReport : yield* perform({ correlationIds })
    const isOld = olderThan !== undefined || keepEntries !== undefined || keepBytes !== undefined
    const [oldest] = isOld ? yield* unfinishedCommands : []
    const entries = isOld
      ? yield* perform({ olderThan, keepEntries, keepBytes, keepFrom: oldest?.position })
      : emptyReport
    const report: PruneReport = {
      through: entries.through,
      removed: entries.removed,
      stripped: contents.stripped,
      checkpoints: [...contents.checkpoints, ...entries.checkpoints],
    }
    if (cliOutput.json) {
      yield* cliOutput.value({ dryRun, ...report, oldestOpen: oldest?.position })
      return 0
    }
    yield* cliOutput.lines(1, [reportText(report, dryRun)])
    if (oldest !== undefined) {
      yield* cliOutput.say(
        `entries from ${oldest.position} on stay: ${oldest.commandId} has not ended (${oldest.line})`,
      )
    }
    return 0
  })
