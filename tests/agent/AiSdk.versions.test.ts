/**
 * Tests differences of the interfaces `LanguageModelV3` and `LanguageModelV4`: files, ends, warnings, and parts that
 * one of them has.
 */
import { describe, expect, it } from "@effect/vitest"
import type * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AiSdk from "../../src/agent/AiSdk.ts"
import { resolveModel, type ResolveModelOptions } from "../../src/agent/providers.ts"
import { generations } from "./support/generations.ts"
import { providerPaths } from "./support/modelServer.ts"

type Model = LanguageModel.LanguageModel
type Parts = ReadonlyArray<{ readonly type: string }>

const ways: ReadonlyArray<
  readonly [string, (model: Model, prompt: Prompt.RawInput) => Effect.Effect<Parts, AiError.AiError>]
> = [
  ["at once", (model, prompt) => Effect.map(model.generateText({ prompt }), ({ content }) => content)],
  ["streamed", (model, prompt) => Stream.runCollect(model.streamText({ prompt }))],
]

const of = (parts: Parts, type: string) => parts.filter((part) => part.type === type)

describe.each(generations)("with packages of %s", (_, load) => {
  const modelOf = (provider: string, fetch: NonNullable<ResolveModelOptions["fetch"]>) =>
    resolveModel(`${provider}/m`, { apiKey: Redacted.make("key"), baseUrl: "http://model.invalid/v1", fetch, load })
      .pipe(
        Effect.flatMap((model) => AiSdk.make(model, { retry: { maxAttempts: 1 } })),
      )

  it.each(providerPaths)("%s is sent the files of a prompt: base64, bytes, and addresses", async (provider) => {
    const bodies: Array<string> = []
    const fetch = (_: RequestInfo | URL, init?: RequestInit) => {
      bodies.push(String(init?.body))
      return Promise.resolve(Response.json({ error: { message: "no" } }, { status: 400 }))
    }
    const files = ["b25l", new TextEncoder().encode("two"), new URL("https://example.com/three.png")]
    const content = files.map((data) => Prompt.filePart({ mediaType: "image/png", data }))
    const prompt = Prompt.make([Prompt.userMessage({ content })])
    const error = await Effect.runPromise(
      Effect.flatMap(modelOf(provider, fetch), (model) => Effect.flip(model.generateText({ prompt }))),
    )
    expect(error.reason._tag).toBe("InvalidRequestError")
    expect(bodies.length).toBe(1)
    expect(bodies[0]).toContain("b25l")
    expect(bodies[0]).toContain("dHdv")
    expect(bodies[0]).toContain("https://example.com/three.png")
  })

  it.each(ways)("Google's answer has the file that the model made (%s)", async (way, ask) => {
    const parts = [{ inlineData: { mimeType: "image/png", data: "b25l" }, thoughtSignature: "c2ln" }]
    const answer = JSON.stringify({ candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] })
    const fetch = () =>
      Promise.resolve(
        way === "at once" ? new Response(answer) : new Response(`data: ${answer}\n\n`, {
          headers: { "content-type": "text/event-stream" },
        }),
      )
    const content = await Effect.runPromise(Effect.flatMap(modelOf("google", fetch), (model) => ask(model, "draw")))
    expect(of(content, "file")).toMatchObject([{
      mediaType: "image/png",
      data: new TextEncoder().encode("one"),
      metadata: { google: { thoughtSignature: "c2ln" } },
    }])
  })
})

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const stop = { unified: "stop", raw: "stop" }
const text = { type: "text", text: "hello" }
const texts = [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "hello" },
  { type: "text-end", id: "t" },
]

interface Given {
  /** The parts of its stream. Default: those of its whole answer. */
  readonly stream?: Iterable<object> | AsyncIterable<object>
  readonly finishReason?: object
  readonly warnings?: ReadonlyArray<object>
  readonly structuredOutputText?: string
}

/** A model of V4 whose answers have these parts, whatever they are. */
const modelWith = (
  content: ReadonlyArray<object>,
  { finishReason = stop, stream = content, warnings = [], ...more }: Given = {},
): AiSdk.AiSdkModel => {
  const streamed = async function* () {
    yield { type: "stream-start", warnings }
    yield* stream
    yield { type: "finish", finishReason, usage }
  }
  // Of any type, as a program without types gives it.
  const whole = new Map().set("whole", { content, finishReason, usage, warnings, ...more }).get("whole")
  return {
    specificationVersion: "v4",
    provider: "fake",
    modelId: "m",
    doGenerate: () => Promise.resolve(whole),
    doStream: () => {
      const parts = streamed()
      const pull = async (controller: ReadableStreamDefaultController) => {
        const next = await parts.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      }
      return Promise.resolve({ stream: new ReadableStream({ pull }) })
    },
  }
}

