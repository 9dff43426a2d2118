/** Streams the events of a session to one of many clients, from a position, including those that it missed. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { JournalService } from "../journal/JournalService.ts"
import type { TerminalSize } from "../command/Terminal.ts"
import type { EventLog } from "./EventLog.ts"
import { readJournal } from "./readJournal.ts"
import type { TerminalSession } from "./Session.ts"
import { type TerminalError, terminalError } from "./TerminalError.ts"
import type { TerminalEvent, TerminalSnapshot } from "./TerminalEvent.ts"

/** The source of a client's output. */
export interface AttachSource {
  readonly commandId: CommandId
  readonly log: EventLog
  readonly journal: JournalService | undefined
  readonly ended: Effect.Effect<ShellOutput, ShellFault>
  readonly seq: () => number
  readonly size: () => TerminalSize
  /** Gives the serialized screen while no output is added. */
  readonly snapshot: <A>(then: (content: string) => A) => Effect.Effect<A>
  readonly count: (by: number) => void
}

type Batch = readonly [TerminalEvent, ...ReadonlyArray<TerminalEvent>]

const isChunkOrOutput = (event: TerminalEvent): event is ShellOutputChunk | ShellOutput =>
  event._tag === "ShellOutputChunk" || event._tag === "ShellOutput"

const outputLost = (chunks: number): TerminalError =>
  terminalError(
    { _tag: "OutputLost", chunks },
    `${chunks} chunks were written before this reader, and are no longer kept: read from the start, raise maxKeptLength, ` +
      "provide a journal, or attach, which begins with the screen",
  )

export const attachSession = (source: AttachSource): Pick<TerminalSession, "attach" | "output"> => {
  const { commandId, ended, journal, log } = source

  const snapshotFrom = (after: number | undefined): Effect.Effect<readonly [TerminalSnapshot, number]> =>
    source.snapshot((content) => {
      const [seq, { cols, rows }] = [source.seq(), source.size()]
      const lost = after === undefined ? 0 : Math.max(0, seq - after)
      return [{ _tag: "TerminalSnapshot", commandId, seq, cols, rows, content, lost }, log.end]
    })

  const follow = (next: number, after: number, backPressure: boolean): Stream.Stream<TerminalEvent, ShellFault> =>
    Stream.unwrap(Effect.gen(function* () {
      const reader = { next }
      let lastSeq = after
      let isOver = false
      if (backPressure) {
        yield* Effect.acquireRelease(Effect.sync(() => log.hold(reader)), (release) => Effect.sync(release))
      }
      const pull: Pull.Pull<Batch, ShellFault> = Effect.suspend(() => {
        if (isOver) return Cause.done()
        const version = log.version
        if (reader.next < log.first) {
          return Effect.map(snapshotFrom(lastSeq), ([snapshot, position]): Batch => {
            reader.next = position
            lastSeq = snapshot.seq
            return [snapshot]
          })
        }
        const events = log.from(reader.next)
        const seen = lastSeq
        const wanted = events.filter((event) => event._tag !== "ShellOutputChunk" || event.seq > seen)
        reader.next += events.length
        if (backPressure && events.length > 0) log.notify()
        for (const event of events) if (event._tag === "ShellOutputChunk") lastSeq = event.seq
        if (Arr.isReadonlyArrayNonEmpty(wanted)) return Effect.succeed(wanted)
        if (!log.closed) return Effect.andThen(log.changed(version), pull)
        isOver = true
        return Effect.map(ended, (output): Batch => [output])
      })
      // A batch of several events at a time, which no operator makes of an Effect.
      return Stream.fromPull(Effect.succeed(pull))
    }))

  const attach: TerminalSession["attach"] = ({ after, backPressure = false } = {}) =>
    Stream.unwrap(Effect.gen(function* () {
      yield* Effect.acquireRelease(Effect.sync(() => source.count(1)), () => Effect.sync(() => source.count(-1)))
      const fresh = (from: number | undefined) =>
        Effect.map(snapshotFrom(from), ([snapshot, position]) =>
          Stream.concat(
            Stream.succeed<TerminalEvent>(snapshot),
            follow(position, snapshot.seq, backPressure),
          ))
      if (after === undefined) return yield* fresh(undefined)
      const { first, oldest } = log
      const firstKept = oldest?._tag === "ShellOutputChunk" ? oldest.seq : undefined
      if (first === 0 || (firstKept !== undefined && firstKept <= after + 1)) return follow(first, after, backPressure)
      if (journal === undefined || firstKept === undefined) return yield* fresh(after)
      const missed: Stream.Stream<TerminalEvent> = Stream.catch(
        readJournal(journal, commandId, after, firstKept),
        () => Stream.empty,
      )
      let seq = after
      return missed.pipe(
        Stream.tap((event) => Effect.sync(() => void (event._tag === "ShellOutputChunk" && (seq = event.seq)))),
        // Events that neither the journal nor the session has are lost; a snapshot reports that.
        Stream.concat(Stream.unwrap(Effect.suspend(() => {
          const next = log.oldest?._tag === "ShellOutputChunk" ? log.oldest.seq : undefined
          return next !== undefined && next <= seq + 1
            ? Effect.succeed(follow(log.first, seq, backPressure))
            : fresh(seq)
        }))),
      )
    }))

  const output = attach({ after: -1, backPressure: true }).pipe(
    Stream.tap((event) => event._tag === "TerminalSnapshot" ? Effect.fail(outputLost(event.lost)) : Effect.void),
    Stream.filter(isChunkOrOutput),
  )
  return { attach, output }
}
