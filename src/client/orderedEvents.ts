/** Numbers a server's events, and fails at one that is out of order or of another command. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"

/** An output event of a command, with the id that it has for every reader. */
export interface CommandEvent {
  readonly id: number
  readonly event: ShellOutputChunk | ShellOutput | ShellFault
}

/** Time to continue reading after the last event, so that the connection can be reused. */
const closeTimeout = "1 second"

/**
 * Emits the events of one command with their ids: the `seq` of a chunk, and one more than the last chunk's for the event that
 * ends the run, after which nothing more is read. An event of another command, a window, or a `seq` that does not ascend
 * fails the stream.
 */
export const orderedEvents = <E, F>(
  events: Stream.Stream<ShellEvent, E>,
  id: CommandId,
  after: number | undefined,
  onViolation: (problem: string) => F,
): Stream.Stream<CommandEvent, E | F> =>
  // Reading continues after the end, and a failure comes after the earlier events; no operator does either.
  Stream.transformPull(events, (pull) =>
    Effect.sync(() => {
      let lastId = after ?? -1
      let hasEnded = false
      let failure: F | undefined

      const check = (event: ShellEvent): CommandEvent | string => {
        if (event._tag === "Window") return "it sent a window, which was not requested"
        if (event.commandId !== id) return `it sent an event of another command, ${event.commandId}`
        if (event._tag !== "ShellOutputChunk") return { id: lastId + 1, event }
        return event.seq > lastId ? { id: event.seq, event } : `it sent output ${event.seq} after ${lastId}`
      }

      const checkBatch = (batch: ReadonlyArray<ShellEvent>): Array<CommandEvent> => {
        const checkedEvents: Array<CommandEvent> = []
        for (const event of batch) {
          const checked = check(event)
          if (typeof checked === "string") {
            failure = onViolation(checked)
            break
          }
          lastId = checked.id
          checkedEvents.push(checked)
          hasEnded = checked.event._tag !== "ShellOutputChunk"
          if (hasEnded) break
        }
        return checkedEvents
      }

      const end: Pull.Pull<never> = Effect.andThen(
        Effect.ignore(Effect.timeoutOption(pull, closeTimeout)),
        Cause.done(),
      )
      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<CommandEvent>, E | F> = Effect.suspend(() => {
        if (failure !== undefined) return Effect.fail(failure)
        if (hasEnded) return end
        return Effect.flatMap(pull, (batch) => {
          const checkedEvents = checkBatch(batch)
          return Arr.isArrayNonEmpty(checkedEvents) ? Effect.succeed(checkedEvents) : next
        })
      })
      return next
    }))
