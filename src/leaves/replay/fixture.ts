/**
 * Encodes recordings as the text of a fixture file, lines of JSON that are equal for equal runs, and decodes it.
 *
 * The first line is a header. The recordings follow in the order of their requests, each as its journal bodies: the request,
 * its output, its end. Positions, hashes and times of writing are left out: a change of one command would change every line.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ShellExec } from "../../command/ShellExec.ts"
import { canonicalJson } from "../../base/canonicalJson.ts"
import { type Body, isBody } from "../../journal/Entry.ts"
import { JournalError } from "../../journal/JournalError.ts"
import { ComputeBranch, type ComputeEvent } from "../../compute/ComputeBranch.ts"
import { isLastEvent } from "../../compute/RunPlayer.ts"
import type { ShellOutputChunks } from "../../compute/ShellOutputChunks.ts"
import type { Recording } from "./Recording.ts"

export interface RecordedRun {
  readonly exec: ShellExec
  readonly events: ReadonlyArray<ComputeEvent>
}

const headerOf = (version: number) => ({ _tag: "Recordings", branch: ComputeBranch.name, version })

export const encodeFixture = (recordings: ReadonlyArray<RecordedRun>): string => {
  const bodies = recordings.flatMap(({ events, exec }) => [
    ComputeBranch.request.encode(exec),
    ...events.map((event) => ComputeBranch.event.encode(event)),
  ])
  return [headerOf(ComputeBranch.version), ...bodies].map((body) => `${canonicalJson(body)}\n`).join("")
}

const bodyIn = (line: string): Body | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isBody(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** End of a run, as far as its output and its timeout show. */
const endOf = (last: ComputeEvent, output: ReadonlyArray<ShellOutputChunks>): number => {
  const written = output.at(-1)?.chunks.at(-1)?.timestamp ?? 0
  const ranOut = last._tag === "ShellFault" && last.reason._tag === "Timeout" && last.reason.kind !== "queue"
  return ranOut && written > 0 ? Math.max(written, last.reason.afterMillis) : written
}

/** Decodes the text of a file; `place` names the file in errors. */
export const decodeFixture = (text: string, place: string): Result.Result<ReadonlyArray<Recording>, JournalError> => {
  const corrupt = (line: number, what: string): Result.Result<never, JournalError> =>
    Result.fail(JournalError.because(
      { _tag: "Corrupt", what, position: line },
      `journal: line ${line} of ${place} cannot be read: ${what}; record it again (CORRUPT)`,
    ))
  const lines = text.split("\n").filter((line) => line !== "")
  const [header, ...bodies] = lines.map(bodyIn)
  const version = header?.["version"]
  if (header?._tag !== "Recordings" || header["branch"] !== ComputeBranch.name || typeof version !== "number") {
    return corrupt(1, "it has no header of command recordings")
  }
  if (version > ComputeBranch.version) {
    return Result.fail(JournalError.because(
      { _tag: "TooNew", version, known: ComputeBranch.version },
      `journal: ${place} was written by version ${version} of the ${ComputeBranch.name} branch; this one knows ${ComputeBranch.version}`,
    ))
  }
  const recordings: Array<Recording> = []
  let exec: ShellExec | undefined
  let output: Array<ShellOutputChunks> = []
  for (const [index, body] of bodies.entries()) {
    const line = index + 2
    if (body === undefined) return corrupt(line, "it is not a JSON object with a _tag")
    if (ComputeBranch.request.tags.includes(body._tag)) {
      const request = ComputeBranch.request.decode(body, version)
      if (Result.isFailure(request)) return corrupt(line, request.failure.message)
      if (exec !== undefined) return corrupt(line, "the previous recording has no end")
      exec = request.success
      output = []
      continue
    }
    const event = ComputeBranch.event.decode(body, version)
    if (Result.isFailure(event)) return corrupt(line, event.failure.message)
    if (exec === undefined) return corrupt(line, "it belongs to no command")
    if (!isLastEvent(event.success)) {
      if (event.success._tag === "ShellOutputChunks") output.push(event.success)
      continue
    }
    const end = { event: event.success, at: endOf(event.success, output) }
    recordings.push({ exec, requestedAt: 0, end: Effect.succeed(end), output: Stream.fromIterable(output) })
    exec = undefined
  }
  return exec === undefined ? Result.succeed(recordings) : corrupt(lines.length, "the last recording has no end")
}
