/**
 * Opens a command's stdin from a file or from the program's own stdin, as a stream of bytes.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CliProcess } from "./CliProcess.ts"
import { UsageError } from "./UsageError.ts"

/** An error while reading an input. The message is for people. */
export class InputError extends Error {
  override readonly name: string = "--input"
}

const reasonOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

/** Opens an input as a stream; bytes are read as they are pulled. A read in progress is abandoned. */
export const inputStream = (
  own: CliProcess,
  source: string,
): Effect.Effect<Stream.Stream<Uint8Array, InputError>, UsageError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () => own.openInput(source),
        catch: (error) => new UsageError(`--input: ${reasonOf(error)}`),
      }),
      (reader) => Effect.sync(() => reader.close()),
      { interruptible: true },
    ),
    (reader) => {
      const pull = Effect.callback<readonly [Uint8Array], InputError | Cause.Done>((resume) => {
        reader.read().then(
          (bytes) => resume(bytes === undefined ? Cause.done() : Effect.succeed([bytes])),
          (error) => resume(Effect.fail(new InputError(`${source}: ${reasonOf(error)}`))),
        )
      })
      return Stream.fromPull(Effect.succeed(pull))
    },
  )
