import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Agent from "../../src/agent/Agent.ts"
import type { AgentEvent } from "../../src/agent/AgentEvent.ts"
import * as AiSdk from "../../src/agent/AiSdk.ts"
import { MemoryJournal } from "../../src/journal/Journal.ts"
import { Spell, Spellbook } from "../../src/spell/mod.ts"

const note = Spell.make({
  name: "note",
  description: "Notes.",
  parameters: Schema.Struct({ text: Schema.String }),
  success: Schema.String,
  cast: ({ text }) => Effect.succeed(text),
})

const usage = (input: unknown = 1, output: unknown = 1): object => ({
  inputTokens: { total: input, cacheRead: input, cacheWrite: input },
  outputTokens: { total: output },
})
const finish = (unified: string, counts: object | null = usage()): object => ({
  type: "finish",
  finishReason: { unified, raw: unified },
  usage: counts,
})
const text = (delta: string): ReadonlyArray<object> => [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta },
  { type: "text-end", id: "t" },
]
const call = (id: string, name: string, input: string): object => ({
  type: "tool-call",
  toolCallId: id,
  toolName: name,
  input,
})
const end: ReadonlyArray<object> = [...text("end"), finish("stop")]

function* forever(part: object): Iterable<object> {
  for (;;) yield part
}

/** A model of the AI SDK that streams these parts, whatever they are, turn by turn; and the prompts that it got. */
const modelOf = (turns: ReadonlyArray<Iterable<unknown>>) => {
  const prompts: Array<string> = []
  const model = {
    specificationVersion: "v3" as const,
    provider: "fake",
    modelId: "m",
    doGenerate: () => Promise.reject(new Error("not asked")),
    doStream: ({ prompt }: { readonly prompt: unknown }) => {
      const parts = (turns[prompts.length] ?? end)[Symbol.iterator]()
      prompts.push(JSON.stringify(prompt))
      const stream = new ReadableStream({
        pull: (controller) => {
          const next = parts.next()
          return next.done === true ? controller.close() : controller.enqueue(next.value)
        },
      })
      return Promise.resolve({ stream })
    },
  }
  return { model, prompts }
}

/** The events of a run with a model, or how it failed; it never breaks. */
const run = async (turns: ReadonlyArray<Iterable<unknown>>, given: Partial<Agent.AgentOptions> = {}) => {
  const { model, prompts } = modelOf(turns)
  const program = Effect.gen(function* () {
    const services = yield* Agent.journaled(Spellbook.make(note))
    const options = { task: "t", tools: ["note"], retry: Schedule.recurs(1), ...given }
    return yield* Stream.runCollect(Stream.filter(Agent.run(services, options), ({ _tag }) => _tag !== "ModelDelta"))
  })
  const layer = Layer.merge(MemoryJournal.layer, AiSdk.layer(model, { retry: { maxAttempts: 1 } }))
  const exit = await Effect.runPromiseExit(Effect.provide(program, layer))
  if (Exit.isSuccess(exit)) return { events: exit.value, prompts, message: "" }
  expect(Cause.hasDies(exit.cause)).toBe(false)
  return { events: [], prompts, message: Cause.pretty(exit.cause).split("\n")[0] ?? "" }
}

const resultsOf = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => event._tag === "AgentToolCallResult" ? [event.result] : [])

