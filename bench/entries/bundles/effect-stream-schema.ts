/** The same, behind a service and a layer, with a Schema that decodes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

class Text extends Context.Service<Text, { readonly text: string }>()("bench/Text") {}

const Line = Schema.TaggedStruct("Line", {
  content: Schema.String,
  seq: Schema.Int,
})

await Effect.runPromise(
  Stream.unwrap(Effect.map(Text, ({ text }) => Stream.make(text))).pipe(
    Stream.splitLines,
    Stream.mapEffect((content) => Schema.decodeUnknownEffect(Line)({ _tag: "Line", content, seq: 0 })),
    Stream.runForEach((line) => Effect.sync(() => console.log(line.content))),
    Effect.provide(Layer.succeed(Text, { text: "a\nb\n" })),
  ),
)
