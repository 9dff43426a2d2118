import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Agent from "../../src/agent/Agent.ts"
import { estimateTokens, messagesOf, type Transcript, trim } from "../../src/agent/Transcript.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { MockModel, type MockPrompt } from "../../src/leaves/mock/MockModel.ts"
import { Spell, Spellbook } from "../../src/spell/mod.ts"
import { random as seeded } from "../support/random.ts"

const turnOf = (index: number, length: number): Transcript["turns"][number] => ({
  messages: [{ role: "assistant", content: [{ type: "tool-call", id: `c${index}`, name: "read", params: {} }] }],
  results: [{ call: { id: `c${index}`, name: "read", arguments: {} }, result: "x".repeat(length), isFailure: false }],
})

const transcriptOf = (lengths: ReadonlyArray<number>): Transcript => ({
  head: [{ role: "system", content: "Be brief." }, { role: "user", content: "task" }],
  dropped: 0,
  turns: lengths.map((length, index) => turnOf(index, length)),
})

const idsOf = (messages: ReadonlyArray<Schema.Json>, type: string): ReadonlyArray<string> =>
  [...JSON.stringify(messages).matchAll(new RegExp(`"type":"${type}","id":"(\\w+)"`, "g"))].map(([, id = ""]) => id)

describe("trimming", () => {
  it("shortens old results before it drops turns", () => {
    const { dropped, shortened, transcript } = trim(transcriptOf([8_000, 8_000, 8_000, 8_000]), 5_000, 2)
    expect([shortened, dropped.length]).toEqual([2, 0])
    expect(JSON.stringify(transcript.turns[0])).toContain("call again to see it")
    expect(transcript.turns.slice(2)).toEqual(transcriptOf([8_000, 8_000, 8_000, 8_000]).turns.slice(2))
  })

  it("drops the oldest turns when that is not enough, and says how many", () => {
    const { dropped, transcript } = trim(transcriptOf(Array.from({ length: 30 }, () => 1_000)), 1_500, 3)
    expect(dropped.length).toBeGreaterThan(10)
    expect(transcript.turns.length + dropped.length).toBe(30)
    expect(transcript.note).toBe(`[${dropped.length} earlier turns were left out here to save space.]`)
    const again = trim(
      { ...transcript, turns: [...transcript.turns, ...transcriptOf([4_000, 4_000, 4_000]).turns] },
      1_500,
      3,
    )
    expect(again.transcript.dropped).toBe(dropped.length + again.dropped.length)
    expect(messagesOf(again.transcript).slice(0, 2)).toEqual(transcript.head)
  })

  it("reads each turn only a few times, however many turns there are", () => {
    let reads = 0
    const counted = {
      get text(): string {
        reads += 1
        return "x".repeat(1_000)
      },
    }
    const count = 300
    const { turns, ...rest } = transcriptOf(Array.from({ length: count }, () => 0))
    const heavy = turns.map((turn) => ({
      ...turn,
      results: turn.results.map((each) => ({ ...each, result: counted })),
    }))
    const { dropped, shortened } = trim({ ...rest, turns: heavy }, 2_000, 4)
    expect(shortened).toBe(count - 4)
    expect(dropped.length).toBeGreaterThan(200)
    expect(reads).toBeLessThan(count * 5)
  })

  it("fits where the newest turns allow, and never separates a call from its result", () => {
    const random = seeded(7).next
    for (let round = 0; round < 300; round += 1) {
      const lengths = Array.from({ length: 1 + Math.floor(random() * 40) }, () => Math.floor(random() * 6_000))
      const limit = 100 + Math.floor(random() * 10_000)
      const keep = 1 + Math.floor(random() * 5)
      const whole = transcriptOf(lengths)
      const { transcript } = trim(whole, limit, keep)
      const messages = messagesOf(transcript)
      expect(idsOf(messages, "tool-call")).toEqual(idsOf(messages, "tool-result"))
      expect(transcript.turns.length).toBeGreaterThanOrEqual(Math.min(keep, lengths.length))
      expect(transcript.turns.at(-1)).toEqual(whole.turns.at(-1))
      const isLeast = transcript.turns.length === Math.min(keep, lengths.length)
      expect(isLeast || estimateTokens(transcript) <= limit).toBe(true)
      expect(trim(whole, limit, keep).transcript).toEqual(transcript)
    }
  })

  it("shortens the newest result where it alone is too long, and splits no character", () => {
    for (const length of [3_000_000, 3_000_001]) {
      const whole = transcriptOf([10, 10])
      const newest = {
        ...turnOf(2, 0),
        results: [{
          ...turnOf(2, 0).results[0] ?? expect.fail(),
          result: "a".repeat(length % 2) + "😀".repeat(length),
        }],
      }
      const { shortened, transcript } = trim({ ...whole, turns: [...whole.turns, newest] }, 60_000, 4)
      expect([shortened, estimateTokens(transcript) <= 60_000]).toEqual([1, true])
      expect(JSON.stringify(messagesOf(transcript))).not.toMatch(/\\ud/)
      expect(JSON.stringify(transcript.turns.at(-1))).toContain("ask for less of it at once")
    }
    const odd = {
      ...turnOf(0, 0),
      results: [{ ...turnOf(0, 0).results[0] ?? expect.fail(), result: `a${"😀".repeat(1_000)}` }],
    }
    const cut = trim({ ...transcriptOf([]), turns: [odd, turnOf(1, 4_000)] }, 100, 1)
    const even = trim({ ...transcriptOf([]), turns: [odd, turnOf(1, 4_000)] }, 1_200, 1)
    expect(JSON.stringify([cut, even])).not.toMatch(/\\ud/)
  })

  it("trims a conversation of 20,000 turns", () => {
    // In quadratic time it would not end before the test does.
    const { dropped, transcript } = trim(transcriptOf(Array.from({ length: 20_000 }, () => 600)), 1_000, 2)
    expect(dropped.length + transcript.turns.length).toBe(20_000)
    expect(estimateTokens(transcript)).toBeLessThanOrEqual(1_000)
  })
})