describe("an agent with a model that misbehaves", () => {
  const endless: ReadonlyArray<readonly [string, Iterable<object>]> = [
    ["empty pieces of text", forever({ type: "text-delta", id: "t", delta: "" })],
    ["reasoning", forever({ type: "reasoning-delta", id: "t", delta: "x".repeat(1_000) })],
    ["arguments", forever({ type: "tool-input-delta", id: "t", delta: "x".repeat(1_000) })],
    ["calls", forever(call("a", "note", `{"text":"${"x".repeat(1_000)}"}`))],
  ]
  it.each(endless)("gives up on an endless answer of %s", async (_, parts) => {
    expect((await run([parts])).message).toMatch(/the answer is longer than 16777216 characters/)
  })

  it("gives up on arguments that are too long", async () => {
    const { message } = await run([[call("1", "note", `{"text":"${"x".repeat(20_000_000)}"}`), finish("tool-calls")]])
    expect(message).toMatch(/longer than/)
  })

  it("replaces bad ids and names of calls, and a provider accepts the prompt again", async () => {
    const ids = ["", "a", "a", "x".repeat(1_000_000), "b\n\u0000"]
    const names = ["no\nte", "x".repeat(1_000_000), "", "functions.note", "__proto__"]
    const parts = [
      ...ids.map((id, index) => call(id, "note", `{"text":"${index}"}`)),
      ...names.map((name, index) => call(`n${index}`, name, "{}")),
      finish("tool-calls"),
    ]
    const { events, prompts: [, second = ""] } = await run([parts])
    expect(events.at(-1)).toMatchObject({ because: "done", toolCalls: 10 })
    expect(resultsOf(events)).toEqual(expect.arrayContaining(["0", "1", "2", "3", "4"]))
    expect(second.length).toBeLessThan(10_000)
    const called = [...second.matchAll(/"type":"tool-call","toolCallId":"(.*?)","toolName":"(.*?)"/g)]
    expect(called.length).toBe(10)
    expect(new Set(called.map(([, id]) => id)).size).toBe(10)
    for (const [, id, name] of called) expect(`${id} ${name}`).toMatch(/^[\x21-\x7e]{1,256} [\w-]{1,64}$/)
  })

  it("casts at most 64 of 10,000 calls, and answers each", async () => {
    const calls = Array.from({ length: 10_000 }, (_, index) => call(`c${index}`, "note", `{"text":"${index}"}`))
    const { events, prompts: [, second = ""] } = await run([[...calls, finish("tool-calls")]])
    expect(events.at(-1)).toMatchObject({ because: "done", toolCalls: 64 })
    expect(second.split('"type":"tool-result"').length).toBe(10_001)
  })

  it("tells the model of arguments that are no JSON, too deep, or would change a prototype", async () => {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
    const inputs = [
      deep(100_000),
      deep(1_000),
      "[".repeat(100_000),
      '{"text":',
      "null",
      "1e999",
      '{"__proto__":{"text":"x"}}',
    ]
    const calls = inputs.map((input, index) => call(`c${index}`, "note", input))
    const { events } = await run([[...calls, finish("tool-calls")]])
    const results = resultsOf(events)
    expect(results.length).toBe(inputs.length)
    for (const result of results) expect(result).toMatchObject({ error: "InvalidArguments" })
    expect(JSON.stringify(results).length).toBeLessThan(5_000)
    expect(Object.hasOwn(Object.prototype, "text")).toBe(false)
  })

  const numbers: ReadonlyArray<object | null> = [
    usage(-5, -7),
    usage(Number.NaN, Infinity),
    usage(1e300, 2 ** 60),
    usage("12", null),
    {},
    { inputTokens: null },
    null,
  ]
  it.each(numbers)("ignores an invalid token count: %j", async (counts) => {
    const { events } = await run([[...text("x"), finish("stop", counts)]])
    expect(events.at(-1)).toMatchObject({ because: "done", usage: { inputTokens: 0, outputTokens: 0 } })
  })

  const broken: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, RegExp]> = [
    ["ends with an error", [...text("half"), finish("error")], /the provider ended its answer with an error/],
    ["has nothing in it", [finish("stop")], /the answer has no text and calls no tool/],
    ["promises calls and makes none", [finish("tool-calls")], /the answer has no text and calls no tool/],
    ["has no end", [...text("x")], /the connection broke off: the answer has no end/],
    ["has no parts", [], /the connection broke off: the answer has no end/],
    ["has null for a part", [null], /the answer is not in the provider's format/],
    ["has no reason for its end", [...text("x"), { type: "finish" }], /the answer is not in the provider's format/],
    ["ends for a reason of its own", [...text("x"), finish("weird")], /Expected "stop"/],
    ["has pieces without text", [{ type: "text-delta", id: "t" }], /Expected string/],
  ]
  it.each(broken)("fails with an answer that %s", async (_, parts, message) => {
    expect((await run([parts, parts])).message).toMatch(message)
  })

  it("makes no call that comes after the end", async () => {
    const parts = [call("1", "note", '{"text":"1"}'), finish("tool-calls"), call("2", "note", '{"text":"2"}')]
    expect(resultsOf((await run([parts])).events)).toEqual(["1"])
  })

  it("stops endlessly alternating answers at its limit", async () => {
    const turns = Array.from({ length: 20 }, (_, turn) => [
      call("a", turn % 2 === 0 ? "note" : "nothing", '{"text":""}'),
      finish("tool-calls"),
    ])
    const { events, prompts } = await run(turns, { maxTurns: 10 })
    expect([events.at(-1), prompts.length]).toMatchObject([{ because: "turns", turns: 10 }, 10])
  })
})
