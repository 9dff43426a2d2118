/** Runs a stream of lines by Effect alone: the size of Effect without a command. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

await Effect.runPromise(
  Stream.make("a\nb\n").pipe(
    Stream.splitLines,
    Stream.runForEach((line) => Effect.sync(() => console.log(line))),
  ),
)
