/**
 * The events of a command, from the journal, each with the id that it has for every reader.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { CommandRecord } from "../history/CommandRecord.ts"
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
import { resumePosition } from "./resumePosition.ts"

/** An event, and its id: the `seq` of a chunk; one more than that of the last chunk for what ends the run. */
export interface EventWithId {
  readonly id: number
  readonly event: ShellOutputChunk | ShellOutput | ShellFault
}

const isLast = ({ event }: EventWithId): boolean => event._tag !== "ShellOutputChunk"

/** Makes events of the entries of one command, in order. */
class EventPlayer {
  readonly #answers: AttemptMerger
  #attempt = 1
  /** The id of the next event; unknown before the first chunk of a run that is not read from its start. */
  #next: number | undefined
  #ended = false

  constructor(exec: ShellExec, fromStart: boolean) {
    this.#answers = new AttemptMerger(exec)
    this.#next = fromStart ? 0 : undefined
  }

  play(entry: Entry): Result.Result<ReadonlyArray<EventWithId>, JournalError> {
    if (this.#ended) return Result.succeed([])
    const said = decodeBranchEntry(ComputeBranch, entry)
    if (said?._tag === "LeaseTaken") this.#attempt = Math.max(this.#attempt, said.attempt)
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
    // What a redactor held back comes at the end with a number that was there before: it gets one of its own.
    const id = Math.max(event.seq, next)
    this.#next = id + 1
    return { id, event: id === event.seq ? event : { ...event, seq: id } }
  }
}

const pruned = (position: Position): JournalError =>
  JournalError.because(
    { _tag: "Pruned", through: position },
    `journal: what comes next was pruned: entries up to ${position} are gone`,
  )

/** Plays what follows a position; what was pruned there is an error, also at the very beginning. */
const play = (
  journal: JournalService,
  record: CommandRecord,
  exec: ShellExec,
  from: Position,
): Stream.Stream<EventWithId, JournalError> => {
  const fromStart = from === record.position
  const filter = { branch: ComputeBranch.name, correlationId: record.commandId }
  const entries = journal.tail({ after: from - 1, filter })
  return Stream.takeUntil(
    Stream.transformPull(entries, (pull) =>
      Effect.sync(() => {
        const player = new EventPlayer(exec, fromStart)
        let begun = false
        const next: Pull.Pull<Arr.NonEmptyReadonlyArray<EventWithId>, JournalError> = Effect.flatMap(pull, (some) => {
          if (!begun && some[0].position !== from) return Effect.fail(pruned(from))
          begun = true
          const events: Array<EventWithId> = []
          for (const entry of some) {
            if (entry.position > record.position && ComputeBranch.request.tags.includes(entry.tag)) return Cause.done()
            const played = player.play(entry)
            if (Result.isFailure(played)) {
              return Effect.fail(entry.body === undefined ? pruned(entry.position) : played.failure)
            }
            events.push(...played.success)
          }
          return Arr.isArrayNonEmpty(events) ? Effect.succeed(events) : next
        })
        return next
      })),
    isLast,
  )
}

/** The fault that ended a run carries the last of its output, which whoever began later has not seen all of. */
const wholeFault = (
  journal: JournalService,
  record: CommandRecord,
  exec: ShellExec,
): Effect.Effect<EventWithId, JournalError> =>
  Effect.flatMap(
    Stream.runLast(play(journal, record, exec, record.position)),
    (last) => last._tag === "Some" ? Effect.succeed(last.value) : Effect.fail(pruned(record.position)),
  )

/**
 * The events of a command whose id is beyond `after` (default: all), those that are there and then those that come; the
 * last is its `ShellOutput` or its `ShellFault`. None is read before it is asked for. It fails with `Pruned` when some
 * are not in the journal any more, and so does the stream when it falls behind what is pruned.
 */
export const commandEvents: (
  journal: JournalService,
  record: CommandRecord,
  after: number | undefined,
) => Effect.Effect<Stream.Stream<EventWithId, JournalError>, JournalError> = Effect.fnUntraced(
  function* (journal, record, after) {
    const { exec, position } = record
    const from = after === undefined ? position : yield* resumePosition(journal, record, after)
    // What has no position was pruned while it runs.
    const isPruned = position === 0
    if (exec === undefined || from === undefined || from === 0) return yield* Effect.fail(pruned(position))
    const [first] = yield* journal.read({ after: from - 1, limit: 1 })
    if (first?.position !== from || first.body === undefined) return yield* Effect.fail(pruned(from))
    const all = play(journal, record, exec, from)
    if (after === undefined) return all
    const events = Stream.filter(all, ({ id }) => id > after)
    return from === position || isPruned ? events : Stream.mapEffect(
      events,
      (numbered) => numbered.event._tag === "ShellFault" ? wholeFault(journal, record, exec) : Effect.succeed(numbered),
    )
  },
)
