/** Encodes the record of a command as a `CommandInfo` and as a response. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { TerminalSize } from "../command/Terminal.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import type { CommandRecord } from "../history/CommandRecord.ts"
import { recordJson } from "../history/recordJson.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { jsonResponse } from "./headers.ts"
import type { RunSupervisor } from "./RunSupervisor.ts"

export const commandInfoJson = (record: CommandRecord, runs: RunSupervisor, lastSize?: TerminalSize): string => {
  const run = record.endPosition === undefined ? runs.running.get(record.commandId) : undefined
  const stdin = run === undefined ? undefined : run.input?.isOpen === true ? "open" : "closed"
  const { clients, size = lastSize ?? sizeOf(record.terminal) } = run?.terminal ?? {}
  return JSON.stringify({ ...recordJson(record), stdin, terminal: size, clients })
}

export const readLastSize = (
  journal: JournalService,
  { commandId, terminal }: CommandRecord,
): Effect.Effect<TerminalSize | undefined, JournalError> => {
  if (terminal === undefined) return Effect.undefined
  const filter = { branch: ComputeBranch.name, correlationId: commandId, tags: ["TerminalResized"] }
  return Effect.map(journal.readBackward({ maxEntries: 1, filter }), ([entry]) => {
    const event = entry?.body === undefined ? undefined : ComputeBranch.event.decode(entry.body, entry.version)
    const isKnown = event !== undefined && Result.isSuccess(event) && event.success._tag === "TerminalResized"
    return sizeOf(isKnown ? event.success : terminal)
  })
}

const sizeOf = (terminal: TerminalSize | undefined): TerminalSize | undefined =>
  terminal === undefined ? undefined : { cols: terminal.cols, rows: terminal.rows }

export const commandInfoResponse = (
  record: CommandRecord,
  runs: RunSupervisor,
  status: 200 | 202,
  lastSize?: TerminalSize,
): Response => jsonResponse(commandInfoJson(record, runs, lastSize), { status })
