/** The same, behind a service and a layer. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

class Text extends Context.Service<Text, { readonly text: string }>()("bench/Text") {}

await Effect.runPromise(
  Stream.unwrap(Effect.map(Text, ({ text }) => Stream.make(text))).pipe(
    Stream.splitLines,
    Stream.runForEach((line) => Effect.sync(() => console.log(line))),
    Effect.provide(Layer.succeed(Text, { text: "a\nb\n" })),
  ),
)
