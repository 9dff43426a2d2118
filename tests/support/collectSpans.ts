/** A tracer that keeps the spans of a test. */
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"

export const collectSpans = (): { readonly spans: Array<Tracer.Span>; readonly layer: Layer.Layer<never> } => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    },
  })
  return { spans, layer: Layer.succeed(Tracer.Tracer, tracer) }
}
