/**
 * Runs the stream of a command to its end and returns its last event.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ShellOutput } from "../command/ShellEvent.ts"

/** Whether an element of a stream is the last event of a run. */
export const isOutput = (element: unknown): element is ShellOutput =>
  typeof element === "object" && element !== null && "_tag" in element && element._tag === "ShellOutput"

/** The `ShellOutput` of a run; what comes before it is dropped. A stream that ends without one is a defect of its leaf. */
export const takeShellOutput = <E, R>(
  events: Stream.Stream<unknown, E, R>,
): Effect.Effect<ShellOutput, E, R> =>
  Effect.flatMap(
    Stream.runLast(events),
    (last) =>
      Option.isSome(last) && isOutput(last.value)
        ? Effect.succeed(last.value)
        : Effect.die(new Error("a run ends with its ShellOutput")),
  )
