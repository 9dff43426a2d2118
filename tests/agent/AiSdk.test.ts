import { createAnthropic } from "@ai-sdk/anthropic"
import { createGoogleGenerativeAI } from "@ai-sdk/google"
import { createOpenAI } from "@ai-sdk/openai"
import type { LanguageModelV3 } from "@ai-sdk/provider"
import { describe, expect, it } from "@effect/vitest"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Hono } from "hono"
import * as Agent from "../../src/agent/Agent.ts"
import * as AiSdk from "../../src/agent/AiSdk.ts"
import { modelService } from "../../src/agent/modelService.ts"
import { Files, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { readFile, Spellbook, writeFile } from "../../src/spell/mod.ts"

/** What a model says and calls, turn by turn. */
interface Turn {
  readonly text?: string
  readonly call?: { readonly id: string; readonly name: string; readonly arguments: string }
}

const turns: ReadonlyArray<Turn> = [
  { text: "I write it.", call: { id: "c1", name: "write_file", arguments: '{"path":"a.txt","content":"hello"}' } },
  { call: { id: "c2", name: "read_file", arguments: '{"path":"a.txt"' } },
  { call: { id: "c3", name: "read_file", arguments: '{"path":"a.txt"}' } },
  { text: "It says hello." },
]

/** Bun's `fetch` has one function more. */
const asFetch = (call: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>): typeof globalThis.fetch =>
  Object.assign(call, { preconnect: () => {} })

/** Calls that the model has made: one for each result in the request. */
const countOf = (text: string, part: RegExp): number => text.match(part)?.length ?? 0

/** A server that speaks the three formats, without a network. */
const makeServer = () => {
  const requests: Array<string> = []
  const app = new Hono()
  app.post("/openai/chat/completions", async (context) => {
    const body = await context.req.text()
    requests.push(body)
    const turn = turns[countOf(body, /"role":"tool"/g)] ?? {}
    const calls = turn.call === undefined ? undefined : [
      { id: turn.call.id, type: "function", function: { name: turn.call.name, arguments: turn.call.arguments } },
    ]
    return context.json({
      id: "r",
      created: 0,
      model: "m",
      choices: [{
        index: 0,
        message: { role: "assistant", content: turn.text ?? null, tool_calls: calls },
        finish_reason: calls === undefined ? "stop" : "tool_calls",
      }],
      usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
    })
  })
  app.post("/google/models/*", async (context) => {
    const body = await context.req.text()
    requests.push(body)
    const turn = turns[countOf(body, /"functionResponse"/g)] ?? {}
    // This format has parameters as an object: none can be malformed.
    const args = turn.call === undefined ? {} : JSON.parse(turn.call.arguments.replace(/"$/, '"}'))
    return context.json({
      candidates: [{
        content: {
          role: "model",
          parts: [
            ...(turn.text === undefined ? [] : [{ text: turn.text }]),
            ...(turn.call === undefined ? [] : [{ functionCall: { name: turn.call.name, args } }]),
          ],
        },
        finishReason: "STOP",
      }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
    })
  })
  app.post("/anthropic/messages", async (context) => {
    const body = await context.req.text()
    requests.push(body)
    const turn = turns[countOf(body, /"type":"tool_result"/g)] ?? {}
    const input = turn.call === undefined ? {} : JSON.parse(turn.call.arguments.replace(/"$/, '"}'))
    return context.json({
      id: "r",
      type: "message",
      role: "assistant",
      model: "m",
      content: [
        ...(turn.text === undefined ? [] : [{ type: "text", text: turn.text }]),
        ...(turn.call === undefined ? [] : [{ type: "tool_use", id: turn.call.id, name: turn.call.name, input }]),
      ],
      stop_reason: turn.call === undefined ? "end_turn" : "tool_use",
      usage: { input_tokens: 10, output_tokens: 2 },
    })
  })
  app.post(
    "/busy/chat/completions",
    (context) => context.json({ error: { message: "slow down" } }, 429, { "retry-after": "7" }),
  )
  app.post("/closed/chat/completions", (context) => context.json({ error: { message: "no such key" } }, 401))
  app.post("/stream/chat/completions", (context) => {
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${
        JSON.stringify({ id: "r", created: 0, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })
      }\n\n`
    return context.body(
      chunk({ content: "hel" }) + chunk({ content: "lo" }) + chunk({}, "stop") + "data: [DONE]\n\n",
      200,
      {
        "content-type": "text/event-stream",
      },
    )
  })
  const fetch = asFetch((input, init) => Promise.resolve(app.request(new Request(input, init))))
  return { requests, fetch }
}

const models = (path = "openai"): ReadonlyMap<string, (server: ReturnType<typeof makeServer>) => LanguageModelV3> =>
  new Map([
    ["OpenAI", ({ fetch }) => createOpenAI({ apiKey: "k", baseURL: `http://l/${path}`, fetch }).chat("m")],
    ["Google", ({ fetch }) => createGoogleGenerativeAI({ apiKey: "k", baseURL: "http://l/google", fetch }).chat("m")],
    ["Anthropic", ({ fetch }) => createAnthropic({ apiKey: "k", baseURL: "http://l/anthropic", fetch }).chat("m")],
  ])

const openai = (path: string): LanguageModelV3 => {
  const make = models(path).get("OpenAI")
  if (make === undefined) throw new Error("no OpenAI")
  return make(makeServer())
}

describe("a model of the AI SDK", () => {
  const book = Spellbook.make(readFile, writeFile)

  it.each([...models()])("drives an agent through %s's format", async (_, make) => {
    const server = makeServer()
    const program = Effect.gen(function* () {
      const services = { ...(yield* Agent.services(book)), model: yield* modelService(book, { isStreaming: false }) }
      const options = { task: "write hello", system: "You write.", tools: ["read_file", "write_file"] }
      const events = yield* Stream.runCollect(Agent.run(services, options))
      expect(events.at(-1)).toMatchObject({
        _tag: "AgentEnd",
        text: "It says hello.",
        turns: 4,
        usage: { inputTokens: 40, outputTokens: 8 },
      })
      expect(yield* Files.readText("a.txt")).toBe("hello")
    })
    const world = Layer.merge(MemoryFileSystem.layer, AiSdk.layer(make(server)))
    await Effect.runPromise(Effect.provide(program, world))
    expect(server.requests.length).toBe(4)
    expect(server.requests[0]).toContain("Reads a text file.")
    expect(server.requests[0]).toContain("You write.")
  })

  it("tells a model what is expected where its parameters were no JSON", async () => {
    const server = makeServer()
    const make = models().get("OpenAI")
    if (make === undefined) throw new Error("no OpenAI")
    const program = Effect.gen(function* () {
      const services = { ...(yield* Agent.services(book)), model: yield* modelService(book, { isStreaming: false }) }
      return yield* Stream.runCollect(Agent.run(services, { task: "x", tools: [...book.spells.keys()] }))
    })
    const world = Layer.merge(MemoryFileSystem.layer, AiSdk.layer(make(server)))
    const events = await Effect.runPromise(Effect.provide(program, world))
    const failed = events.find((event) => event._tag === "AgentToolCallResult" && event.isFailure)
    expect(failed).toMatchObject({ result: { error: "InvalidArguments" } })
    expect(server.requests[2]).toContain("Expected { path: string")
  })

  const ask = (path: string) =>
    Effect.runPromise(Effect.provide(
      Effect.flip(LanguageModel.generateText({ prompt: "hello" })),
      AiSdk.layer(openai(path), { retry: { times: 0 } }),
    ))

  it("fails with the reason of effect/ai, and when to try again", async () => {
    const busy = await ask("busy")
    expect(busy.reason._tag).toBe("RateLimitError")
    expect(busy.reason).toMatchObject({ retryAfter: expect.objectContaining({}) })
    expect((await ask("closed")).reason).toMatchObject({ _tag: "AuthenticationError", kind: "InvalidKey" })
  })

  it("streams text", async () => {
    const text = LanguageModel.streamText({ prompt: "hello" }).pipe(
      Stream.map((part) => part.type === "text-delta" ? part.delta : ""),
      Stream.runFold(() => "", (all, delta) => all + delta),
    )
    expect(await Effect.runPromise(Effect.provide(text, AiSdk.layer(openai("stream"))))).toBe("hello")
  })

  it("answers with an object of a Schema", async () => {
    const server = {
      ...makeServer(),
      fetch: asFetch((_, init) => {
        expect(String(init?.body)).toContain('"n"')
        const message = { role: "assistant", content: '{"n":42}' }
        const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
        const choices = [{ index: 0, message, finish_reason: "stop" }]
        return Promise.resolve(Response.json({ id: "r", created: 0, model: "m", choices, usage }))
      }),
    }
    const make = models().get("OpenAI")
    if (make === undefined) throw new Error("no OpenAI")
    const answer = LanguageModel.generateObject({ prompt: "n", schema: Schema.Struct({ n: Schema.Number }) })
    const { value } = await Effect.runPromise(Effect.provide(answer, AiSdk.layer(make(server))))
    expect(value).toEqual({ n: 42 })
  })
})
