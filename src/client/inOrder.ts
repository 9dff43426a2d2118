/**
 * The events of one command, as they must come.
 *
 * @module
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"

/** An event of a command, and the id that it has for every reader. */
export interface CommandEvent {
  readonly id: number
  readonly event: ShellOutputChunk | ShellOutput | ShellFault
}

/** After the last event the end of the answer is waited for so long, so that the connection can be used again. */
const endPause = "1 second"

/**
 * Gives the events of a command their ids: the number of a chunk, and one more for what ends the run. An event of another
 * command, one that is no output, and a number that is not beyond those before it fail the stream. After the last event
 * nothing more is taken.
 */
export const inOrder = <E, F>(
  events: Stream.Stream<ShellEvent, E>,
  id: CommandId,
  after: number | undefined,
  wrong: (what: string) => F,
): Stream.Stream<CommandEvent, E | F> =>
  Stream.transformPull(events, (pull) =>
    Effect.sync(() => {
      let reached = after ?? -1
      let ended = false
      let failure: F | undefined

      /** The event with its id, or what is wrong with it. */
      const check = (event: ShellEvent): CommandEvent | string => {
        if (event._tag === "Window") return "it brought a window that nobody asked for"
        if (event.commandId !== id) return `it brought an event of another command, ${event.commandId}`
        if (event._tag !== "ShellOutputChunk") return { id: reached + 1, event }
        return event.seq > reached ? { id: event.seq, event } : `it brought output ${event.seq} after ${reached}`
      }

      const numbered = (some: ReadonlyArray<ShellEvent>): Array<CommandEvent> => {
        const all: Array<CommandEvent> = []
        for (const event of some) {
          const checked = check(event)
          if (typeof checked === "string") {
            failure = wrong(checked)
            break
          }
          reached = checked.id
          all.push(checked)
          ended = checked.event._tag !== "ShellOutputChunk"
          if (ended) break
        }
        return all
      }

      const end: Pull.Pull<never> = Effect.andThen(Effect.ignore(Effect.timeoutOption(pull, endPause)), Cause.done())
      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<CommandEvent>, E | F> = Effect.suspend(() => {
        if (failure !== undefined) return Effect.fail(failure)
        if (ended) return end
        return Effect.flatMap(pull, (some) => {
          const all = numbered(some)
          return Arr.isArrayNonEmpty(all) ? Effect.succeed(all) : next
        })
      })
      return next
    }))
