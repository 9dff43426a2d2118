/**
 * Recordings as a file that is kept with the tests: lines of JSON, equal for equal runs.
 *
 * The first line says what the file is. Then come the recordings in the order in which they were asked for, each as the
 * bodies that a journal has of it: the request, its output, its end. There are no positions, hashes and times of writing:
 * they would make every line another one when one command has changed.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { ShellExec } from "../../command/ShellExec.ts"
import { canonicalJson } from "../../base/canonicalJson.ts"
import type { Body } from "../../journal/Entry.ts"
import { JournalError } from "../../journal/JournalError.ts"
import { ComputeBranch, type ComputeEvent } from "../../compute/ComputeBranch.ts"
import { isLastEvent } from "../../compute/RunPlayer.ts"
import type { ShellOutputChunks } from "../../compute/ShellOutputChunks.ts"
import type { Recording } from "./Recording.ts"

/** One recording, all of it. */
export interface Recorded {
  readonly exec: ShellExec
  readonly events: ReadonlyArray<ComputeEvent>
}

const headerOf = (version: number) => ({ _tag: "Recordings", branch: ComputeBranch.name, version })

/** The text of a file. */
export const encodeFixture = (recordings: ReadonlyArray<Recorded>): string => {
  const bodies = recordings.flatMap(({ events, exec }) => [
    ComputeBranch.request.encode(exec),
    ...events.map((event) => ComputeBranch.event.encode(event)),
  ])
  return [headerOf(ComputeBranch.version), ...bodies].map((body) => `${canonicalJson(body)}\n`).join("")
}

const isBody = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && "_tag" in value && typeof value._tag === "string"

const bodyIn = (line: string): Body | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isBody(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** When a run ended that has no event which says so. */
const endOf = (last: ComputeEvent, output: ReadonlyArray<ShellOutputChunks>): number => {
  const written = output.at(-1)?.chunks.at(-1)?.timestamp ?? 0
  const ranOut = last._tag === "ShellFault" && last.reason._tag === "Timeout" && last.reason.kind !== "queue"
  return ranOut && written > 0 ? Math.max(written, last.reason.afterMillis) : written
}

/** The recordings of a text; `place` says where it is from. */
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
    return corrupt(1, "it does not say that these are recordings of commands")
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
    if (body === undefined) return corrupt(line, "it is no JSON object with a _tag")
    if (ComputeBranch.request.tags.includes(body._tag)) {
      const request = ComputeBranch.request.decode(body, version)
      if (Result.isFailure(request)) return corrupt(line, request.failure.message)
      if (exec !== undefined) return corrupt(line, "the recording before it has no end")
      exec = request.success
      output = []
      continue
    }
    const event = ComputeBranch.event.decode(body, version)
    if (Result.isFailure(event)) return corrupt(line, event.failure.message)
    if (exec === undefined) return corrupt(line, "it belongs to no command")
    if (!isLastEvent(event.success)) {
      output.push(event.success)
      continue
    }
    const end = { event: event.success, at: endOf(event.success, output) }
    recordings.push({ exec, requestedAt: 0, end: Effect.succeed(end), output: Stream.fromIterable(output) })
    exec = undefined
  }
  return exec === undefined ? Result.succeed(recordings) : corrupt(lines.length, "the last recording has no end")
}
