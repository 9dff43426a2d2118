/**
 * A command as it is told.
 *
 * @module
 */
import type { CommandRecord } from "../history/CommandRecord.ts"
import { recordJson } from "../history/recordJson.ts"
import { answerHeaders } from "./headers.ts"
import { JSON_TYPE } from "./negotiate.ts"
import type { Runs } from "./RunSupervisor.ts"

/** A `CommandInfo` as JSON. */
export const infoText = (record: CommandRecord, runs: Runs): string => {
  const run = runs.running.get(record.commandId)
  const stdin = run === undefined || record.endPosition !== undefined
    ? undefined
    : run.input?.isOpen === true
    ? "open"
    : "closed"
  return JSON.stringify({ ...recordJson(record), stdin })
}

/** A `CommandInfo` as an answer. */
export const infoResponse = (record: CommandRecord, runs: Runs, status: 200 | 202): Response =>
  new Response(infoText(record, runs), { status, headers: { ...answerHeaders, "content-type": JSON_TYPE } })
