/** What Effect weighs before it runs a command: a stream of lines, run. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

await Effect.runPromise(
  Stream.make("a\nb\n").pipe(
    Stream.splitLines,
    Stream.runForEach((line) => Effect.sync(() => console.log(line))),
  ),
)
