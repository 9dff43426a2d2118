import { describe, expect, it } from "@effect/vitest"
import * as AiError from "effect/ai/AiError"
import * as Clock from "effect/Clock"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Agent, AiSdk, retryModel, type RetryOptions } from "../../src/agent/mod.ts"
import { MemoryJournal } from "../../src/journal/Journal.ts"
import { Spellbook } from "../../src/spell/mod.ts"

const failure = (reason: AiError.AiErrorReason) => AiError.make({ module: "Test", method: "generateText", reason })
const busy = (retryAfter?: Duration.Duration) =>
  failure(new AiError.RateLimitError(retryAfter === undefined ? {} : { retryAfter }))
const overloaded = (headers: Record<string, string>) =>
  failure(new AiError.InternalProviderError({ description: "x", http: { response: { status: 529, headers } } }))

/** The times at which a request is made that fails with these errors, one after another, and then succeeds. */
const times = (errors: ReadonlyArray<AiError.AiError>, options?: RetryOptions) =>
  Effect.gen(function* () {
    const asked: Array<number> = []
    const began = yield* Clock.currentTimeMillis
    const ask = Effect.gen(function* () {
      asked.push((yield* Clock.currentTimeMillis) - began)
      const error = errors[asked.length - 1]
      if (error !== undefined) return yield* Effect.fail(error)
    })
    const fiber = yield* Effect.forkChild(Effect.exit(retryModel(options)(ask)))
    yield* TestClock.adjust("1 day")
    yield* Fiber.join(fiber)
    return asked
  })

describe("retryModel", () => {
  it.effect("waits exactly as long as the provider asks", () =>
    Effect.gen(function* () {
      expect(yield* times([busy(Duration.seconds(7)), busy(Duration.seconds(3))])).toEqual([0, 7_000, 10_000])
    }))

  it.effect("reads Retry-After of every error that has an answer: seconds, milliseconds, a date", () =>
    Effect.gen(function* () {
      expect(yield* times([overloaded({ "retry-after": "5" })])).toEqual([0, 5_000])
      expect(yield* times([overloaded({ "Retry-After": "5", "retry-after-ms": "250" })])).toEqual([0, 250])
      const date = new Date(
        yield* Effect.map(Clock.currentTimeMillis, (now) => Math.ceil(now / 1_000) * 1_000 + 20_000),
      )
      const began = yield* Clock.currentTimeMillis
      const [, second] = yield* times([overloaded({ "retry-after": date.toUTCString() })])
      expect(second).toBe(date.getTime() - began)
    }))

  it.effect("doubles its own delay, with jitter, up to the longest", () =>
    Effect.gen(function* () {
      const asked = yield* times([busy(), busy(), busy(), busy()], { maxAttempts: 5, first: 1_000, maxDelay: 3_000 })
      const delays = asked.slice(1).map((at, index) => at - (asked[index] ?? 0))
      for (const [index, usual] of [1_000, 2_000, 4_000, 8_000].entries()) {
        expect(delays[index]).toBeGreaterThanOrEqual(Math.min(usual * 0.8, 3_000) - 1)
        expect(delays[index]).toBeLessThanOrEqual(Math.min(usual * 1.2, 3_000) + 1)
      }
    }))

  it.effect("makes at most the given number of attempts", () =>
    Effect.gen(function* () {
      const errors = Array.from({ length: 10 }, () => busy(Duration.zero))
      expect((yield* times(errors)).length).toBe(3)
      expect((yield* times(errors, { maxAttempts: 1 })).length).toBe(1)
      expect((yield* times(errors, { maxAttempts: 5 })).length).toBe(5)
    }))

  it.effect("does not wait longer than the longest, and asks once more at it", () =>
    Effect.gen(function* () {
      expect(yield* times([busy(Duration.seconds(61))])).toEqual([0])
      expect(yield* times([busy(Duration.seconds(60))])).toEqual([0, 60_000])
      expect(yield* times([busy(Duration.seconds(61))], { maxDelay: "2 minutes" })).toEqual([0, 61_000])
    }))

  it.effect("does not repeat requests that would fail again: a bad request, a bad key, an empty account, refused content", () =>
    Effect.gen(function* () {
      for (
        const reason of [
          new AiError.InvalidRequestError({}),
          new AiError.AuthenticationError({ kind: "InvalidKey" }),
          new AiError.QuotaExhaustedError({}),
          new AiError.ContentPolicyError({ description: "x" }),
        ]
      ) expect(yield* times([failure(reason)])).toEqual([0])
    }))
})

it.effect("takes the request first or last, and fails with an invalid option when it runs", () =>
  Effect.gen(function* () {
    const ask = Effect.succeed("hello")
    expect(yield* retryModel(ask)).toBe("hello")
    expect(yield* ask.pipe(retryModel())).toBe("hello")
    for (const options of [{ maxAttempts: 0 }, { first: -1 }, { maxDelay: "soon" as "1s" }, { times: 3 }]) {
      expect((yield* Effect.flip(retryModel(ask, options)))._tag).toBe("OptionError")
      expect((yield* Effect.flip(ask.pipe(retryModel(options))))._tag).toBe("OptionError")
    }
  }))

describe("AiSdk and Agent.run", () => {
  /** A model that is always overloaded, and the number of requests that it got. */
  const overloadedModel = () => {
    const counted = { requests: 0 }
    const fail = () => {
      counted.requests += 1
      const error = { statusCode: 529, isRetryable: true, url: "https://example.org", requestBodyValues: {} }
      return Promise.reject(Object.assign(new Error("overloaded"), error, { name: "AI_APICallError" }))
    }
    const model = {
      specificationVersion: "v3" as const,
      provider: "fake",
      modelId: "m",
      doGenerate: fail,
      doStream: fail,
    }
    return { counted, model: AiSdk.layer(model) }
  }

  /** Runs an Effect to its end, whatever it waits for. */
  const settle = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.exit(effect))
      yield* TestClock.adjust("1 day")
      return yield* Fiber.join(fiber)
    })

  it.effect("retries in one place: the model alone asks 3 times, a run 6 times, with or without a journal", () =>
    Effect.gen(function* () {
      const alone = overloadedModel()
      yield* settle(Effect.provide(LanguageModel.generateText({ prompt: "x" }), alone.model))
      expect(alone.counted.requests).toBe(3)
      for (const services of [Agent.services(Spellbook.make()), Agent.journaled(Spellbook.make())]) {
        const { counted, model } = overloadedModel()
        const run = Stream.unwrap(Effect.map(services, (all) => Agent.run(all, { task: "t", tools: [] })))
        yield* settle(Effect.provide(Stream.runDrain(run), Layer.merge(MemoryJournal.layer, model)))
        expect(counted.requests).toBe(6)
      }
    }))
})
