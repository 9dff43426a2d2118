/** Reads a file or the program's own stdin: as a stream of bytes for a command's stdin, or whole as UTF-8 text. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { callbackLater } from "../base/waits.ts"
import { errorMessage } from "../base/errorMessage.ts"
import type { CliProcess } from "./CliProcess.ts"
import { UsageError } from "./UsageError.ts"

/** An error while reading an input. The message is for people. */
class InputError extends Error {
  override readonly name: string = "--input"
}

/**
 * Opens a file, or stdin for `-`, as a stream; bytes are read as they are pulled. A read in progress is abandoned.
 * `label` begins the message of an input that cannot be opened.
 */
export const inputStream = (
  cli: CliProcess,
  source: string,
  label = "--input",
): Effect.Effect<Stream.Stream<Uint8Array, InputError>, UsageError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () => cli.openInput(source),
        catch: (error) => new UsageError(`${label}: ${errorMessage(error)}`),
      }),
      (reader) => Effect.sync(() => reader.close()),
      { interruptible: true },
    ),
    (reader) => {
      const read = callbackLater<Uint8Array, InputError | Cause.Done>((resume) => {
        reader.read().then(
          (bytes) => resume(bytes === undefined ? Cause.done() : Effect.succeed(bytes)),
          (error) => resume(Effect.fail(new InputError(`${source}: ${errorMessage(error)}`))),
        )
      })
      return Stream.fromEffectRepeat(read)
    },
  )

/** Reads a whole file, or stdin for `-`. Fails if it has more than `maxBytes` or is not UTF-8. */
export const readInputText = (
  cli: CliProcess,
  source: string,
  flag: string,
  maxBytes: number,
): Effect.Effect<string, UsageError> => {
  const label = `${flag}: ${source === "-" ? "stdin" : source}`
  const problem = (text: string): UsageError => new UsageError(`${label}: ${text}`)
  return Effect.scoped(Effect.gen(function* () {
    const decoder = new TextDecoder("utf-8", { fatal: true })
    let size = 0
    let text = ""
    const add = (piece?: Uint8Array): Effect.Effect<void, UsageError> => {
      size += piece?.length ?? 0
      if (size > maxBytes) return Effect.fail(problem(`it has more than ${maxBytes} bytes`))
      return Effect.try({
        try: () => {
          text += decoder.decode(piece, { stream: piece !== undefined })
        },
        catch: () => problem("it is not UTF-8"),
      })
    }
    yield* Stream.runForEach(yield* inputStream(cli, source, label), add)
    yield* add()
    return text
  })).pipe(Effect.mapError((error) => error instanceof UsageError ? error : problem(error.message)))
}
