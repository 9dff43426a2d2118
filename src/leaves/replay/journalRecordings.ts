/**
 * The recordings that a journal holds.
 *
 * @module
 */
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

/** Entries that are read at once: requests and ends are small, output is up to 64 KiB each. */
const pageOfMarks = 500
const pageOfOutput = 16

const marks: ReadonlyArray<string> = [...ComputeBranch.request.tags, ...ComputeBranch.lastTags, "LeaseTaken"]

/** A run whose end has not been seen yet. */
interface Open {
  readonly exec: ShellExec
  readonly requestedAt: number
  readonly position: Position
  attempt: number
  /** Output that counts stands after this. */
  after: Position
}

const eventIn = (entry: Entry): Effect.Effect<ComputeEvent, JournalError> => {
  const event = decodeEventEntry(ComputeBranch, entry)
  return event === undefined
    ? Effect.die(new Error(`entry ${entry.position} is no event of a command`))
    : Result.isSuccess(event)
    ? Effect.succeed(event.success)
    : Effect.fail(event.failure)
}

const missing = (position: Position): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what: "the end of a command is not there", position },
    `journal: entry ${position} ends a command and is not there any more`,
  )

const recordingOf = (journal: JournalService, { after, exec, requestedAt }: Open, endAt: Position): Recording => {
  const { commandId: correlationId } = exec
  const { name: branch } = ComputeBranch
  return {
    exec,
    requestedAt,
    end: Effect.gen(function* () {
      const [entry] = yield* journal.read({ after: endAt - 1, filter: { branch, correlationId }, limit: 1 })
      if (entry === undefined || entry.position !== endAt) return yield* Effect.fail(missing(endAt))
      const event = yield* eventIn(entry)
      return isLastEvent(event) ? { event, at: entry.time } satisfies RecordedEnd : yield* Effect.fail(missing(endAt))
    }),
    output: Stream.paginate(after, (from) =>
      Effect.gen(function* () {
        const filter = { branch, correlationId, tags: ["ShellOutputChunks"] }
        const entries = yield* journal.read({ after: from, filter, limit: pageOfOutput })
        const mine = entries.filter(({ position }) => position < endAt)
        const events = yield* Effect.forEach(mine, eventIn)
        const last = entries.length === pageOfOutput && mine.length === entries.length ? mine.at(-1) : undefined
        return [
          events.filter((event) => event._tag === "ShellOutputChunks"),
          Option.fromUndefinedOr(last?.position),
        ]
      })),
  }
}

/**
 * The runs of a journal that came to their end, in the order in which they were asked for; of more than `most` the
 * newest. Entries that were pruned are passed over. Of a command that was run again after its host was lost, the output
 * is that of the last run.
 */
export const journalRecordings = (
  journal: JournalService,
  most: number,
): Effect.Effect<ReadonlyArray<Recording>, JournalError> =>
  Effect.gen(function* () {
    const head = (yield* journal.head).position
    const open = new Map<string, Open>()
    const ended = new Map<Position, Recording>()
    const requests: Array<Position> = []

    const begin = (entry: Entry): JournalError | undefined => {
      const { correlationId, position, time } = entry
      // A request whose body was pruned cannot be compared with another.
      const request = entry.body === undefined ? undefined : decodeRequestEntry(ComputeBranch, entry)
      open.delete(correlationId)
      if (request === undefined) return undefined
      if (Result.isFailure(request)) return request.failure
      open.set(correlationId, { exec: request.success, requestedAt: time, position, attempt: 1, after: position })
      const tooOld = requests[requests.push(position) - 1 - most]
      if (tooOld !== undefined) ended.delete(tooOld)
      return undefined
    }

    const look = (entry: Entry): JournalError | undefined => {
      const current = open.get(entry.correlationId)
      if (ComputeBranch.request.tags.includes(entry.tag)) return begin(entry)
      if (current === undefined) return undefined
      if (ComputeBranch.lastTags.includes(entry.tag)) {
        open.delete(entry.correlationId)
        if (entry.body !== undefined) ended.set(current.position, recordingOf(journal, current, entry.position))
        return undefined
      }
      const lease = decodeBranchEntry(ComputeBranch, entry)
      // The same attempt again: a lease that was taken over only to end the run.
      if (lease?._tag !== "LeaseTaken" || lease.attempt <= current.attempt) return undefined
      current.attempt = lease.attempt
      current.after = entry.position
      return undefined
    }

    let after = 0
    while (after < head) {
      const entries = yield* journal.read({
        after,
        filter: { branch: ComputeBranch.name, tags: marks },
        limit: pageOfMarks,
      })
      const last = entries.at(-1)
      if (last === undefined) break
      for (const entry of entries) {
        const error = entry.position > head ? undefined : look(entry)
        if (error !== undefined) return yield* Effect.fail(error)
      }
      after = last.position
      yield* Effect.yieldNow
    }
    return [...ended].sort(([a], [b]) => a - b).slice(-most).map(([, recording]) => recording)
  })
