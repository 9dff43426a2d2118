/** An agent driven through each provider's package and format: its loop, its spells, the prompts that go back. */
import { afterEach, describe, expect, it } from "@effect/vitest"
import type { LanguageModelV3 } from "@ai-sdk/provider"
import type { OpenAIProvider } from "ai-sdk-openai-4"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Agent from "../../src/agent/Agent.ts"
import * as AiSdk from "../../src/agent/AiSdk.ts"
import { modelService } from "../../src/agent/modelService.ts"
import { resolveModel } from "../../src/agent/providers.ts"
import { Files, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { readFile, Spellbook, writeFile } from "../../src/spell/mod.ts"
import type { Answer } from "./support/Answer.ts"
import { generations } from "./support/generations.ts"
import { key, type ModelServer, providerPaths, serveModels } from "./support/modelServer.ts"

let server: ModelServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

const book = Spellbook.make(readFile, writeFile)

const turns: ReadonlyArray<Answer> = [
  {
    reasoning: { text: "It is to be written.", signature: "c2ln" },
    text: "I write it.",
    calls: [{ id: "c1", name: "write_file", arguments: '{"path":"a.txt","content":"hello"}' }],
  },
  { calls: [{ id: "c2", name: "read_file", arguments: '{"path":"a.txt"' }] },
  {
    calls: [
      { id: "c3", name: "read_file", arguments: '{"path":"a.txt"}' },
      { id: "c4", name: "read_fil", arguments: '{"path":"a.txt"}' },
    ],
  },
  { text: "It says hello." },
]

const cases = generations.flatMap(([version, load]) =>
  providerPaths.flatMap(([provider, path]) =>
    [true, false].map((isStreaming) => [version, provider, isStreaming, path, load] as const)
  )
)

describe("an agent", () => {
  it.each(cases)("works through packages of %s: %s (streaming: %j)", async (_, provider, isStreaming, path, load) => {
    server = await serveModels((_, turn) => ({ answer: turns[turn] ?? {} }))
    const { requests, url } = server
    const dialect = provider.startsWith("openai") ? "openai" : "mcp"
    const program = Effect.gen(function* () {
      const model = yield* modelService(book, { isStreaming, dialect })
      const services = { ...(yield* Agent.services(book)), model }
      const options = { task: "write hello", system: "You write.", tools: ["read_file", "write_file"] }
      const events = yield* Stream.runCollect(Agent.run(services, options))
      const results = events.flatMap((event) => event._tag === "AgentToolCallResult" ? [event] : [])
      expect(results.filter(({ isFailure }) => isFailure).map(({ result }) => result)).toMatchObject([
        { error: "InvalidArguments" },
        { error: "UnknownSpell" },
      ])
      expect(events.at(-1)).toMatchObject({
        _tag: "AgentEnd",
        text: "It says hello.",
        turns: 4,
        usage: { inputTokens: 40, outputTokens: 8 },
      })
      expect(yield* Files.readText("a.txt")).toBe("hello")
    })
    const model = resolveModel(`${provider}/m`, { apiKey: Redacted.make(key), baseUrl: url + path, load })
    const world = Layer.merge(MemoryFileSystem.layer, Layer.unwrap(Effect.map(model, (each) => AiSdk.layer(each))))
    await Effect.runPromise(Effect.provide(program, world))
    // The server has checked that each request is one that the provider takes.
    expect(requests.map((request) => request.isStream)).toEqual(Array(4).fill(isStreaming))
    const bodies = requests.map(({ body }) => JSON.stringify(body))
    expect(bodies[0]).toContain("Reads a text file.")
    expect(bodies[0]).toContain("You write.")
    expect(bodies[2]).toContain("Expected { path: string")
    expect(bodies[3]).toContain("read_file")
  })
})

it("takes the models of the AI SDK's own type", () => {
  // A type test: it is enough that it compiles.
  const make = (model: LanguageModelV3 | ReturnType<OpenAIProvider["chat"]>): unknown => AiSdk.layer(model)
  expect(typeof make).toBe("function")
})
