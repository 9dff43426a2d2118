/** Runs an Effect in a tracer span that shows only the kind of a failure. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"

/** The outcome of an operation, without the contents of its failure. */
export interface SpanEnd {
  readonly attributes?: Readonly<Record<string, unknown>> | undefined
  /** The kind of failure that a result represents, as in OpenTelemetry's `error.type`. Default: none. */
  readonly errorType?: string | undefined
}

const errorTypeOf = (error: { readonly _tag: string; readonly faultKind?: unknown }): string =>
  typeof error.faultKind === "string" ? error.faultKind : error._tag

/** An error without the message of the failure, which may repeat arguments. */
const errorOf = (type: string): Error => {
  const error = new Error(type)
  error.name = type
  delete error.stack
  return error
}

/**
 * Runs an effect in a span. Without a tracer no span is made: Effect's own spans would go nowhere, and cost as much as
 * a small request.
 */
export const inSpan = <A, E extends { readonly _tag: string }>(
  effect: Effect.Effect<A, E>,
  name: string,
  options: Tracer.SpanOptionsNoTrace,
  endOf: (value: A) => SpanEnd = () => ({}),
): Effect.Effect<A, E> =>
  Effect.withFiber(({ cache }) => {
    if (cache.tracer === undefined) return effect
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.makeSpan(name, options), (span) =>
        Effect.onExit(restore(Effect.withParentSpan(effect, span)), (exit) =>
          Effect.map(Clock.currentTimeNanos, (now) => {
            const { attributes = {}, errorType } = Exit.match(exit, {
              onSuccess: endOf,
              onFailure: (cause): SpanEnd => ({
                errorType: Option.getOrUndefined(Option.map(Cause.findErrorOption(cause), errorTypeOf)),
              }),
            })
            for (const [key, value] of Object.entries(attributes)) {
              span.attribute(key, value)
            }
            if (errorType !== undefined) {
              span.attribute("error.type", errorType)
            }
            span.end(now, errorType === undefined ? Exit.asVoid(exit) : Exit.fail(errorOf(errorType)))
          })))
    )
  })
