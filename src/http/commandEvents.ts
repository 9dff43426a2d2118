/** Reads the events of a command from the journal, each with an id that is the same for every reader. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { decodeBranchEntry } from "../branch/BranchEntry.ts"
import { decodeEventEntry } from "../branch/BranchDefinition.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { Entry, Position } from "../journal/Entry.ts"
import { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { AttemptMerger } from "../compute/AttemptMerger.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { faultTailLength } from "../compute/RunEnd.ts"
import { RunPlayer } from "../compute/RunPlayer.ts"
import type { ShellOutputChunks } from "../compute/ShellOutputChunks.ts"
import { outputOf, type ReadableRecord, resumePosition } from "./resumePosition.ts"

/** An event and its id: the `seq` of a chunk; for the last event, one more than the id of the last chunk. */
export interface EventWithId {
  readonly id: number
  readonly event: ShellOutputChunk | ShellOutput | ShellFault
}

const isLast = ({ event }: EventWithId): boolean => event._tag !== "ShellOutputChunk"

/** Converts the entries of one command into events, in order. */
class EventPlayer {
  readonly #answers: AttemptMerger
  #attempt = 1
  /** The id of the next event; unknown before the first chunk if the run is not read from its start. */
  #next: number | undefined
  #ended = false

  constructor(exec: ShellExec, fromStart: boolean) {
    this.#answers = new AttemptMerger(exec)
    this.#next = fromStart ? 0 : undefined
  }

  playAll(entries: ReadonlyArray<Entry>): Effect.Effect<ReadonlyArray<EventWithId>, JournalError> {
    const events: Array<EventWithId> = []
    for (const entry of entries) {
      const played = this.#play(entry)
      if (Result.isFailure(played)) {
        return Effect.fail(entry.body === undefined ? pruned(entry.position) : played.failure)
      }
      events.push(...played.success)
    }
    return Effect.succeed(events)
  }

  #play(entry: Entry): Result.Result<ReadonlyArray<EventWithId>, JournalError> {
    if (this.#ended) return Result.succeed([])
    const lease = decodeBranchEntry(ComputeBranch, entry)
    if (lease?._tag === "LeaseTaken") this.#attempt = Math.max(this.#attempt, lease.attempt)
    const decoded = decodeEventEntry(ComputeBranch, entry)
    if (decoded === undefined) return Result.succeed([])
    return Result.map(decoded, (event) => {
      const { elements, fault } = this.#answers.text(event, this.#attempt)
      return [...elements, ...(fault === undefined ? [] : [fault])].map((element) => this.#number(element))
    })
  }

  #number(event: EventWithId["event"]): EventWithId {
    this.#ended = event._tag !== "ShellOutputChunk"
    const next = this.#next ?? (event._tag === "ShellOutputChunk" ? event.seq : 0)
    if (event._tag !== "ShellOutputChunk") return { id: next, event }
    // Output that a redactor held back comes last, with a `seq` that was already used, so it gets an id of its own.
    const id = Math.max(event.seq, next)
    this.#next = id + 1
    return { id, event: id === event.seq ? event : { ...event, seq: id } }
  }
}

export const pruned = (position: Position): JournalError =>
  JournalError.because(
    { _tag: "Pruned", through: position },
    `journal: the next events were pruned: entries up to ${position} are gone`,
  )

/** Reads events from a position on. A pruned entry is an error, also at the start. */
export const playEvents = (
  journal: JournalService,
  { commandId, exec, position }: ReadableRecord,
  from: Position = position,
): Stream.Stream<EventWithId, JournalError> => {
  const tags = ComputeBranch.request.tags
  const entries = journal.tail({ after: from - 1, filter: { branch: ComputeBranch.name, correlationId: commandId } })
  return entries.pipe(
    Stream.onFirst((first) => first.position === from ? Effect.void : Effect.fail(pruned(from))),
    // A further request with the same id begins another run.
    Stream.takeWhile((entry) => entry.position <= position || !tags.includes(entry.tag)),
    Stream.mapAccumArrayEffect(
      () => new EventPlayer(exec, from === position),
      (player, some) => Effect.map(player.playAll(some), (events) => [player, events]),
    ),
    Stream.takeUntil(isLast),
  )
}

const tailPage = 64

/**
 * The fault of a run that was not read from its start, with the end of its output, which is read backward until it is
 * complete.
 */
const withOutputTail = (
  journal: JournalService,
  { exec, position }: ReadableRecord,
  fault: ShellFault,
): Effect.Effect<EventWithId["event"], JournalError> =>
  Effect.gen(function* () {
    const filter = { branch: ComputeBranch.name, correlationId: exec.commandId, tags: ["ShellOutputChunks"] }
    const limit = exec.maxOutputBytes ?? faultTailLength
    const missing = { stdout: fault.stdoutBytes === 0 ? 0 : limit, stderr: fault.stderrBytes === 0 ? 0 : limit }
    const outputs: Array<ShellOutputChunks> = []
    let before: Position | undefined
    while (missing.stdout > 0 || missing.stderr > 0) {
      const entries = yield* journal.readBackward({ before, filter, maxEntries: tailPage })
      for (const entry of entries) {
        const output = entry.position < position ? undefined : outputOf(entry)
        if (output === undefined) continue
        outputs.unshift(output)
        for (const { content = "", stream } of output.chunks) missing[stream] -= content.length
      }
      before = entries.at(-1)?.position
      if (before === undefined || before < position) break
    }
    const player = new RunPlayer(exec)
    for (const output of outputs) player.chunks(output)
    return player.end(fault)
  })

/**
 * The events of a command with an id above `after` (default: all): the journaled ones, then new ones as they arrive.
 * The last one is its `ShellOutput` or its `ShellFault`. Pulls one page at a time. Fails with `Pruned` if some are no
 * longer in the journal; so does the stream when it falls behind a prune.
 */
export const commandEvents: (
  journal: JournalService,
  record: ReadableRecord,
  after: number | undefined,
) => Effect.Effect<Stream.Stream<EventWithId, JournalError>, JournalError> = Effect.fnUntraced(
  function* (journal, record, after) {
    const { position } = record
    const from = after === undefined ? position : yield* resumePosition(journal, record, after)
    // Position 0: the request was pruned while the command runs.
    if (from === undefined || from === 0) return yield* Effect.fail(pruned(position))
    const [first] = yield* journal.read({ after: from - 1, maxEntries: 1 })
    if (first?.position !== from || first.body === undefined) return yield* Effect.fail(pruned(from))
    const all = playEvents(journal, record, from)
    if (after === undefined) return all
    const events = Stream.filter(all, ({ id }) => id > after)
    return from === position || position === 0 ? events : Stream.mapEffect(
      events,
      ({ event, id }) =>
        event._tag === "ShellFault"
          ? Effect.map(withOutputTail(journal, record, event), (fault) => ({ id, event: fault }))
          : Effect.succeed({ id, event }),
    )
  },
)
