import { describe, expect, it } from "@effect/vitest"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { MockModel } from "../../../src/leaves/mock/MockModel.ts"

const ask = (prompt: string) => LanguageModel.generateText({ prompt })

describe("a mock model", () => {
  it.effect("answers by its script, streamed or whole, with reasoning and usage", () => {
    const turn = MockModel.turn({
      reasoning: "Let me think.",
      text: "Hello,  you!\n",
      usage: { inputTokens: 7, cachedInputTokens: 5, outputTokens: 3 },
    })
    return Effect.gen(function* () {
      const whole = yield* ask("hello")
      expect([whole.text, whole.reasoningText]).toEqual(["Hello,  you!\n", "Let me think."])
      expect(whole.usage).toMatchObject({ inputTokens: { total: 7, cacheRead: 5 }, outputTokens: { total: 3 } })
      const parts = yield* Stream.runCollect(LanguageModel.streamText({ prompt: "again" }))
      const text = parts.flatMap((part) => part.type === "text-delta" ? [part.delta] : [])
      expect([text.length, text.join("")]).toEqual([2, "Hello,  you!\n"])
      yield* MockModel.verify
      expect((yield* MockModel.prompts).map(({ text }) => text)).toEqual(["hello", "again"])
    }).pipe(Effect.provide(MockModel.layer([turn, turn])))
  })

  it.effect("reports a difference from its script", () =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(ask("hello"))).message).toContain("turn 1: I expected more")
      expect((yield* Effect.flip(ask("hello"))).message).toContain("turn 2: the prompt is not the expected one")
      yield* ask("good")
      expect((yield* Effect.flip(ask("hello"))).message).toContain("turn 4 was requested, and the script has 3")
      const { message } = yield* Effect.flip(MockModel.verify)
      expect(message).toContain("turn 1: I expected more; and MockModel: turn 2")
    }).pipe(Effect.provide(MockModel.layer([
      MockModel.turn({ expect: () => "I expected more" }),
      MockModel.turn({ expect: ({ text }) => text === "good" }),
      MockModel.turn({ text: "ok" }),
    ]))))

  it.effect("names the turns that were not requested", () =>
    Effect.gen(function* () {
      yield* ask("x")
      const { message } = yield* Effect.flip(MockModel.verify)
      expect(message).toBe("MockModel: turn 2 was not requested; and MockModel: turn 3 was not requested")
    }).pipe(Effect.provide(MockModel.layer([{}, {}, {}]))))

  it.effect("fails and waits as scripted", () => {
    const reason = new AiError.RateLimitError({ retryAfter: Duration.seconds(1) })
    return Effect.gen(function* () {
      expect(yield* Effect.flip(ask("x"))).toMatchObject({ reason: { _tag: "RateLimitError" } })
      const late = yield* Effect.forkChild(ask("x"))
      yield* TestClock.adjust("59 seconds")
      expect(late.pollUnsafe()).toBe(undefined)
      yield* TestClock.adjust("1 second")
      expect((yield* Fiber.join(late)).text).toBe("late")
    }).pipe(Effect.provide(MockModel.layer([{ fault: reason }, { text: "late", delay: "1 minute" }])))
  })

  it.effect("continues a conversation by the answers that it has", () =>
    Effect.gen(function* () {
      const prompt = [
        { role: "user" as const, content: "x" },
        { role: "assistant" as const, content: "one" },
        { role: "user" as const, content: "y" },
      ]
      expect((yield* LanguageModel.generateText({ prompt })).text).toBe("two")
      expect((yield* LanguageModel.generateText({ prompt })).text).toBe("two")
    }).pipe(Effect.provide(MockModel.layerByPosition([{ text: "one" }, { text: "two" }]))))
})
