/** Reads the newest ended runs of commands from a journal as recordings. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { decodeBranchEntry } from "../../branch/BranchEntry.ts"
import { decodeEventEntry, decodeRequestEntry } from "../../branch/BranchDefinition.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { Entry, Position } from "../../journal/Entry.ts"
import { JournalError } from "../../journal/JournalError.ts"
import type { JournalService } from "../../journal/JournalService.ts"
import { ComputeBranch, type ComputeEvent } from "../../compute/ComputeBranch.ts"
import { isLastEvent } from "../../compute/RunPlayer.ts"
import type { RecordedEnd, Recording } from "./Recording.ts"

/** Entries per read: requests and ends are small, output entries have up to 64 KiB each. */
const boundaryPageSize = 500
const outputPageSize = 16

const boundaryTags: ReadonlyArray<string> = [...ComputeBranch.request.tags, ...ComputeBranch.lastTags, "LeaseTaken"]

interface OpenRun {
  readonly exec: ShellExec
  readonly requestedAt: number
  readonly position: Position
  attempt: number
  /** Position before the output of the current attempt. */
  after: Position
}

/** Decodes an event; `undefined` if only a later version can read it. */
const eventIn = (entry: Entry): Effect.Effect<ComputeEvent | undefined, JournalError> => {
  const event = decodeEventEntry(ComputeBranch, entry)
  return event === undefined
    ? Effect.undefined
    : Result.isSuccess(event)
    ? Effect.succeed(event.success)
    : Effect.fail(event.failure)
}

const missing = (position: Position): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what: "the end of a command is not there", position },
    `journal: entry ${position} ends a command and has been removed`,
  )

const recordingOf = (journal: JournalService, { after, exec, requestedAt }: OpenRun, endAt: Position): Recording => {
  const { commandId: correlationId } = exec
  const { name: branch } = ComputeBranch
  return {
    exec,
    requestedAt,
    end: Effect.gen(function* () {
      const [entry] = yield* journal.read({ after: endAt - 1, filter: { branch, correlationId }, maxEntries: 1 })
      if (entry === undefined || entry.position !== endAt) return yield* Effect.fail(missing(endAt))
      const event = yield* eventIn(entry)
      if (event === undefined || !isLastEvent(event)) return yield* Effect.fail(missing(endAt))
      return { event, at: entry.time } satisfies RecordedEnd
    }),
    output: Stream.paginate(after, (from) =>
      Effect.gen(function* () {
        const filter = { branch, correlationId, tags: ["ShellOutputChunks"] }
        const entries = yield* journal.read({ after: from, filter, maxEntries: outputPageSize })
        const mine = entries.filter(({ position }) => position < endAt)
        const events = yield* Effect.forEach(mine, eventIn)
        const last = entries.length === outputPageSize && mine.length === entries.length ? mine.at(-1) : undefined
        return [
          events.filter((event) => event?._tag === "ShellOutputChunks"),
          Option.fromUndefinedOr(last?.position),
        ]
      })),
  }
}

/**
 * Reads the runs of a journal that have ended, in the order of their requests; the newest `maxRecordings` of them.
 * Pruned entries are skipped; requests of a later version are skipped with a warning. For a command that was run again
 * after its host was lost, the output is that of the last run.
 */
export const readJournalRecordings = (
  journal: JournalService,
  maxRecordings: number,
): Effect.Effect<ReadonlyArray<Recording>, JournalError> =>
  Effect.gen(function* () {
    const head = (yield* journal.head).position
    const open = new Map<string, OpenRun>()
    const ended = new Map<Position, Recording>()
    const requests: Array<Position> = []
    let tooNew: JournalError | undefined

    const begin = (entry: Entry): JournalError | undefined => {
      const { correlationId, position, time } = entry
      // A request whose body was pruned cannot be compared with another.
      const request = entry.body === undefined ? undefined : decodeRequestEntry(ComputeBranch, entry)
      open.delete(correlationId)
      if (request === undefined) return undefined
      if (Result.isFailure(request)) {
        if (request.failure.reason._tag !== "TooNew") return request.failure
        tooNew ??= request.failure
        return undefined
      }
      open.set(correlationId, { exec: request.success, requestedAt: time, position, attempt: 1, after: position })
      const tooOld = requests[requests.push(position) - 1 - maxRecordings]
      if (tooOld !== undefined) ended.delete(tooOld)
      return undefined
    }

    const take = (entry: Entry): JournalError | undefined => {
      const current = open.get(entry.correlationId)
      if (ComputeBranch.request.tags.includes(entry.tag)) return begin(entry)
      if (current === undefined) return undefined
      if (ComputeBranch.lastTags.includes(entry.tag)) {
        open.delete(entry.correlationId)
        if (entry.body !== undefined) ended.set(current.position, recordingOf(journal, current, entry.position))
        return undefined
      }
      const lease = decodeBranchEntry(ComputeBranch, entry)
      // A lease that was taken over only to end the run has the same attempt number.
      if (lease?._tag !== "LeaseTaken" || lease.attempt <= current.attempt) return undefined
      current.attempt = lease.attempt
      current.after = entry.position
      return undefined
    }

    let after = 0
    while (after < head) {
      const entries = yield* journal.read({
        after,
        filter: { branch: ComputeBranch.name, tags: boundaryTags },
        maxEntries: boundaryPageSize,
      })
      const last = entries.at(-1)
      if (last === undefined) break
      for (const entry of entries) {
        const error = entry.position > head ? undefined : take(entry)
        if (error !== undefined) return yield* Effect.fail(error)
      }
      after = last.position
      yield* Effect.yieldNow
    }
    if (tooNew !== undefined) yield* Effect.logWarning(`replay: commands are left out: ${tooNew.message}`)
    return [...ended].sort(([a], [b]) => a - b).slice(-maxRecordings).map(([, recording]) => recording)
  })
