/** Implements `sluice journal list`: prints the commands of a journal, or with `--runs` the runs of agents. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type CommandRecord, isFailed, isOpen } from "../../history/CommandRecord.ts"
import { makeLivenessCheck } from "../../history/makeLivenessCheck.ts"
import { type ListOptions, scanCommands } from "../../history/listCommands.ts"
import { recordJson } from "../../history/recordJson.ts"
import { Journal } from "../../journal/JournalService.ts"
import type { CliOutput, SubcommandEffect } from "./CliOutput.ts"
import { agoText, durationText, isoText, shortIdLength, sizeText } from "./formatValues.ts"
import type { ListFlags } from "./flags.ts"
import { makeTextStyles } from "./TextStyle.ts"
import { stateText } from "./stateText.ts"
import { type Cell, type Column, Table } from "./table.ts"
import { resolveInstant } from "./parseValues.ts"
import { escapeInvisible } from "../../base/escapeInvisible.ts"
import { recordedRun } from "../../agent/replayAgent.ts"
import { AgentRunBranch } from "../../agent/AgentRunBranch.ts"
import type { JournalError } from "../../journal/JournalError.ts"

const runFilter = { branch: AgentRunBranch.name, tags: ["AgentRun"] }

/** Runs that are read at most: a run that was continued has several beginnings. */
const maxRuns = 1_000

const hasRuns: Effect.Effect<boolean, JournalError, Journal> = Effect.gen(function* () {
  const journal = yield* Journal
  return (yield* journal.read({ filter: runFilter, maxEntries: 1 })).length > 0
})

export const listRuns = (
  { iso, "max-count": maxCount = defaultMaxCount }: ListFlags,
  out: CliOutput,
): SubcommandEffect =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const begun = yield* journal.readBackward({ filter: runFilter, maxEntries: maxRuns })
    // The oldest entry of a run has its start time.
    const started = new Map(begun.map(({ correlationId, time }) => [correlationId, time]))
    const shown = [...started].slice(0, maxCount)
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
    const width = out.width
    const columns = ["ID", "STARTED", "END", "TASK"].map((title) => ({ title, side: "left" as const }))
    const table = new Table(columns, width, makeTextStyles(out.cli, 1).bold)
    const rows = runs.map(({ end, runId, started, task }) =>
      [runId, whenOf(started), end ?? "not ended", escapeInvisible(task)].map((text) => ({ text }))
    )
    yield* out.lines(1, table.lines(rows))
    return 0
  })

const defaultMaxCount = 50

/** Number of rows that are aligned with each other; more than a screen. */
const blockRows = 200

const columnsOf = (long: boolean): ReadonlyArray<Column> => [
  { title: "ID", side: "left" },
  { title: "STARTED", side: "left" },
  { title: "DURATION", side: "right" },
  { title: "EXIT", side: "left" },
  { title: "BYTES", side: "right" },
  ...(long ? (["USER", "HOST", "DIRECTORY"] as const).map((title) => ({ title, side: "left" }) as const) : []),
  { title: "COMMAND", side: "left" },
]

/** Collects the newest commands, oldest first. */
const lastOf = <A, E, R>(rows: Stream.Stream<A, E, R>, count: number | undefined): Stream.Stream<A, E, R> =>
  count === undefined ? rows : Stream.unwrap(
    Effect.map(Stream.runCollect(Stream.take(rows, count)), (all) => Stream.fromIterable([...all].reverse())),
  )

/** The fields that a row needs: a whole flags may hold a large input. */
interface Shown {
  readonly id: string
  readonly idLength: number
  readonly cells: ReadonlyArray<Cell>
}

const bytesText = ({ stderrBytes, stdoutBytes }: CommandRecord): string =>
  stdoutBytes === undefined || stderrBytes === undefined ? "-" : sizeText(stdoutBytes + stderrBytes)

const timeText = (record: CommandRecord, now: number): string => {
  if (record.durationMillis !== undefined) return durationText(record.durationMillis)
  const began = record.attempts.at(-1)?.time
  return isOpen(record) && began !== undefined ? `${durationText(Math.max(0, now - began))}…` : "-"
}

const optionsOf = (
  { command, "exit-code": exitCode, failed, grep, host, oldest, since, until }: ListFlags,
  now: number,
): ListOptions => ({
  since: since === undefined ? undefined : resolveInstant(since, now),
  until: until === undefined ? undefined : resolveInstant(until, now),
  failed,
  command,
  grep,
  exitCode,
  host,
  order: oldest ? "oldest" : "newest",
})

export const list = (flags: ListFlags, cliOutput: CliOutput): SubcommandEffect =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const now = yield* Clock.currentTimeMillis
    const scanned = scanCommands(journal, optionsOf(flags, now), makeLivenessCheck(journal))

    if (cliOutput.json) {
      const rows = scanned.pipe(
        Stream.flatMap(({ record }) => record === undefined ? Stream.empty : Stream.succeed(record)),
        Stream.take(flags["max-count"] ?? Infinity),
      )
      yield* Stream.runForEachArray(lastOf(rows, flags.tail), (records) =>
        cliOutput.lines(1, records.map((record) => JSON.stringify(recordJson(record)))))
      return 0
    }

    const styles = makeTextStyles(cliOutput.cli, 1)
    const relative = cliOutput.cli.isTerminal(1) && !flags.iso
    const cellsOf = (record: CommandRecord): ReadonlyArray<Cell> => [
      { text: relative ? agoText(record.requested, now) : isoText(record.requested) },
      { text: timeText(record, now) },
      {
        text: stateText(record.state),
        paint: isFailed(record) ? styles.red : isOpen(record) ? styles.yellow : undefined,
      },
      { text: bytesText(record) },
      ...(flags.long
        ? [record.user, record.host, record.workingDirectory].map((text) => ({ text: escapeInvisible(text ?? "-") }))
        : []),
      { text: record.line },
    ]
    const { tail } = flags
    const maxCount = tail ?? flags["max-count"] ?? defaultMaxCount
    const shown = scanned.pipe(
      Stream.zipWithPreviousAndNext,
      Stream.flatMap(([before, { commandId: id, record }, after]) => {
        if (record === undefined) {
          return Stream.empty
        }
        const neighbours = [before, after].map((other) =>
          Option.getOrUndefined(other)?.commandId
        )
        return Stream.succeed<Shown>({ id, idLength: shortIdLength(id, neighbours), cells: cellsOf(record) })
      }),
    )
    // Reads one more than requested, to detect that there are more.
    const blocks = Stream.grouped(
      tail === undefined ? Stream.take(shown, maxCount + 1) : lastOf(shown, tail),
      blockRows,
    )
    const table = new Table(
      columnsOf(flags.long),
      cliOutput.width,
      styles.bold,
    )
    let idLength = 0
    let count = 0
    yield* Stream.runForEach(blocks, (block) => {
      const rows = block.slice(0, maxCount - count)
      count += block.length
      idLength = rows.reduce((max, row) => Math.max(max, row.idLength), idLength)
      return cliOutput.lines(1, table.lines(rows.map(({ cells, id }) => [{ text: id.slice(0, idLength) }, ...cells])))
    })
    if (count === 0) {
      yield* cliOutput.say((yield* hasRuns) ? "no commands; --runs lists the runs of agents" : "no commands")
    } else if (count > maxCount && flags["max-count"] === undefined && tail === undefined) {
      yield* cliOutput.say("there are more; use --max-count all")
    }
    return 0
  })
