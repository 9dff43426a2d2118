/** Implements `sluice journal list --runs`: prints the runs of agents in a journal with their ids, newest first. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { recordedRun } from "../../agent/replayAgent.ts"
import { AgentRunBranch } from "../../agent/AgentRunBranch.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { Journal } from "../../journal/JournalService.ts"
import type { CliOutput, SubcommandEffect } from "./CliOutput.ts"
import { escapeInvisible } from "../../base/escapeInvisible.ts"
import type { ListFlags } from "./flags.ts"
import { agoText, isoText } from "./formatValues.ts"
import { Table } from "./table.ts"
import { makeTextStyles } from "./TextStyle.ts"

const runFilter = { branch: AgentRunBranch.name, tags: ["AgentRun"] }

/** Runs that are read at most: a run that was continued has several beginnings. */
const maxRuns = 1_000

export const hasRuns: Effect.Effect<boolean, JournalError, Journal> = Effect.gen(function* () {
  const journal = yield* Journal
  return (yield* journal.read({ filter: runFilter, limit: 1 })).length > 0
})

export const listRuns = ({ iso, limit = 50 }: ListFlags, out: CliOutput): SubcommandEffect =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const begun = yield* journal.readBackward({ filter: runFilter, limit: maxRuns })
    // The oldest entry of a run says when it began.
    const started = new Map(begun.map(({ correlationId, time }) => [correlationId, time]))
    const shown = [...started].slice(0, limit)
    const runs = yield* Effect.forEach(shown, ([runId, time]) =>
      Effect.map(Effect.option(recordedRun(runId)), (found) => {
        const recorded = found._tag === "Some" ? found.value : undefined
        const { model, task = "" } = recorded?.run ?? {}
        return { runId, started: time, end: recorded?.end?.because, turns: recorded?.end?.turns, model, task }
      }))
    if (out.json) {
      yield* out.lines(
        1,
        runs.map((run) =>
          JSON.stringify(run)
        ),
      )
      return 0
    }
    if (runs.length === 0) {
      yield* out.say("no runs of agents")
      return 0
    }
    const now = yield* Clock.currentTimeMillis
    const whenOf = (time: number): string => out.cli.isTerminal(1) && !iso ? agoText(time, now) : isoText(time)
    const width = out.cli.isTerminal(1) ? out.cli.columns() ?? 80 : Infinity
    const columns = ["ID", "STARTED", "END", "TASK"].map((title) => ({ title, side: "left" as const }))
    const table = new Table(columns, width, makeTextStyles(out.cli, 1).bold)
    const rows = runs.map(({ end, runId, started, task }) =>
      [runId, whenOf(started), end ?? "not ended", escapeInvisible(task)].map((text) => ({ text }))
    )
    yield* out.lines(1, table.lines(rows))
    return 0
  })
