/**
 * Encodes the record of a command as a `CommandInfo` and as a response.
 *
 * @module
 */
import type { CommandRecord } from "../history/CommandRecord.ts"
import { recordJson } from "../history/recordJson.ts"
import { responseHeaders } from "./headers.ts"
import { JSON_TYPE } from "./negotiate.ts"
import type { RunSupervisor } from "./RunSupervisor.ts"

/** Encodes a `CommandInfo` as JSON. */
export const commandInfoJson = (record: CommandRecord, runs: RunSupervisor): string => {
  const run = runs.running.get(record.commandId)
  const stdin = run === undefined || record.endPosition !== undefined
    ? undefined
    : run.input?.isOpen === true
    ? "open"
    : "closed"
  return JSON.stringify({ ...recordJson(record), stdin })
}

/** Responds with a `CommandInfo`. */
export const commandInfoResponse = (record: CommandRecord, runs: RunSupervisor, status: 200 | 202): Response =>
  new Response(commandInfoJson(record, runs), { status, headers: { ...responseHeaders, "content-type": JSON_TYPE } })
