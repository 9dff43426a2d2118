import { expect, it } from "@effect/vitest"
import * as AiError from "effect/ai/AiError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Agent } from "../../src/agent/mod.ts"
import { MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { readFile, Spellbook, writeFile } from "../../src/spell/mod.ts"
import { MockModel } from "../../src/testing/mod.ts"
import { collectSpans } from "../support/collectSpans.ts"

it.effect("a run has a span, and in it one for each request to the model and each call, without their contents", () =>
  Effect.gen(function* () {
    const { layer, spans } = collectSpans()
    const book = Spellbook.make(readFile, writeFile)
    const model = MockModel.layer([
      MockModel.turn({ fault: new AiError.RateLimitError({}) }),
      MockModel.turn({
        calls: [
          { name: "write_file", arguments: { path: "hunter2", content: "hunter2" } },
          { name: "read_file", arguments: { path: "missing-hunter2" } },
        ],
      }),
      MockModel.turn({ text: "hunter2" }),
    ])
    yield* Effect.gen(function* () {
      const services = yield* Agent.services(book)
      const options = { id: "run-1", task: "hunter2", model: "mock/one", tools: ["write_file", "read_file"] }
      yield* Stream.runDrain(Agent.run(services, { ...options, concurrency: 1, retry: Schedule.recurs(1) }))
    }).pipe(Effect.provide(Layer.mergeAll(MemoryFileSystem.layer, model, layer)))
    const own = spans.filter(({ name }) => /^(chat|execute_tool) /.test(name))
    const [agent, ...others] = spans.filter(({ name }) => name === "invoke_agent")
    expect(others).toEqual([])
    expect(agent?.kind).toBe("internal")
    expect(Object.fromEntries(agent?.attributes ?? [])).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.request.model": "mock/one",
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.cache_read.input_tokens": 0,
      "gen_ai.usage.cache_creation.input_tokens": 0,
      "gen_ai.usage.output_tokens": expect.any(Number),
      "sluice.correlation_id": "run-1",
    })
    expect(own.map(({ parent }) => Option.getOrUndefined(parent)?.spanId)).toEqual(own.map(() => agent?.spanId))
    expect(own.map(({ attributes, kind, name, status }) => [
      name,
      kind,
      attributes.get("sluice.correlation_id"),
      attributes.get("error.type"),
      status._tag === "Ended" && status.exit._tag,
    ])).toEqual([
      ["chat mock/one", "client", "run-1/1", "RateLimitError", "Failure"],
      ["chat mock/one", "client", "run-1/1", undefined, "Success"],
      ["execute_tool write_file", "internal", "run-1/1/1", undefined, "Success"],
      ["execute_tool read_file", "internal", "run-1/1/2", "Failed", "Failure"],
      ["chat mock/one", "client", "run-1/2", undefined, "Success"],
    ])
    expect(Object.fromEntries(own.at(-1)?.attributes ?? [])).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "mock/one",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.cache_read.input_tokens": 0,
      "gen_ai.usage.cache_creation.input_tokens": 0,
      "gen_ai.usage.output_tokens": expect.any(Number),
      "sluice.correlation_id": "run-1/2",
    })
    const shown = own.map(({ attributes, status }) => [[...attributes], String(Object(status).exit)])
    expect(JSON.stringify(shown)).not.toContain("hunter2")
  }))
