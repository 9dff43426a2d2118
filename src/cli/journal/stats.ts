/** Implements `sluice journal stats`. */
import * as Effect from "effect/Effect"
import type { CommandStats } from "../../history/CommandCounter.ts"
import { commandStats } from "../../history/commandStats.ts"
import { Journal, type JournalStats } from "../../journal/JournalService.ts"
import type { CliOutput, SubcommandEffect } from "./CliOutput.ts"
import { countText, durationText, isoText, sizeText } from "./formatValues.ts"
import { makeTextStyles } from "./TextStyle.ts"
import { type Column, Table } from "./table.ts"
import { formatHead } from "./verify.ts"
import { escapeInvisible } from "../../base/escapeInvisible.ts"

const left = (title: string): Column => ({ title, side: "left" })
const right = (title: string): Column => ({ title, side: "right" })

const outcomeColumns: ReadonlyArray<Column> = [right("COMMANDS"), left("ENDED WITH")]
const programColumns: ReadonlyArray<Column> = [right("COMMANDS"), right("FAILED"), right("TIME"), left("PROGRAM")]

const nameWidth = 11

const factsOf = (journal: JournalStats, commands: CommandStats): ReadonlyArray<readonly [string, string]> => {
  const { bytes, entries, first, head, location, store } = journal
  const range = entries === 0 ? "" : `, positions ${first} to ${head.position}`
  const { first: from, last: to, stderrBytes, stdoutBytes } = commands
  const span = from === undefined || to === undefined ? "" : `, from ${isoText(from)} to ${isoText(to)}`
  return [
    ["journal", `${escapeInvisible(location)} (${store})`],
    ["entries", `${countText(entries, "entry", "entries")}${range}`],
    ["size", sizeText(bytes)],
    ["head", formatHead(head)],
    ["commands", `${countText(commands.commands, "command", "commands")}${span}`],
    ["output", `${sizeText(stdoutBytes)} on stdout, ${sizeText(stderrBytes)} on stderr`],
  ]
}

export const stats = (cliOutput: CliOutput): SubcommandEffect =>
  Effect.gen(function* () {
    const journal = yield* (yield* Journal).stats
    const commands = yield* commandStats()
    if (cliOutput.json) {
      const { first: from, last: to, outcomes, ...counts } = commands
      yield* cliOutput.value({ ...journal, ...counts, from, to, outcomes: Object.fromEntries(outcomes) })
      return 0
    }
    const { bold, faint } = makeTextStyles(cliOutput.cli, 1)
    const room = cliOutput.width
    const outcomes = new Table(outcomeColumns, room, bold)
    const programs = new Table(programColumns, room, bold)
    const count = (number: number): string => number.toLocaleString("en-US")
    yield* cliOutput.lines(1, [
      ...factsOf(journal, commands).map(([name, text]) => faint(name.padEnd(nameWidth)) + text),
      ...(commands.commands === 0 ? [] : [
        "",
        ...outcomes.lines([...commands.outcomes].map(([name, number]) => [{ text: count(number) }, { text: name }])),
        "",
        ...programs.lines(commands.programs.map(({ commands, durationMillis, failed, program }) => [
          { text: count(commands) },
          { text: count(failed) },
          { text: durationText(durationMillis) },
          { text: escapeInvisible(program) },
        ])),
      ]),
    ])
    return 0
  })
