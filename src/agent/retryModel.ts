/** Retries requests to a model whose error is transient, after the provider's `Retry-After`, within bounds. */
import type * as AiError from "effect/ai/AiError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Schedule from "effect/Schedule"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type DurationInput, durationOf } from "../base/duration.ts"
import { type OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import { retryAfterOf } from "./aiSdkError.ts"

/** Options of {@link retryModel}. */
export interface RetryOptions {
  /** Requests, including the first. Default: 3. */
  readonly maxAttempts?: number | undefined
  /** The first delay, where the provider names none; it doubles. Default: 1 second. */
  readonly first?: DurationInput | undefined
  /** Maximum delay. A request is not repeated if its provider asks for a longer delay. Default: 1 minute. */
  readonly maxDelay?: DurationInput | undefined
}

/**
 * Whether a failed request is retried here. The model branch disables this: its caller decides about retries, and
 * reports them.
 */
export const RetriesHere: Context.Reference<boolean> = Context.Reference("@sluice/shell/agent/RetriesHere", {
  defaultValue: () => true,
})

const optionNames: Readonly<Record<keyof RetryOptions, true>> = { maxAttempts: true, first: true, maxDelay: true }

/** Throws an `OptionError`. */
export const makeRetry = (
  options: RetryOptions = {},
): <A, R>(self: Effect.Effect<A, AiError.AiError, R>) => Effect.Effect<A, AiError.AiError, R> => {
  refuseUnknownOptions("retryModel", options, optionNames)
  const { first = "1 second", maxAttempts = 3, maxDelay = "1 minute" } = options
  const times = requireCount("retryModel", "maxAttempts", maxAttempts, { min: 1 }) - 1
  const maxDelayDuration = durationOf("maxDelay", maxDelay)
  const wanted = (error: AiError.AiError) => Effect.map(Clock.currentTimeMillis, (now) => retryAfterOf(error, now))
  const schedule = Schedule.exponential(durationOf("first", first)).pipe(
    Schedule.jittered,
    Schedule.setInputType<AiError.AiError>(),
    Schedule.modifyDelay(({ duration, input }) =>
      Effect.map(wanted(input), (asked) => Duration.min(asked ?? duration, maxDelayDuration))
    ),
  )
  return (self) =>
    Effect.retry(self, {
      times,
      schedule,
      while: (error) =>
        Effect.gen(function* () {
          if (!error.isRetryable || !(yield* RetriesHere)) return false
          const asked = yield* wanted(error)
          return asked === undefined || Duration.isLessThanOrEqualTo(asked, maxDelayDuration)
        }),
    })
}

/**
 * Retries the requests of an Effect when the error is retryable. Under `Agent.run` it does not retry, since the run
 * does. Fails with an `OptionError` for an invalid option.
 *
 * @example
 * ```ts
 * import { retryModel } from "@sluice/shell/agent"
 * import { Duration, Effect } from "effect"
 * import { AiError } from "effect/ai"
 *
 * let asked = 0
 * const busy = AiError.make({
 *   module: "Example",
 *   method: "generateText",
 *   reason: new AiError.RateLimitError({ retryAfter: Duration.millis(10) }),
 * })
 * const ask = Effect.suspend(() => (asked += 1) < 3 ? Effect.fail(busy) : Effect.succeed("hello"))
 * console.log(await Effect.runPromise(ask.pipe(retryModel({ maxAttempts: 5 }))), asked) // hello 3
 * ```
 */
export const retryModel: {
  (
    options?: RetryOptions,
  ): <A, R>(self: Effect.Effect<A, AiError.AiError, R>) => Effect.Effect<A, AiError.AiError | OptionError, R>
  <A, R>(
    self: Effect.Effect<A, AiError.AiError, R>,
    options?: RetryOptions,
  ): Effect.Effect<A, AiError.AiError | OptionError, R>
} = dual(
  (args) => Effect.isEffect(args[0]),
  <A, R>(
    self: Effect.Effect<A, AiError.AiError, R>,
    options?: RetryOptions,
  ): Effect.Effect<A, AiError.AiError | OptionError, R> =>
    Effect.flatMap(attemptOptions(() => makeRetry(options)), (retry) => retry(self)),
)
