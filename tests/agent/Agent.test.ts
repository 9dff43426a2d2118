import { describe, expect, it } from "@effect/vitest"
import * as AiError from "effect/ai/AiError"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Agent from "../../src/agent/Agent.ts"
import { Files } from "../../src/files/Files.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { MockModel, type MockTurn } from "../../src/leaves/mock/MockModel.ts"
import { Spell, Spellbook } from "../../src/spell/mod.ts"
import { book, brief, journaledWorkplace, options, script, workplace } from "./workplace.ts"

const world = (turns: ReadonlyArray<MockTurn>) =>
  Layer.merge(journaledWorkplace, MockModel.layer(turns)).pipe(Layer.provideMerge(MemoryJournal.layer))

const live = (given = options) => Stream.unwrap(Effect.map(Agent.journaled(book), (all) => Agent.run(all, given)))

describe("a journaled agent", () => {
  it.effect("fixes a failing test, with everything in one journal under one id", () =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(live())
      expect(events.flatMap(brief)).toEqual([
        "ModelResponse",
        expect.stringMatching(/^(read_file|run_command) done$/),
        expect.stringMatching(/^(read_file|run_command) done$/),
        "ModelResponse",
        "edit_fil failed",
        "ModelResponse",
        "edit_file done",
        "ModelResponse",
        "run_command done",
        "ModelResponse",
        "done after 5: The test passes.",
      ])
      const runs = events.flatMap((event) => event._tag === "AgentToolCallResult" ? [event.result] : [])
      expect(runs).toContainEqual(expect.objectContaining({ exitCode: 1 }))
      expect(runs.at(-1)).toMatchObject({ exitCode: 0 })
      expect(events.at(-1)).toMatchObject({ toolCalls: 5, usage: { inputTokens: 50, outputTokens: 10 } })
      const entries = yield* Journal.read()
      expect(entries.filter(({ correlationId }) => !`${correlationId}/`.startsWith("run-1/"))).toEqual([])
      const of = (id: string) => entries.filter(({ correlationId }) => correlationId === id).map(({ tag }) => tag)
      expect(of("run-1")).toEqual(["AgentRun", "LeaseTaken", "AgentEnd"])
      expect(of("run-1/3")).toEqual(["ModelRequest", "LeaseTaken", "ModelResponse"])
      expect(of("run-1/3/1")).toEqual(["AgentToolCall", "LeaseTaken", "AgentToolCallResult"])
      expect(of("run-1/3/1/1")).toEqual(["SpellInvocation", "LeaseTaken", "SpellResult"])
      expect(of("run-1/3/1/1/3")).toEqual(["FileWrite", "LeaseTaken", "FileWritten"])
      expect(of("run-1/4/1/1/1")).toEqual(["ShellExec", "LeaseTaken", "ShellOutput"])
      yield* MockModel.verify
      const [first] = yield* MockModel.prompts
      expect(first).toMatchObject({ text: "fix the failing test", tools: ["read_file", "edit_file", "run_command"] })
    }).pipe(Effect.provide(world(script))))

  it.effect("shows the text as it comes; the journal has it once, whole", () =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(live())
      const deltas = events.flatMap((event) => event._tag === "ModelDelta" ? [event.text] : [])
      expect(deltas).toEqual(["I ", "look ", "first.", "The ", "test ", "passes."])
      const entries = yield* Journal.read()
      expect(entries.map(({ tag }) => tag)).not.toContain("ModelDelta")
    }).pipe(Effect.provide(world(script))))

  it.effect("has a journal that grows with the conversation, not with its square", () => {
    const long = Array.from(
      { length: 60 },
      () => MockModel.turn({ text: "x".repeat(500), calls: [{ name: "nothing", arguments: {} }] }),
    )
    return Effect.gen(function* () {
      yield* Stream.runDrain(live({ ...options, maxTurns: 60 }))
      const bytes = (entries: ReadonlyArray<unknown>) => JSON.stringify(entries).length
      const entries = yield* Journal.read()
      const requests = entries.filter(({ tag }) => tag === "ModelRequest")
      expect(requests.length).toBe(60)
      expect(bytes(requests.slice(-10))).toBeLessThan(1.2 * bytes(requests.slice(5, 15)))
      const prompts = yield* MockModel.prompts
      expect(prompts.map(({ answers }) => answers)).toEqual(Array.from({ length: 60 }, (_, turn) => turn))
    }).pipe(Effect.provide(world(long)))
  })

  it.effect("has no effects when it is replayed, under any id", () =>
    Effect.gen(function* () {
      const before = yield* Stream.runCollect(live())
      const head = yield* Journal.head
      const recorded = yield* Agent.recordedRun()
      const services = yield* Agent.replay(recorded)
      const again = yield* Stream.runCollect(Agent.run(services, { ...recorded.options, id: "another" }))
      expect(again.flatMap(brief).toSorted()).toEqual(before.flatMap(brief).toSorted())
      expect(yield* Journal.head).toEqual(head)
      expect((yield* MockModel.prompts).length).toBe(5)
    }).pipe(Effect.provide(world(script))))

  it.effect("refuses to replay a different request", () =>
    Effect.gen(function* () {
      yield* Stream.runDrain(live())
      const recorded = yield* Agent.recordedRun("run-1")
      const services = yield* Agent.replay(recorded)
      const fault = yield* Effect.flip(Stream.runDrain(Agent.run(services, { ...recorded.options, task: "other" })))
      expect(fault.message).toContain("the recording has another request as run-1/1")
      expect((yield* Effect.flip(Agent.recordedRun("run-9"))).message).toContain("no run run-9")
    }).pipe(Effect.provide(world(script))))

  it.effect("replays a run that reached its limit, to that end", () =>
    Effect.gen(function* () {
      const before = yield* Stream.runCollect(live({ ...options, maxTurns: 3 }))
      expect(before.at(-1)).toMatchObject({ because: "turns", turns: 3 })
      const recorded = yield* Agent.recordedRun()
      const again = yield* Stream.runCollect(Agent.run(yield* Agent.replay(recorded), recorded.options))
      expect(again.flatMap(brief).toSorted()).toEqual(before.flatMap(brief).toSorted())
    }).pipe(Effect.provide(world(script))))

  it("continues where it stopped, whenever that was, and repeats no answered call", async () => {
    for (let taken = 1; taken < 16; taken += 1) {
      const program = Effect.gen(function* () {
        yield* Stream.runDrain(Stream.take(live(), taken))
        const events = yield* Stream.runCollect(live())
        expect(events.at(-1)).toMatchObject({ _tag: "AgentEnd", because: "done", text: "The test passes." })
        const entries = yield* Journal.read()
        const ended = entries.filter(({ tag }) => tag === "SpellResult" || tag === "SpellFault")
        const ids = ended.map(({ correlationId }) => correlationId)
        expect(new Set(ids).size).toBe(ids.length)
        const answers = entries.filter(({ tag }) => tag === "ModelResponse").map(({ correlationId }) => correlationId)
        expect(answers).toEqual([1, 2, 3, 4, 5].map((turn) => `run-1/${turn}`))
      })
      const turns = script.map((turn) => ({ ...turn, expect: undefined }))
      const all = Layer.merge(journaledWorkplace, MockModel.layerByPosition(turns)).pipe(
        Layer.provideMerge(MemoryJournal.layer),
      )
      await Effect.runPromise(Effect.scoped(Effect.provide(program, all)))
    }
  })

  it.effect("repeats nothing when the same services run it again", () =>
    Effect.gen(function* () {
      const services = yield* Agent.journaled(book)
      const ends = yield* Effect.forEach([1, 2, 3], () => Stream.runLast(Agent.run(services, options)))
      expect(ends[1]).toEqual(ends[0])
      expect(ends[2]).toEqual(ends[0])
      yield* MockModel.verify
      const asked = yield* Journal.read({ filter: { tags: ["ModelRequest", "SpellInvocation"] } })
      expect(asked.length).toBe(10)
    }).pipe(Effect.provide(world(script))))

  it.effect("continues with another place, approval and model, and records them", () =>
    Effect.gen(function* () {
      const services = yield* Agent.journaled(book)
      const named = { ...options, model: "one", place: "/work", approval: "full" }
      yield* Stream.runDrain(Agent.run(services, named))
      const ends = yield* Effect.forEach([{ ...named, place: "/other" }, options], (other) =>
        Stream.runLast(Agent.run(services, other)))
      expect(ends.map((end) =>
        end._tag
      )).toEqual(["Some", "Some"])
      yield* MockModel.verify
      const begun = yield* Journal.read({ filter: { tags: ["AgentRun"] } })
      expect(begun.map(({ body }) => [body?.["place"], body?.["approval"], body?.["model"]])).toEqual([
        ["/work", "full", "one"],
        ["/other", "full", "one"],
        [undefined, undefined, undefined],
      ])
      expect((yield* Agent.recordedRun(options.id)).run).not.toHaveProperty("place")
    }).pipe(Effect.provide(world(script))))

  it.effect("is started once by two concurrent starts", () =>
    Effect.gen(function* () {
      const both = yield* Effect.all([1, 2].map(() => Effect.result(Stream.runDrain(live()))), { concurrency: 2 })
      expect(both.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
      const began = yield* Journal.read({ filter: { tags: ["AgentRun"] } })
      expect(began.length).toBe(1)
    }).pipe(Effect.provide(world(script))))

  it.effect("refuses the id of another run, and of a running one", () =>
    Effect.gen(function* () {
      const other = yield* Stream.runDrain(live()).pipe(
        Effect.andThen(Effect.flip(Stream.runDrain(live({ ...options, task: "another" })))),
      )
      expect(other).toMatchObject({ faultKind: "OtherRun", message: expect.stringContaining("choose another id") })
      const began = yield* Deferred.make<void>()
      const running = yield* live({ ...options, id: "two", interrupt: Effect.never }).pipe(
        Stream.runForEach(() => Effect.andThen(Deferred.succeed(began, undefined), Effect.never)),
        Effect.forkChild,
      )
      yield* Deferred.await(began)
      // A lease that cannot be read is none.
      yield* Journal.append([{ branch: "agent-run", correlationId: "two", body: { _tag: "LeaseTaken", attempt: "x" } }])
      const twice = yield* Effect.flip(Stream.runDrain(live({ ...options, id: "two" })))
      expect(twice).toMatchObject({ faultKind: "AlreadyRunning", message: expect.stringContaining(`${process.pid}`) })
      yield* Fiber.interrupt(running)
    }).pipe(Effect.provide(world([...script, ...script]))))
})

