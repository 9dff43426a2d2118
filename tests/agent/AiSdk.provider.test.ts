/** Each provider's package through the adapter, against a local server that speaks its format. */
import { afterEach, describe, expect, it } from "@effect/vitest"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { AiSdk, ModelRequest, modelService, resolveModel } from "../../src/agent/mod.ts"
import { assumeValidOptions } from "../../src/base/attemptOptions.ts"
import { Spellbook } from "../../src/spell/mod.ts"
import type { Answer, Reply } from "./support/Answer.ts"
import { generations } from "./support/generations.ts"
import {
  key,
  type ModelRequest as WireRequest,
  type ModelServer,
  providerPaths,
  serveModels,
} from "./support/modelServer.ts"

let server: ModelServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

const start = async (script: (request: WireRequest, turn: number) => Reply): Promise<ModelServer> => {
  server = await serveModels(script)
  return server
}

const readFile = Tool.make("read_file", {
  description: "Reads a file.",
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.String,
})
const { tools } = Toolkit.make(readFile)
const toolkit = { tools, handle: () => Effect.die("not cast here") }
const asked = { toolkit, disableToolCallResolution: true, toolCallValidation: "deferred" } as const

describe.each(generations)("with packages of %s", (version, load) => {
  const modelOf = (
    provider: string,
    { url }: ModelServer,
    options: AiSdk.AiSdkOptions = { retry: { maxAttempts: 1 } },
    apiKey = key,
  ) => {
    const path = providerPaths.find(([name]) => name === provider)?.[1] ?? ""
    return resolveModel(`${provider}/m`, { apiKey: Redacted.make(apiKey), baseUrl: url + path, load }).pipe(
      Effect.orDie,
      Effect.flatMap((model) => assumeValidOptions(AiSdk.make(model, options))),
    )
  }

  type Model = LanguageModel.LanguageModel
  type Parts = ReadonlyArray<{ readonly type: string }>

  /** Asks at once, or by a stream, and gives all parts. */
  const ways: ReadonlyArray<
    readonly [string, (model: Model, prompt: Prompt.RawInput) => Effect.Effect<Parts, AiError.AiError>]
  > = [
    ["at once", (model, prompt) => Effect.map(model.generateText({ prompt, ...asked }), ({ content }) => content)],
    ["streamed", (model, prompt) => Stream.runCollect(model.streamText({ prompt, ...asked }))],
  ]
  const providers = providerPaths.map(([provider]) => provider)
  const each = providers.flatMap((provider) => ways.map(([way, ask]) => [provider, way, ask] as const))

  const of = (parts: Parts, type: string) => parts.filter((part) => part.type === type)
  const textOf = (parts: Parts, kind = "text"): string =>
    parts.flatMap((part) =>
      part.type === kind && "text" in part
        ? [part.text]
        : part.type === `${kind}-delta` && "delta" in part
        ? [part.delta]
        : []
    ).join("")

  const ask = (
    provider: string,
    way: (typeof ways)[number][1],
    options?: AiSdk.AiSdkOptions,
  ) => {
    if (server === undefined) throw new Error("no server")
    return modelOf(provider, server, options).pipe(Effect.flatMap((model) => way(model, "read a.txt")))
  }

  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

  describe("an answer", () => {
    const answer: Answer = {
      text: "Reading: ä 🚀.",
      calls: [
        { id: "c1", name: "read_file", arguments: '{"path":"a.txt"}' },
        { id: "c2", name: "read_file", arguments: '{"path":"b.txt"}' },
      ],
      usage: { input: 100, cached: 60, output: 20, reasoning: 5 },
    }

    it.each(each)("of %s, %s, has its text, calls, finish reason and usage", async (provider, _, way) => {
      await start(() => ({ answer }))
      const parts = await run(ask(provider, way))
      expect(textOf(parts)).toBe(answer.text)
      expect(of(parts, "tool-call")).toMatchObject([
        { name: "read_file", params: { path: "a.txt" } },
        { name: "read_file", params: { path: "b.txt" } },
      ])
      expect(of(parts, "finish")).toMatchObject([{
        reason: "tool-calls",
        usage: {
          inputTokens: { total: 100, cacheRead: 60, uncached: 40 },
          outputTokens: { total: 20, ...(provider === "anthropic" ? {} : { reasoning: 5 }) },
        },
      }])
      expect(of(parts, "response-metadata").length).toBeGreaterThan(0)
    })

    it.each(each)("of %s, %s, that is empty is an answer", async (provider, _, way) => {
      await start(() => ({ answer: {} }))
      const parts = await run(ask(provider, way))
      expect([textOf(parts), of(parts, "tool-call"), of(parts, "finish").length]).toEqual(["", [], 1])
    })

    it.each(each)("of %s, %s, may be large", async (provider, _, way) => {
      const text = "All work and no play. ".repeat(100_000)
      await start(() => ({ answer: { text } }))
      expect(textOf(await run(ask(provider, way)))).toBe(text)
    })

    it.each(each)("of %s, %s, says that it was cut, or filtered", async (provider, _, way) => {
      for (const finish of ["length", "content-filter"] as const) {
        await start(() => ({ answer: { text: "half", finish } }))
        expect(of(await run(ask(provider, way)), "finish")).toMatchObject([{ reason: finish }])
        await server?.stop()
      }
    })

    it.each(ways)("of OpenAI that refuses is filtered, and has the refusal (%s)", async (_, way) => {
      for (const provider of ["openai", "openai-chat"]) {
        await start(() => ({ answer: { refusal: "I cannot help with that." } }))
        const parts = await run(ask(provider, way))
        expect([textOf(parts), of(parts, "finish")]).toMatchObject(["I cannot help with that.", [{
          reason: "content-filter",
        }]])
        await server?.stop()
      }
    })
  })

  describe("reasoning", () => {
    const first: Answer = {
      reasoning: { text: "The file is needed.", signature: "c2lnbmF0dXJl" },
      calls: [{ id: "c1", name: "read_file", arguments: '{"path":"a.txt"}' }],
    }

    it.each(each.filter(([provider]) => /^(openai|google|anthropic)$/.test(provider)))(
      "of %s, %s, is kept, and goes back with its signature",
      async (provider, way) => {
        await start((_, turn) => ({ answer: turn === 0 ? first : { text: "done" } }))
        if (server === undefined) throw new Error("no server")
        const settings = provider === "openai"
          ? { providerOptions: { openai: { include: ["reasoning.encrypted_content"] } } }
          : {}
        const program = Effect.gen(function* () {
          const model = yield* modelOf(provider, server!, { retry: { maxAttempts: 1 }, settings })
          const content = way === "at once"
            ? (yield* model.generateText({ prompt: "read a.txt", ...asked })).content
            : yield* Stream.runCollect(model.streamText({ prompt: "read a.txt", ...asked }))
          expect(textOf(content, "reasoning")).toBe(first.reasoning?.text)
          const call = content.find((part) => part.type === "tool-call")
          // As a journal keeps it.
          const kept = JSON.stringify(Schema.encodeSync(Prompt.Prompt)(Prompt.fromResponseParts(content)))
          const answered = Schema.decodeUnknownSync(Prompt.Prompt)(JSON.parse(kept))
          const result = { type: "tool-result", id: call?.id, name: "read_file", isFailure: false, result: "text" }
          const more = Schema.decodeUnknownSync(Prompt.Prompt)({ content: [{ role: "tool", content: [result] }] })
          const prompt = Prompt.concat(Prompt.concat(Prompt.make("read a.txt"), answered), more)
          expect((yield* model.generateText({ prompt, ...asked })).text).toBe("done")
        })
        await run(program)
        expect(JSON.stringify(server.requests[1]?.body)).toContain(first.reasoning?.signature)
      },
    )
  })

  describe("a broken stream", () => {
    const answer: Answer = {
      text: "half of it",
      calls: [{ id: "c1", name: "read_file", arguments: '{"path":"a.txt"}' }],
    }

    it.each(providers.flatMap((provider) => [[provider, "event"], [provider, "finish"]] as const))(
      "of %s that is cut at the %s is an error that may be tried again, and gives no call",
      async (provider, cut) => {
        const { url } = await start(() => ({ answer, cut }))
        expect(url).toContain("http")
        const seen: Array<string> = []
        const program = Effect.gen(function* () {
          const model = yield* modelOf(provider, server!)
          return yield* model.streamText({ prompt: "x", ...asked }).pipe(
            Stream.runForEach((part) => Effect.sync(() => void seen.push(part.type))),
            Effect.flip,
          )
        })
        const error = await run(program)
        expect([error.reason._tag, seen.includes("tool-call"), seen.includes("finish")]).toEqual([
          expect.stringMatching(/^(NetworkError|InvalidResponseError|InternalProviderError)$/),
          false,
          false,
        ])
      },
    )

    it.each(providers)("of %s says what the provider says in the middle of it", async (provider) => {
      const streamError = {
        status: 529,
        code: provider === "google" ? "UNAVAILABLE" : provider === "anthropic" ? "overloaded_error" : "server_error",
        message: `busy, ${key}`,
      }
      await start(() => ({ answer, streamError }))
      const error = await run(Effect.flip(ask(provider, ways[1]![1])))
      expect(error.reason._tag).toMatch(/^(InternalProviderError|RateLimitError)$/)
      expect(error.message).toContain("busy, <redacted>")
    })
  })

  describe("a malformed tool call", () => {
    const forms = each.filter(([provider]) => provider !== "google")

    it.each(forms)(
      "of %s, %s, with arguments that are no JSON goes back to the model in an object",
      async (provider, way, ask) => {
        const calls = [{ id: "c1", name: "read_file", arguments: '{"path": "a.txt' }]
        await start((_, turn) => ({ answer: turn === 0 ? { calls } : { text: "sorry" } }))
        const program = Effect.gen(function* () {
          const model = yield* modelOf(provider, server!)
          const content = yield* ask(model, "x")
          const [call] = of(content, "tool-call")
          expect(call).toMatchObject({ name: "read_file", params: '{"path": "a.txt' })
          const assistant = { role: "assistant", content: [call] }
          const result = { type: "tool-result", id: "c1", name: "read_file", isFailure: true, result: "no JSON" }
          const prompt = Schema.decodeUnknownSync(Prompt.Prompt)({
            content: [{ role: "user", content: "x" }, assistant, { role: "tool", content: [result] }],
          })
          // The server refuses arguments that are not an object, as the providers do.
          return textOf(yield* ask(model, prompt))
        })
        expect([way, await run(program)]).toEqual([way, "sorry"])
      },
    )

    it.each(each)("of %s, %s, with an unknown name is passed on", async (provider, _, way) => {
      await start(() => ({ answer: { calls: [{ id: "c1", name: "fly", arguments: "{}" }] } }))
      expect(of(await run(ask(provider, way)), "tool-call")).toMatchObject([{ name: "fly", params: {} }])
    })

    it.each(each)("of %s, %s, without an id has one, or is an error", async (provider, _, way) => {
      await start(() => ({ answer: { calls: [{ name: "read_file", arguments: '{"path":"a"}' }] } }))
      const exit = await run(Effect.exit(ask(provider, way)))
      if (Exit.isSuccess(exit)) expect(of(exit.value, "tool-call")).toMatchObject([{ id: expect.stringMatching(/./) }])
      else expect(String(exit.cause)).toContain("AiError")
    })
  })

  describe("an error", () => {
    const statuses: ReadonlyArray<readonly [number, string, string | undefined]> = [
      [400, "InvalidRequestError", undefined],
      [401, "AuthenticationError", undefined],
      [403, "AuthenticationError", undefined],
      [404, "InvalidRequestError", undefined],
      [429, "RateLimitError", undefined],
      [429, "QuotaExhaustedError", "insufficient_quota"],
      [500, "InternalProviderError", undefined],
      [503, "InternalProviderError", undefined],
      [529, "InternalProviderError", undefined],
    ]

    it.each(each)("of %s, %s, has its reason and what the provider said, without the key", async (provider, _, way) => {
      for (const [status, tag, code] of statuses) {
        if (code !== undefined && !provider.startsWith("openai")) continue
        await start(() => ({ failure: { status, message: `no, ${key}`, ...(code === undefined ? {} : { code }) } }))
        const error = await run(Effect.flip(ask(provider, way)))
        expect([status, error.reason._tag]).toEqual([status, tag])
        expect(JSON.stringify(error)).not.toContain(key)
        expect(JSON.stringify(error)).toContain("no, <redacted>")
        await server?.stop()
      }
    })

    it.each(each)("of %s, %s, in a body of another form says the body", async (provider, _, way) => {
      await start(() => ({ failure: { status: 502, body: "<html>Bad Gateway</html>" } }))
      const error = await run(Effect.flip(ask(provider, way)))
      expect(error).toMatchObject({ reason: { _tag: "InternalProviderError" } })
      expect(JSON.stringify(error)).toContain("Bad Gateway")
    })

    it.each(providers)("of %s that cannot be reached is a NetworkError", async (provider) => {
      const { stop } = await start(() => ({ answer: {} }))
      await stop()
      const error = await run(Effect.flip(ask(provider, ways[0]![1])))
      expect(error).toMatchObject({ isRetryable: true, reason: { _tag: "NetworkError" } })
      server = undefined
    })

    it.each(providers)("of %s with an invalid response is an InvalidResponseError", async (provider) => {
      for (const body of ["{}", "[]", '{"choices":[]}', "half of {"]) {
        await start(() => ({ answer: {}, body }))
        const error = await run(Effect.flip(ask(provider, ways[0]![1])))
        // The newer package itself makes a 500 of an answer without output.
        const is500 = version === "v4" && provider === "openai" && body.startsWith("{")
        expect([body, error.reason._tag]).toEqual([body, is500 ? "InternalProviderError" : "InvalidResponseError"])
        await server?.stop()
      }
    })
  })

  describe("Retry-After", () => {
    const retryAfter = (provider: string, headers: Record<string, string>, status = 429) => {
      server = undefined
      return start(() => ({ failure: { status, headers } })).then(() => run(Effect.flip(ask(provider, ways[0]![1]))))
    }

    it.each(providers)("of %s is kept: seconds, and a date", async (provider) => {
      const seconds = await retryAfter(provider, { "retry-after": "7" })
      expect(seconds.retryAfter).toEqual(Duration.seconds(7))
      await server?.stop()
      const date = await retryAfter(provider, { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() })
      const millis = Duration.toMillis(date.retryAfter ?? 0)
      expect(millis > 3_000_000 && millis <= 3_600_000).toBe(true)
      await server?.stop()
      const past = await retryAfter(provider, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" })
      expect(past.retryAfter).toEqual(Duration.zero)
      await server?.stop()
      expect((await retryAfter(provider, { "retry-after": "soon" })).retryAfter).toBeUndefined()
    })

    it.each(each)("of %s, %s, is honoured, and the request made again", async (provider, _, way) => {
      const failure = { status: 503, headers: { "retry-after": "0" } }
      const { requests } = await start((_, turn) => turn < 2 ? { failure } : { answer: { text: "at last" } })
      // Without the header it would wait for an hour.
      const parts = await run(ask(provider, way, { retry: { first: "1 hour", maxDelay: "2 hours" } }))
      expect([textOf(parts), requests.length]).toEqual(["at last", 3])
    })

    it.each(each)("of %s, %s, that is too long is not waited for", async (provider, _, way) => {
      const { requests } = await start(() => ({ failure: { status: 429, headers: { "retry-after": "3600" } } }))
      const error = await run(Effect.flip(ask(provider, way, {})))
      expect([error.reason._tag, requests.length]).toEqual(["RateLimitError", 1])
    })

    it.each(each)("has a limit: %s, %s, is asked three times", async (provider, _, way) => {
      const { requests } = await start(() => ({ failure: { status: 500 } }))
      const error = await run(Effect.flip(ask(provider, way, { retry: { first: 1 } })))
      expect([error.reason._tag, requests.length]).toEqual(["InternalProviderError", 3])
    })

    it.each(each)("does not apply to permanent errors: %s, %s, is asked once", async (provider, _, way) => {
      const { requests } = await start(() => ({ failure: { status: 400, headers: { "retry-after": "0" } } }))
      await run(Effect.flip(ask(provider, way, {})))
      expect(requests.length).toBe(1)
    })
  })

  describe("a slow answer", () => {
    it.each(each)("of %s, %s, ends with its fiber: the connection is closed", async (provider, _, way) => {
      const { abandoned, requests } = await start(() => ({ answer: { text: "late" }, delay: 60_000 }))
      const fiber = Effect.runFork(ask(provider, way))
      while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      await run(Fiber.interrupt(fiber))
      while (abandoned.count === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      expect(abandoned.count).toBe(1)
    })

    it.each(each)("of %s, %s, ends at its timeout", async (provider, _, way) => {
      await start(() => ({ answer: { text: "late" }, delay: 60_000 }))
      const error = await run(Effect.flip(ask(provider, way, { retry: { maxAttempts: 1 }, timeout: 50 })))
      expect(error).toMatchObject({ isRetryable: true, reason: { _tag: "NetworkError" } })
      expect(error.message).toContain("nothing came for 50ms")
    })
  })

  describe("a long answer", () => {
    it("may take longer than the timeout while data keeps arriving", async () => {
      await start(() => ({ answer: { text: "word ".repeat(200) }, drip: 25 }))
      // More than a hundred pieces of its events, each 25 ms after the one before.
      const parts = await run(ask("openai", ways[1]![1], { retry: { maxAttempts: 1 }, timeout: 1_500 }))
      expect(textOf(parts).length).toBe(1_000)
    })
  })

  describe("OpenAI's responses API", () => {
    it("stores nothing unless configured: a prompt has no references", async () => {
      await start(() => ({ answer: { reasoning: { text: "r", signature: "s" }, text: "x" } }))
      const asked = (settings?: AiSdk.AiSdkOptions["settings"]) =>
        run(Effect.flatMap(modelOf("openai", server!, { settings }), (model) => model.generateText({ prompt: "x" })))
      await asked()
      await asked({ providerOptions: { openai: { reasoningEffort: "low" } } })
      await asked({ providerOptions: { openai: { store: true } } })
      expect(server?.requests.map(({ body }) => Reflect.get(Object(body), "store"))).toEqual([false, false, true])
    })
  })

  describe("a setting that a provider does not have", () => {
    it("is reported at the end of the answer", async () => {
      await start(() => ({ answer: { text: "x" } }))
      const parts = await run(ask("openai", ways[0]![1], { settings: { topK: 3 } }))
      expect(of(parts, "finish")).toMatchObject([{
        metadata: { aiSdk: { warnings: [expect.stringContaining("topK")] } },
      }])
    })
  })

  describe("an object of a Schema", () => {
    const Person = Schema.Struct({ name: Schema.String, age: Schema.optionalKey(Schema.Int) })

    it.each(providers)("is asked of %s in the part of JSON Schema that it takes, and decoded", async (provider) => {
      // Anthropic's package asks for it by the call of a tool.
      const calls = [{ id: "c1", name: "json", arguments: '{"name":"Ada","age":36}' }]
      const answer = provider === "anthropic" ? { calls } : { text: '{"name":"Ada","age":36}' }
      const { requests } = await start(() => ({ answer }))
      const program = Effect.gen(function* () {
        const model = yield* modelOf(provider, server!)
        return yield* model.generateObject({ prompt: "who?", schema: Person })
      })
      expect((await run(program)).value).toEqual({ name: "Ada", age: 36 })
      expect(JSON.stringify(requests[0]?.body)).toContain('"age"')
    })

    it("is asked of OpenAI with its strict tools", async () => {
      await start(() => ({ answer: { text: "done" } }))
      const program = Effect.gen(function* () {
        const model = yield* modelOf("openai", server!)
        const service = yield* modelService(Spellbook.standard, { dialect: "openai" }).pipe(
          Effect.provideService(LanguageModel.LanguageModel, model),
        )
        const request = ModelRequest.make({ correlationId: "r1", added: [{ role: "user", content: "x" }], tools: [] })
        return yield* Stream.runLast(service.request(request))
      })
      expect(await run(program)).toMatchObject({ value: { text: "done" } })
    })
  })
})
