/** Implements `sluice journal show`: prints one command and its output, or the tree of another request. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Attempt, CommandRecord } from "../../history/CommandRecord.ts"
import { commandOutput, entriesOf } from "../../history/commandOutput.ts"
import { display } from "../../command/Secret.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { type CliOutput, entryLines, type SubcommandEffect } from "./CliOutput.ts"
import { durationText, sizeText, whenText } from "./formatValues.ts"
import { findCommand } from "../../history/findCommand.ts"
import { ComputeBranch } from "../../compute/ComputeBranch.ts"
import { Journal } from "../../journal/JournalService.ts"
import { findTree, showTree } from "./tree.ts"
import type { ShowFlags } from "./flags.ts"
import { LineAssembler } from "./LineAssembler.ts"
import { withRecordedOutput, writePieces, writeTexts } from "./RecordedOutput.ts"
import { checkAttempt, resolveCommand } from "./resolveCommand.ts"
import { makeTextStyles } from "./TextStyle.ts"
import { stateSentence } from "./stateText.ts"
import { escapeInvisible } from "../../base/escapeInvisible.ts"
import { hostAndPort } from "../../egress/canonicalHost.ts"
import { egressBranch, EgressDecision } from "../../egress/EgressDecision.ts"
import type { JournalError } from "../../journal/JournalError.ts"

/** Maximum number of decisions that are read, and of lines that are shown: a command may cause any number. */
const maxDecisions = 10_000
const maxLines = 20

const decode = Schema.decodeUnknownOption(EgressDecision)

const lineOf = ({ allowed, entry, host, message, port }: EgressDecision): string =>
  allowed
    ? `${hostAndPort(host, port)} allowed by ${entry ?? "an entry"}`
    : `${hostAndPort(host, port)} refused: ${message ?? "no reason"}`

/** The lines, in the order of the first decision on each host. Empty for a command without a network. */
const networkFacts = (
  { commandId, position }: CommandRecord,
): Effect.Effect<ReadonlyArray<string>, JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const entries = yield* journal.read({
      after: position,
      filter: { branch: egressBranch, correlationId: commandId },
      maxEntries: maxDecisions,
    })
    const counts = new Map<string, number>()
    for (const { body } of entries) {
      const decision = Option.getOrUndefined(decode(body))
      if (decision === undefined) continue
      const line = lineOf(decision)
      counts.set(line, (counts.get(line) ?? 0) + 1)
    }
    const lines = [...counts].map(([line, count]) => count === 1 ? line : `${line} (${count} times)`)
    const isCut = lines.length > maxLines || entries.length === maxDecisions
    return isCut ? [...lines.slice(0, maxLines), "and more: see journal export"] : lines
  })

/** A fact of a command; left out without a text. */
type Field = readonly [name: string, text: string | undefined]

const inputText = (input: NonNullable<ShellExec["input"]>): string =>
  input instanceof Uint8Array
    ? sizeText(input.length)
    : typeof input === "string"
    ? escapeInvisible(input)
    : display(input)

const environmentText = (environment: NonNullable<ShellExec["environment"]>): string =>
  Object.entries(environment).map(([name, value]) => value === null ? `-${name}` : `${name}=${display(value)}`).join(
    " ",
  )

const runText = ({ lease, number }: Attempt, count: number): string => {
  const user = lease?.execution?.user
  const as = user === undefined ? "" : ` as ${user}`
  const who = lease === undefined ? "" : `${lease.daemonId} (process ${lease.host.pid} on ${lease.host.host}${as})`
  return count === 1 && number === 1 ? who : `${who}, run ${number}`.replace(/^, /, "")
}

const outputText = ({ stderrBytes, stdoutBytes }: CommandRecord): string | undefined =>
  stdoutBytes === undefined || stderrBytes === undefined
    ? undefined
    : `${sizeText(stdoutBytes)} on stdout, ${sizeText(stderrBytes)} on stderr`

const fieldsOf = (record: CommandRecord, network: ReadonlyArray<string>, now: number): ReadonlyArray<Field> => {
  const { attempts, durationMillis, ended } = record
  const { environment, inheritEnvironment, input } = record.exec ?? {}
  return [
    ["id", record.commandId],
    ["directory", record.workingDirectory],
    ["environment", environment && environmentText(environment)],
    ["inherited", inheritEnvironment === false ? "nothing of the environment" : undefined],
    ["input", input && inputText(input)],
    ["requested", whenText(record.requested, now)],
    ...attempts.map((attempt): Field => ["run by", runText(attempt, attempts.length)]),
    [
      "ended",
      ended === undefined || durationMillis === undefined
        ? undefined
        : `${whenText(ended, now)}, after ${durationText(durationMillis)}`,
    ],
    ["executable", record.executable],
    ...network.map((line): Field => ["network", line]),
    ["end", stateSentence(record.state)],
    ["output", outputText(record)],
  ]
}

const nameWidth = 13

/** The facts of a command, one per line; `network` has the decisions on its network. */
const describeCommand = (
  record: CommandRecord,
  network: ReadonlyArray<string>,
  now: number,
  styles: Pick<ReturnType<typeof makeTextStyles>, "bold" | "faint">,
): ReadonlyArray<string> => [
  styles.bold(`$ ${record.line}`),
  ...fieldsOf(record, network, now).flatMap(([name, text]) =>
    text === undefined || text === "" ? [] : styles.faint(name.padEnd(nameWidth)) + escapeInvisible(text)
  ),
]

/** The tree of a request that is no command; commands have their own view. */
const treeOf = (id: string) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const [first] = yield* journal.read({ filter: { correlationId: id }, maxEntries: 1 })
    if (first?.branch === ComputeBranch.name) return undefined
    if (first !== undefined) return yield* findTree(id)
    // The id of a run of which only the requests below it are left: as a prefix it may name one of its commands.
    const found = yield* Effect.result(findCommand(id))
    const isPrefix = Result.isFailure(found)
      ? found.failure._tag === "LookupError"
      : found.success.commandId.startsWith(`${id}/`)
    return isPrefix && id !== "last" ? yield* findTree(id) : undefined
  })

export const show = (id: string, { attempt, grep }: ShowFlags, cliOutput: CliOutput): SubcommandEffect =>
  Effect.gen(function* () {
    const tree = yield* treeOf(id)
    if (tree !== undefined) return yield* showTree(id, tree, yield* Clock.currentTimeMillis, cliOutput)
    const record = yield* resolveCommand(id)
    yield* checkAttempt(record, attempt)
    if (cliOutput.json) {
      const entries = entriesOf(record, { attempt })
      yield* Stream.runForEachArray(entries, (batch) => cliOutput.write(1, entryLines(batch)))
      return 0
    }
    const now = yield* Clock.currentTimeMillis
    const about = describeCommand(record, yield* networkFacts(record), now, makeTextStyles(cliOutput.cli, 2))
    yield* cliOutput.lines(2, [...about, ""])
    const output = commandOutput(record, { attempt })
    yield* withRecordedOutput(cliOutput, "text", (recorded) => {
      if (grep === undefined) return Stream.runForEachArray(output, (pieces) => writePieces(recorded, pieces))
      const lines = new LineAssembler(record.exec?.encoding, (line) => grep.test(line) ? line : undefined)
      return Effect.andThen(
        Stream.runForEach(output, (piece) => writeTexts(recorded, [lines.take(piece)])),
        Effect.suspend(() => writeTexts(recorded, lines.end())),
      )
    })
    return 0
  })
