import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { aiSdkError, parseRetryAfter } from "../../src/agent/aiSdkError.ts"

const convert = (error: unknown, redact?: (text: string) => string) =>
  aiSdkError(error, { method: "generateText", now: 0, provider: "test", redact })

describe("an error of a provider", () => {
  it.each<[string, unknown, string]>([
    ["an error of its own in a stream", { type: "overloaded_error", message: "busy" }, "InternalProviderError"],
    ["an error within an error", { error: { code: "rate_limit_exceeded", message: "slow" } }, "RateLimitError"],
    ["a status of Google", { error: { status: "PERMISSION_DENIED", message: "no" } }, "AuthenticationError"],
    ["a policy", { statusCode: 400, data: { error: { code: "content_policy_violation" } } }, "ContentPolicyError"],
    ["a teapot", { statusCode: 418, message: "teapot" }, "InvalidRequestError"],
    ["no funds", { statusCode: 402, message: "pay" }, "QuotaExhaustedError"],
    ["a connection that failed", new TypeError("fetch failed"), "NetworkError"],
    ["an error of the system", Object.assign(new Error("reset"), { code: "ECONNRESET" }), "NetworkError"],
    ["a misread answer", new TypeError("Cannot read properties of undefined"), "InvalidResponseError"],
    ["a text", "odd", "UnknownError"],
    ["nothing", undefined, "UnknownError"],
    ["an error without a name", new Error("odd"), "UnknownError"],
    ["a missing key", Object.assign(new Error("x"), { name: "AI_LoadAPIKeyError" }), "AuthenticationError"],
    [
      "a good answer that broke off",
      { name: "AI_APICallError", statusCode: 200, message: "x", cause: new TypeError("terminated") },
      "NetworkError",
    ],
  ])("%s", (_, error, tag) => {
    expect(convert(error).reason._tag).toBe(tag)
  })

  it("has no query and no key of the address", () => {
    const error = convert({ name: "AI_APICallError", url: "https://x.example/v1?key=s3cret", message: "failed" })
    expect(error.message).toContain("https://x.example/v1")
    expect(JSON.stringify(error)).not.toContain("s3cret")
  })

  it("is redacted before it is cut", () => {
    const key = "k".repeat(100)
    const error = convert({ statusCode: 500, message: `${"x".repeat(450)}${key}` }, (text) => text.replaceAll(key, "-"))
    expect(JSON.stringify(error)).not.toContain("kk")
  })

  it("is bounded", () => {
    const error = convert({ statusCode: 500, message: "m".repeat(1e6), responseBody: "b".repeat(1e6) })
    expect(JSON.stringify(error).length).toBeLessThan(8_000)
  })
})

describe("Retry-After", () => {
  it.each<[string, Duration.Duration | undefined]>([
    ["7", Duration.seconds(7)],
    [" 1.5 ", Duration.seconds(1.5)],
    ["0", Duration.zero],
    ["Thu, 01 Jan 1970 00:00:10 GMT", Duration.seconds(10)],
    ["Wed, 31 Dec 1969 23:59:59 GMT", Duration.zero],
    ["-1", undefined],
    ["soon", undefined],
    ["", undefined],
  ])("%j", (text, duration) => {
    expect(parseRetryAfter(text, 0)).toEqual(duration)
  })
})