const look = Spell.make({
  name: "look",
  description: "Looks.",
  parameters: Schema.Struct({ n: Schema.Number }),
  success: Schema.String,
  readOnly: true,
  cast: ({ n }) => Effect.succeed(`${n} ${"y".repeat(4_000)}`),
})
const book = Spellbook.make(look)
const callLook = (n: number) => MockModel.turn({ text: `turn ${n}`, calls: [{ name: "look", arguments: { n } }] })

const answersOf = ({ prompt }: MockPrompt): string => JSON.stringify(prompt)

describe("an agent with a long conversation", () => {
  const turns = [...Array.from({ length: 20 }, (_, index) => callLook(index + 1)), MockModel.turn({ text: "end" })]
  const given: Agent.AgentOptions = { id: "long", task: "look around", tools: ["look"], maxContextTokens: 6_000 }
  const live = (options: Agent.AgentOptions) =>
    Stream.unwrap(Effect.map(Agent.journaled(book), (all) => Agent.run(all, options)))

  it.effect("keeps each prompt below its limit, and its journal linear", () =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(live(given))
      expect(events.at(-1)).toMatchObject({ because: "done", turns: 21 })
      expect(events.filter(({ _tag }) => _tag === "AgentTrim").length).toBeGreaterThan(1)
      const prompts = yield* MockModel.prompts
      for (const prompt of prompts) expect(answersOf(prompt).length / 4).toBeLessThan(7_500)
      expect(answersOf(prompts[20] ?? expect.fail())).toContain("look around")
      const requests = yield* Journal.read({ filter: { branch: "model", tags: ["ModelRequest"] } })
      expect(JSON.stringify(requests).length).toBeLessThan(3 * 20 * 4_500)
      // Another program continues from the journal alone, and is asked nothing that it was asked before.
      const replayed = yield* Agent.replay(yield* Agent.recordedRun())
      const again = yield* Stream.runCollect(Agent.run(replayed, given))
      expect(again.at(-1)).toMatchObject({ because: "done", turns: 21 })
    }).pipe(Effect.provide(Layer.provideMerge(MockModel.layer(turns), MemoryJournal.layer))))

  it.effect("summarizes the turns that it drops", () => {
    // Its own texts are long, so that shorter results do not help. Any turn serves as a summary too.
    const summaries = turns.map((turn) => ({ ...turn, text: "z".repeat(4_000) }))
    return Effect.gen(function* () {
      const events = yield* Stream.runCollect(live({ ...given, summarize: true, keepTurns: 1 }))
      expect(events.at(-1)).toMatchObject({ because: "done" })
      const prompts = yield* MockModel.prompts
      const asked = prompts.filter(({ text }) => text.startsWith("These are the oldest turns"))
      expect(asked.length).toBeGreaterThan(0)
      expect(asked.every(({ tools }) => tools.length === 0)).toBe(true)
      expect(prompts.some(({ prompt }) => JSON.stringify(prompt).includes("[Summary of the first"))).toBe(true)
      const recorded = yield* Agent.recordedRun()
      const again = yield* Stream.runCollect(Agent.run(yield* Agent.replay(recorded), recorded.options))
      expect(again.at(-1)).toEqual(events.at(-1))
    }).pipe(Effect.provide(Layer.provideMerge(MockModel.layer(summaries), MemoryJournal.layer)))
  })
})
