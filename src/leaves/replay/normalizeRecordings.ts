/** Makes recordings of equal runs equal. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ShellOutputChunk } from "../../command/ShellEvent.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { concatBytes } from "../../base/bytes.ts"
import { sha256 } from "../../base/sha256.ts"
import { canonicalJson } from "../../base/canonicalJson.ts"
import { ComputeBranch } from "../../compute/ComputeBranch.ts"
import type { RunEnd } from "../../compute/RunEnd.ts"
import { RunPlayer } from "../../compute/RunPlayer.ts"
import { RunRecorder } from "../../compute/RunRecorder.ts"
import type { ShellOutputChunks } from "../../compute/ShellOutputChunks.ts"
import type { ShellBytes } from "../../shell/ShellService.ts"
import type { RecordedRun } from "./fixture.ts"
import type { Recording } from "./Recording.ts"

/** A name derived from the command alone, so that it does not depend on other commands: `git-3fa2b1c0`. */
const nameOf = (exec: ShellExec): string => {
  const { commandId: _, ...request } = ComputeBranch.request.encode(exec)
  const program = exec.useShell ? "sh" : exec.command.replace(/^.*[/\\]/s, "")
  const plain = program.replace(/[^A-Za-z0-9._-]/g, "").slice(0, 40)
  return `${plain === "" ? "command" : plain}-${sha256(canonicalJson(request)).slice(0, 8)}`
}

/** Joins adjacent chunks of a stream: where output was cut depended on its timing. */
const joinChunks = (chunks: ReadonlyArray<ShellOutputChunk>): ReadonlyArray<ShellOutputChunk> => {
  const out: Array<ShellOutputChunk> = []
  for (const chunk of chunks) {
    const last = out.at(-1)
    if (last?.stream === chunk.stream) out[out.length - 1] = { ...last, content: last.content + chunk.content }
    else out.push({ ...chunk, seq: out.length, timestamp: 0 })
  }
  return out
}

const joinBytes = (all: ReadonlyArray<ShellBytes>): ReadonlyArray<ShellBytes> => {
  const out: Array<ShellBytes> = []
  for (const piece of all) {
    const last = out.at(-1)
    if (last?.stream === piece.stream) out[out.length - 1] = { ...last, bytes: concatBytes([last.bytes, piece.bytes]) }
    else out.push(piece)
  }
  return out
}

const endWith = (last: RunEnd, commandId: string, timeOf: (at: number) => number, keepTimes: boolean): RunEnd =>
  last._tag === "ShellFault"
    ? { ...last, commandId }
    : { ...last, commandId, completed: timeOf(last.completed), duration: keepTimes ? last.duration : 0 }

const eventsOf = (
  exec: ShellExec,
  entries: ReadonlyArray<ShellOutputChunks>,
  last: RunEnd,
  origin: number,
  keepTimes: boolean,
): RecordedRun["events"] => {
  const timeOf = (at: number): number => keepTimes ? Math.max(0, Math.round(at - origin)) : 0
  const isBytes = entries.some(({ chunks }) => chunks.some(({ base64 }) => base64 !== undefined))
  const recorder = new RunRecorder(exec, isBytes ? "bytes" : "text", undefined)
  const player = new RunPlayer(exec)
  const { commandId } = exec
  const end = endWith(last, commandId, timeOf, keepTimes)
  if (isBytes) {
    if (!keepTimes) {
      const output = recorder.output(joinBytes(entries.flatMap((entry) => player.bytes(entry))), () => 0)
      return [...output, ...recorder.end(player.end(end))]
    }
    const output = entries.map((entry): ShellOutputChunks => ({
      ...entry,
      commandId,
      chunks: entry.chunks.map((record) => ({ ...record, timestamp: timeOf(record.timestamp) })),
    }))
    return [...output, end]
  }
  const chunks = entries.flatMap((entry) => player.chunks(entry))
    .map((chunk) => ({ ...chunk, commandId, timestamp: timeOf(chunk.timestamp) }))
  const output = recorder.output(keepTimes ? chunks : joinChunks(chunks), () => 0)
  return [...output, ...recorder.end(player.end(end))]
}

/**
 * Normalizes recordings: named by their command and the number of its run, with times counted from the start (`keepTimes`) or
 * set to 0.
 */
export const normalizeRecordings = (
  recordings: ReadonlyArray<Recording>,
  keepTimes: boolean,
): Effect.Effect<ReadonlyArray<RecordedRun>, JournalError> => {
  const runs = new Map<string, number>()
  return Effect.forEach(recordings, (recording) =>
    Effect.gen(function* () {
      const name = nameOf(recording.exec)
      const run = (runs.get(name) ?? 0) + 1
      runs.set(name, run)
      const exec = new ShellExec({ ...recording.exec, commandId: `${name}-${run}` })
      const { event } = yield* recording.end
      const entries = yield* Stream.runCollect(recording.output)
      const origin = event._tag === "ShellOutput" ? Math.round(event.completed - event.duration) : recording.requestedAt
      return { exec, events: eventsOf(exec, entries, event, origin, keepTimes) }
    }))
}