const noted: Array<string> = []
const note = Spell.make({
  name: "note",
  description: "Notes a text.",
  parameters: Schema.Struct({ text: Schema.String, wait: Schema.optionalKey(Schema.Boolean) }),
  success: Schema.String,
  cast: ({ text, wait = false }) =>
    Effect.gen(function* () {
      noted.push(`begin ${text}`)
      if (wait) yield* Effect.onInterrupt(Effect.never, () => Effect.sync(() => void noted.push(`interrupted ${text}`)))
      return `noted ${text}`
    }),
})
const notes = Spellbook.make(note)
const noting = (text: string, wait?: boolean) => ({
  name: "note",
  arguments: wait === undefined ? { text } : { text, wait },
})
const small: Agent.AgentOptions = { id: "small", task: "note", tools: ["note"] }
const runSmall = (given: Partial<Agent.AgentOptions> = {}) =>
  Stream.unwrap(Effect.map(Agent.services(notes), (all) => Agent.run(all, { ...small, ...given })))
const endOf = (turns: ReadonlyArray<MockTurn>, given: Partial<Agent.AgentOptions> = {}) =>
  Effect.map(
    Effect.provide(Stream.runCollect(runSmall(given)), MockModel.layer(turns)),
    (events) => events.at(-1),
  )
