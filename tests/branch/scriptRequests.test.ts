import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { requestOne, scriptRequests, type ScriptRule } from "../../src/branch/mod.ts"
import { HttpBranch, type HttpFault, HttpFetch, HttpResponse } from "../../src/fetch/mod.ts"

type Rule = ScriptRule<HttpFetch, HttpResponse, HttpFault>

const rule = (status: number, rest: Partial<Rule> = {}): Rule => ({
  name: String(status),
  matches: () => true,
  answer: ({ correlationId, url }) =>
    Effect.succeed(HttpResponse.make({ correlationId, url, status, headers: {}, body: new Uint8Array(0) })),
  ...rest,
})
const request = HttpFetch.make({ url: "https://example.org/" })

describe("a scripted service", () => {
  it.effect("answers by the first matching rule, as often as it may be used", () =>
    Effect.gen(function* () {
      const script = scriptRequests(HttpBranch, [rule(1, { times: 2 }), rule(2, { matches: () => false }), rule(3)])
      const statuses = yield* Effect.forEach([1, 2, 3, 4], () => requestOne(script, request))
      expect(statuses.map(({ status }) => status)).toEqual([1, 1, 3, 3])
      expect((yield* script.requests).length).toBe(4)
    }))

  it.effect("fails where no rule holds, and names the rules", () =>
    Effect.gen(function* () {
      const fault = yield* Effect.flip(requestOne(scriptRequests(HttpBranch, [rule(1, { times: 0 })]), request))
      expect(fault.message).toBe("GET https://example.org/: the script has no answer; it has 1")
      const empty = yield* Effect.flip(requestOne(scriptRequests(HttpBranch, []), request))
      expect(empty.message).toContain("it has no rules")
    }))

  it.effect("makes a request when its stream is pulled, not before", () =>
    Effect.gen(function* () {
      const script = scriptRequests(HttpBranch, [rule(1)])
      const stream = script.request(request)
      expect(yield* script.requests).toEqual([])
      yield* Stream.runDrain(stream)
      expect(yield* script.requests).toEqual([request])
    }))

  it.effect("delays by the program's clock", () =>
    Effect.gen(function* () {
      const script = scriptRequests(HttpBranch, [rule(1, { delay: "1 hour" })])
      const fiber = yield* Effect.forkChild(Effect.andThen(requestOne(script, request), Clock.currentTimeMillis))
      yield* TestClock.adjust("1 day")
      expect(yield* Fiber.join(fiber)).toBe(3_600_000)
    }))

  it.effect("says which expected requests did not come", () =>
    Effect.gen(function* () {
      const rules = [rule(1, { times: 2, expected: true }), rule(2, { matches: () => false, expected: true }), rule(3)]
      const script = scriptRequests(HttpBranch, rules)
      yield* requestOne(script, request)
      expect((yield* Effect.flip(script.verify)).message).toBe(
        "1 was expected 2 times, and was requested 1 times; 2 was expected 1 times, and was requested 0 times",
      )
      const done = scriptRequests(HttpBranch, [rule(1, { expected: true })])
      yield* requestOne(done, request)
      yield* done.verify
    }))
})

it.effect("a service that answers nothing is a defect", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(requestOne({ request: () => Stream.empty }, request))
    expect(String(exit)).toContain("HttpFetch was answered with nothing")
  }))