type Ask = (typeof ways)[number][1]

const run = (model: AiSdk.AiSdkModel, ask: Ask) =>
  Effect.runPromise(Effect.flatMap(AiSdk.make(model), (made) => ask(made, "x")))

const fail = (model: AiSdk.AiSdkModel, ask: Ask, timeout: AiSdk.AiSdkOptions["timeout"] = "1 minute") =>
  Effect.runPromise(
    Effect.flatMap(AiSdk.make(model, { retry: { maxAttempts: 1 }, timeout }), (made) => Effect.flip(ask(made, "x"))),
  )

describe("a model of V4", () => {
  it.each(ways)("may answer with parts that effect/ai lacks, which are left out (%s)", async (way, ask) => {
    const other = [
      { type: "custom", kind: "fake.compaction", providerMetadata: { fake: { itemId: "i" } } },
      { type: "reasoning-file", mediaType: "image/png", data: { type: "data", data: "b25l" } },
    ]
    const model = modelWith([...other, text], { stream: [{ type: "ping" }, ...other, ...texts] })
    const parts = await run(model, ask)
    expect([...new Set(parts.map(({ type }) => type))].toSorted()).toEqual(
      way === "at once" ? ["finish", "response-metadata", "text"] : ["finish", "text-delta", "text-end", "text-start"],
    )
  })

  it.each(ways)("says where a file is, or has its bytes (%s)", async (_, ask) => {
    const url = new URL("https://example.com/a.png")
    const files = [
      { type: "file", mediaType: "image/png", data: { type: "url", url } },
      { type: "file", mediaType: "image/png", data: { type: "data", data: new TextEncoder().encode("one") } },
    ]
    const parts = await run(modelWith(files), ask)
    expect(of(parts, "source")).toMatchObject([{ sourceType: "url", url }])
    expect(of(parts, "file")).toMatchObject([{ mediaType: "image/png", data: new TextEncoder().encode("one") }])
  })

  it.each(ways)("has no answer where it was interrupted, whatever the provider's word (%s)", async (_, ask) => {
    for (const raw of [undefined, "INTERRUPTED"]) {
      const model = modelWith([text], { stream: texts, finishReason: { unified: "interrupted", raw } })
      expect(await fail(model, ask)).toMatchObject({ isRetryable: true, reason: { _tag: "NetworkError" } })
    }
  })

  it.each(ways)("says which setting is deprecated (%s)", async (_, ask) => {
    const warnings = [{ type: "deprecated", setting: "topK", message: "use topP" }]
    const parts = await run(modelWith([text], { stream: texts, warnings }), ask)
    expect(of(parts, "finish")).toMatchObject([{ metadata: { aiSdk: { warnings: ["deprecated: topK: use topP"] } } }])
  })

  it.each(ways)("fails for a file of an unknown form (%s)", async (_, ask) => {
    for (const data of [{ type: "reference", reference: { fake: "id" } }, null, 7]) {
      const error = await fail(modelWith([{ type: "file", mediaType: "image/png", data }]), ask)
      expect(error._tag).toBe("AiError")
    }
  })

  it("times out if its stream is kept alive without data", async () => {
    const pings = async function* () {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        yield { type: "ping" }
      }
    }
    const error = await fail(modelWith([], { stream: pings() }), ways[1]![1], 500)
    expect(error).toMatchObject({ isRetryable: true, reason: { _tag: "NetworkError" } })
  })

  it("is given up if its files are endless: their bytes count", async () => {
    const data = { type: "data", data: new Uint8Array(1024 * 1024) }
    const files = function* () {
      for (;;) yield { type: "file", mediaType: "image/png", data }
    }
    const error = await fail(modelWith([], { stream: files() }), ways[1]![1])
    expect(error.reason._tag).toBe("InvalidResponseError")
  })

  it("says which of its texts is the requested object", async () => {
    const content = [{ type: "text", text: "I think of 41." }, { type: "text", text: '{"answer":42}' }]
    const model = modelWith(content, { structuredOutputText: '{"answer":42}' })
    const schema = Schema.Struct({ answer: Schema.Int })
    const program = Effect.flatMap(AiSdk.make(model), (made) => made.generateObject({ prompt: "x", schema }))
    expect((await Effect.runPromise(program)).value).toEqual({ answer: 42 })
    const all = Effect.flatMap(AiSdk.make(model), (made) => made.generateText({ prompt: "x" }))
    expect((await Effect.runPromise(all)).text).toBe('I think of 41.{"answer":42}')
  })
})
