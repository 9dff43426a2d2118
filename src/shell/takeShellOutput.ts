/** Runs the stream of a command to its last event and returns that event. */
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Stream from "effect/Stream"
import type { ShellOutput } from "../command/ShellEvent.ts"

/** Whether an element of a stream is the last event of a run. */
export const isOutput = (element: unknown): element is ShellOutput =>
  typeof element === "object" && element !== null && "_tag" in element && element._tag === "ShellOutput"

/**
 * The `ShellOutput` of a run; what comes before it is dropped, and nothing is pulled after it. A stream that ends without one
 * is a defect of its leaf.
 */
export const takeShellOutput = <E, R>(
  events: Stream.Stream<unknown, E, R>,
): Effect.Effect<ShellOutput, E, R> =>
  Effect.scopedWith((scope) =>
    Effect.flatMap(Channel.toPullScoped(events.channel, scope), (pull) => {
      const next: Pull.Pull<ShellOutput, E, void, R> = Effect.flatMap(pull, (batch) => {
        const last = batch.at(-1)
        return isOutput(last) ? Effect.succeed(last) : next
      })
      return Pull.catchDone(next, () => Effect.die(new Error("a run ends with its ShellOutput")))
    })
  )