const callTurn = MockModel.turn({
  calls: [noting("a")],
  usage: { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000 },
})

describe("an agent", () => {
  it.effect("ends at each of its limits, before it acts", () =>
    Effect.gen(function* () {
      const turns = [callTurn, callTurn, callTurn, MockModel.turn({ text: "end" })]
      expect(yield* endOf(turns, { maxTurns: 2 })).toMatchObject({ because: "turns", turns: 2, toolCalls: 1 })
      expect(yield* endOf(turns, { maxTokens: 2_000_000 })).toMatchObject({ because: "tokens", turns: 2 })
      const prices = { input: 3, cachedInput: 0.3, output: 15 }
      const end = yield* endOf(turns, { prices, maxCost: 5 })
      expect(end).toMatchObject({ because: "cost", turns: 2 })
      // Twice 600,000 at 3, 400,000 at 0.3 and 100,000 at 15 for each million.
      expect(end?._tag === "AgentEnd" ? end.usage.cost : 0).toBeCloseTo(6.84, 10)
      expect(yield* endOf(turns, { stopWhen: ({ toolCalls }) => toolCalls === 2 })).toMatchObject({
        because: "stopped",
        turns: 3,
      })
      expect(yield* endOf(turns)).toMatchObject({ because: "done", turns: 4, text: "end" })
    }))

  it.effect("ends after its time, and interrupts the calls in flight", () =>
    Effect.gen(function* () {
      noted.length = 0
      const turns = [MockModel.turn({ calls: [noting("a", true), noting("b", true)] })]
      const running = yield* Effect.forkChild(endOf(turns, { maxDuration: "1 minute" }))
      while (noted.length < 2) yield* Effect.yieldNow
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(running)).toMatchObject({ because: "time", turns: 1, toolCalls: 2 })
      expect(noted).toEqual(["begin a", "begin b", "interrupted a", "interrupted b"])
    }))

  it.effect("ends a turn when it is interrupted, also while the model answers", () =>
    Effect.gen(function* () {
      noted.length = 0
      const stop = yield* Deferred.make<void>()
      const turns = [MockModel.turn({ calls: [noting("a", true)] })]
      const running = yield* Effect.forkChild(endOf(turns, { interrupt: Deferred.await(stop) }))
      while (noted.length < 1) yield* Effect.yieldNow
      yield* Deferred.succeed(stop, undefined)
      expect(yield* Fiber.join(running)).toMatchObject({ because: "interrupted", turns: 1 })
      expect(noted).toEqual(["begin a", "interrupted a"])
      const slow = [MockModel.turn({ text: "late", delay: "1 hour" })]
      expect(yield* endOf(slow, { interrupt: Effect.void })).toMatchObject({ because: "interrupted", turns: 0 })
    }))

  it.effect("casts calls of one turn concurrently, up to its limit", () =>
    Effect.gen(function* () {
      noted.length = 0
      const turns = [MockModel.turn({ calls: ["a", "b", "c", "d", "e"].map((text) => noting(text, true)) })]
      const running = yield* Effect.forkChild(endOf(turns, { concurrency: 3, maxDuration: "1 minute" }))
      while (noted.length < 3) yield* Effect.yieldNow
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(running)
      expect(noted.filter((line) => line.startsWith("begin")).length).toBe(3)
      const many = Array.from({ length: 70 }, (_, index) => noting(`${index}`))
      const told = MockModel.turn({
        text: "ok",
        expect: ({ results }) => results.filter(({ isFailure }) => isFailure).length === 6,
      })
      expect(yield* endOf([MockModel.turn({ calls: many }), told])).toMatchObject({ because: "done", toolCalls: 64 })
    }))

  it.effect("says that an answer was refused or cut off", () =>
    Effect.gen(function* () {
      const refused = MockModel.turn({ finishReason: "content-filter", calls: [noting("a")] })
      expect(yield* endOf([refused])).toMatchObject({ because: "refused", toolCalls: 0 })
      expect(yield* endOf([MockModel.turn({ text: "half of", finishReason: "length" })])).toMatchObject({
        because: "length",
        text: "half of",
      })
    }))

  it.effect("tells the model what is wrong with a malformed call, and gives calls ids", () =>
    Effect.gen(function* () {
      const turns = [
        MockModel.turn({
          calls: [
            { name: "note", arguments: '{"text": "a', id: "" },
            { name: "note", arguments: { text: 1 }, id: "" },
            { name: "no", arguments: {}, id: "x" },
            { name: "note", arguments: { text: "good" }, id: "x" },
          ],
        }),
        MockModel.turn({
          text: "sorry",
          expect: ({ results }) =>
            new Set(results.map(({ id }) => id)).size === 4 &&
              results.map(({ isFailure }) => isFailure).join() === "true,true,true,false" ||
            JSON.stringify(results),
        }),
      ]
      expect(yield* endOf(turns)).toMatchObject({ because: "done", text: "sorry" })
    }))

  it.effect("continues when a tool breaks, and tells the model so without a stack", () =>
    Effect.gen(function* () {
      const broken = Spell.make({
        name: "broken",
        description: "Breaks.",
        parameters: Schema.Struct({}),
        success: Schema.String,
        cast: () => Effect.sync((): string => JSON.parse("{")),
      })
      const brokenBook = Spellbook.make(broken)
      const turns = [
        MockModel.turn({ calls: [{ name: "broken", arguments: {} }] }),
        MockModel.turn({
          text: "I see",
          expect: ({ results }) =>
            /"error":"Broken"/.test(JSON.stringify(results)) &&
              !/ at |SyntaxError/.test(JSON.stringify(results)) || JSON.stringify(results),
        }),
      ]
      for (const make of [Agent.services(brokenBook), Agent.journaled(brokenBook)]) {
        const events = Stream.unwrap(Effect.map(make, (all) => Agent.run(all, { task: "x", tools: ["broken"] })))
        const world = Layer.merge(MockModel.layer(turns), MemoryJournal.layer)
        expect(yield* Effect.provide(Stream.runLast(events), world)).toMatchObject({ value: { because: "done" } })
      }
    }))

  it.effect("retries after a transient fault, after the delay that the provider asks for", () =>
    Effect.gen(function* () {
      const turns = [
        MockModel.turn({ text: "half", fault: new AiError.InternalProviderError({ description: "overloaded" }) }),
        MockModel.turn({ fault: new AiError.RateLimitError({ retryAfter: Duration.seconds(90) }) }),
        MockModel.turn({ text: "whole" }),
      ]
      const running = yield* Effect.forkChild(
        Effect.provide(Stream.runCollect(runSmall()), MockModel.layer(turns)),
      )
      yield* TestClock.adjust("2 seconds")
      yield* TestClock.adjust("80 seconds")
      expect(running.pollUnsafe()).toBe(undefined)
      yield* TestClock.adjust("20 seconds")
      const events = yield* Fiber.join(running)
      expect(events.flatMap((event) => event._tag === "ModelRetry" ? [event.delayMillis] : [])).toEqual([1_000, 90_000])
      expect(events.at(-1)).toMatchObject({ because: "done", text: "whole" })
    }))

  it.effect("reports a retry only when it retries", () =>
    Effect.gen(function* () {
      const faults = [
        new AiError.AuthenticationError({ kind: "InvalidKey" }),
        new AiError.RateLimitError({ retryAfter: Duration.days(365) }),
      ]
      for (const fault of faults) {
        const events: Array<string> = []
        const running = Stream.runForEach(runSmall(), ({ _tag }) => Effect.sync(() => void events.push(_tag)))
        yield* Effect.flip(Effect.provide(running, MockModel.layer([MockModel.turn({ fault })])))
        expect(events).toEqual([])
      }
    }))

  it.effect("fails with the model's fault when retries do not help", () =>
    Effect.gen(function* () {
      const key = new AiError.AuthenticationError({ kind: "InvalidKey" })
      expect(yield* Effect.flip(endOf([MockModel.turn({ fault: key })]))).toMatchObject({
        _tag: "AgentFault",
        faultKind: "AuthenticationError",
      })
      const broken = MockModel.turn({ fault: new AiError.InternalProviderError({ description: "broken" }) })
      const retry = Schedule.recurs(2)
      const fault = yield* Effect.flip(endOf([broken, broken, broken], { retry }))
      expect(fault).toMatchObject({ faultKind: "InternalProviderError", message: expect.stringContaining("broken") })
    }))

  it.effect("refuses invalid options", () =>
    Effect.gen(function* () {
      const refused: ReadonlyArray<readonly [Partial<Agent.AgentOptions>, string]> = [
        [{ task: " " }, "task is empty"],
        [{ id: "a/b" }, `id must be 1 to 120 printable ASCII characters without "/"`],
        [{ maxTurns: 0 }, "maxTurns must be a whole number from 1"],
        [{ maxCost: 1 }, "maxCost requires prices"],
        [{ prices: { input: -1, output: 1 } }, "prices.input must be a number from 0"],
        [{ maxContextTokens: 1.5 }, "maxContextTokens must be a whole number"],
      ]
      for (const [given, message] of refused) {
        expect(yield* Effect.flip(endOf([], given))).toMatchObject({
          _tag: "OptionError",
          message: expect.stringContaining(message),
        })
      }
    }))

  it.effect("works on files without a journal", () =>
    Effect.gen(function* () {
      const services = yield* Agent.services(book)
      const end = yield* Stream.runLast(Agent.run(services, options))
      expect(end).toMatchObject({ value: { because: "done", text: "The test passes." } })
      expect(yield* Files.readText("add.sh")).toContain("$1 + $2")
    }).pipe(Effect.provide(Layer.merge(workplace, MockModel.layer(script)))))
})
