/**
 * Exit codes as failures, for those who ask for it.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ShellOutput } from "../command/ShellEvent.ts"

const Base: Schema.Class<
  ShellExitError,
  Schema.TaggedStruct<"ShellExitError", { readonly message: Schema.String; readonly output: typeof ShellOutput }>,
  Cause.YieldableError
> = Schema.TaggedError<ShellExitError>()("ShellExitError", { message: Schema.String, output: ShellOutput })

/** A command that ran, with an exit code that the caller counts as a failure. `output` is its last event. */
export class ShellExitError extends Base {}

const isOutput = (element: unknown): element is ShellOutput =>
  typeof element === "object" && element !== null && "_tag" in element && element._tag === "ShellOutput"

/** Fails the stream at a `ShellOutput` for which `isFailure` holds; everything before it has passed. */
export const failOnExit =
  (isFailure: (output: ShellOutput) => boolean) =>
  <A, E, R>(self: Stream.Stream<A | ShellOutput, E, R>): Stream.Stream<A | ShellOutput, E | ShellExitError, R> =>
    Stream.mapArrayEffect(self, (elements) => {
      const last = elements[elements.length - 1]
      if (!isOutput(last) || !isFailure(last)) return Effect.succeed(elements)
      const how = last.signal === undefined ? `exited with ${last.exitCode}` : `was ended by ${last.signal}`
      return Effect.fail(new ShellExitError({ message: `exec: ${last.executable} ${how} (EXIT)`, output: last }))
    })
