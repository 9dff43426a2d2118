/** Opens text, bytes or a stream as the stdin of a script. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../../base/bytes.ts"
import type { OpenFile } from "../OpenFile.ts"
import { NullFile } from "../process/NullFile.ts"
import { StaticFile } from "../process/StaticFile.ts"
import { StreamSource } from "../process/StreamSource.ts"

/** Text as UTF-8, bytes, or a stream of bytes that is pulled as processes read. */
export type ScriptInput = string | Uint8Array | Stream.Stream<Uint8Array, unknown>

type Pieces = readonly [Uint8Array, ...Array<Uint8Array>]

/**
 * Opens a file that pulls a stream when a process reads and nothing is buffered; `failed` gets the first line of the stream's
 * failure. The stream is closed when the last reader is gone, at the latest with the scope.
 */
const streamFile = (
  stream: Stream.Stream<Uint8Array, unknown>,
  failed: (why: string) => void,
): Effect.Effect<OpenFile, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const scope = yield* Scope.fork(yield* Effect.scope)
    const pull: Pull.Pull<Pieces, unknown> = yield* Scope.provide(Stream.toPull(stream), scope)
    const pieces: Array<Uint8Array> = []
    let interrupt = (): void => {}
    yield* Scope.addFinalizer(scope, Effect.sync(() => interrupt()))
    return new StreamSource({
      pull: () =>
        new Promise((resolve, reject) => {
          const next = pieces.shift()
          if (next !== undefined) return resolve(next)
          interrupt = Effect.runCallbackWith(context)(pull, {
            onExit: (exit) => {
              if (Exit.isSuccess(exit)) {
                pieces.push(...exit.value)
                return resolve(pieces.shift())
              }
              if (Pull.isDoneCause(exit.cause) || Cause.hasInterruptsOnly(exit.cause)) return resolve(undefined)
              failed(Cause.pretty(exit.cause).split("\n")[0] ?? "")
              reject(exit.cause)
            },
          })
        }),
      cancel: () => void Effect.runForkWith(context)(Scope.close(scope, Exit.void)),
    })
  })

/** Opens an input; without one, an empty file. */
export const inputFile = (
  input: ScriptInput | undefined,
  failed: (why: string) => void,
): Effect.Effect<OpenFile, never, Scope.Scope> => {
  if (input === undefined) return Effect.sync(() => new NullFile())
  if (typeof input === "string") return Effect.sync(() => new StaticFile(encodeUtf8(input)))
  return input instanceof Uint8Array ? Effect.sync(() => new StaticFile(input)) : streamFile(input, failed)
}
