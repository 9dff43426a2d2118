/**
 * Runs the stream of a command to its end and returns its last event.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ShellOutput } from "../command/ShellEvent.ts"

const isOutput = (event: { readonly _tag: string }): event is ShellOutput => event._tag === "ShellOutput"

/** The `ShellOutput` of a run; what comes before it is dropped. A stream that ends without one is a defect of its leaf. */
export const takeShellOutput = <Event extends { readonly _tag: string }, E, R>(
  events: Stream.Stream<Event, E, R>,
): Effect.Effect<ShellOutput, E, R> =>
  Effect.flatMap(
    Stream.runLast(events),
    (last) =>
      Option.isSome(last) && isOutput(last.value)
        ? Effect.succeed(last.value)
        : Effect.die(new Error("a run ends with its ShellOutput")),
  )
