import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Agent } from "@sluice/shell/agent"
import { Journal, JournalError, type JournalService, MemoryJournal } from "@sluice/shell/journal"
import { Spell, Spellbook } from "@sluice/shell/spell"
import { MockModel } from "@sluice/shell/testing"

/** A journal as a process of another machine has it. */
const ofOtherMachine = (journal: JournalService): JournalService => ({
  ...journal,
  append: (drafts, options) =>
    journal.append(
      drafts.map((draft) =>
        draft.body._tag === "LeaseTaken"
          ? { ...draft, body: { ...draft.body, host: { ...Object(draft.body["host"]), host: "other", machine: "m2" } } }
          : draft
      ),
      options,
    ),
})

/** A run of two calls of a spell that changes something, each of which waits for a gate. */
const makeRun = (name: string, journal: JournalService, casts: Array<string>, gate: Effect.Effect<void>) => {
  const deploy = Spell.make({
    name: "deploy",
    description: "Deploys.",
    parameters: Schema.Struct({}),
    success: Schema.String,
    cast: () =>
      Effect.suspend(() => {
        casts.push(`${name} begins`)
        return Effect.as(gate, "done")
      }).pipe(
        Effect.onExit((exit) => Effect.sync(() => casts.push(`${name} ${exit._tag === "Success" ? "ends" : "stops"}`))),
      ),
  })
  const call = MockModel.turn({ calls: [{ name: "deploy", arguments: {} }] })
  return Effect.gen(function* () {
    const services = yield* Agent.journaled(Spellbook.make(deploy))
    const events = yield* Stream.runCollect(Agent.run(services, { id: "run-1", task: "deploy", tools: ["deploy"] }))
    return events.at(-1)?._tag
  }).pipe(
    Effect.provide(MockModel.layer([call, call, MockModel.turn({ text: "done" })])),
    Effect.provideService(Journal, journal),
    Effect.result,
  )
}

const settle = Effect.forEach(Array.from({ length: 80 }), () => Effect.yieldNow, { discard: true })

/** Lets time pass, step by step, as two machines have it. */
const pass = (seconds: number) =>
  Effect.forEach(Array.from({ length: seconds }), () => Effect.andThen(TestClock.adjust("1 second"), settle), {
    discard: true,
  })

it.effect("refuses to continue a run that goes on on another machine, however long a call takes", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const casts: Array<string> = []
    const gate = yield* Deferred.make<void>()
    const first = yield* Effect.forkChild(makeRun("A", ofOtherMachine(journal), casts, Deferred.await(gate)))
    yield* settle
    for (const _ of [1, 2]) {
      const second = yield* Effect.forkChild(makeRun("B", journal, casts, Effect.void))
      yield* pass(40)
      const refused = yield* Fiber.join(second)
      expect(Result.isFailure(refused) && refused.failure).toMatchObject({
        faultKind: "AlreadyRunning",
        message: expect.stringMatching(/^agent: the run run-1 is still running in process \d+ of other; end it first$/),
      })
    }
    yield* Deferred.succeed(gate, undefined)
    expect(yield* Fiber.join(first)).toEqual(Result.succeed("AgentEnd"))
    expect(casts).toEqual(["A begins", "A ends", "A begins", "A ends"])
  }).pipe(Effect.provide(MemoryJournal.layer)))

it.effect("stops a run that is cut off from its journal before another machine continues it", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const casts: Array<string> = []
    const other = ofOtherMachine(journal)
    let connection: Effect.Effect<void> = Effect.void
    const cutOff: JournalService = {
      ...other,
      append: (drafts, options) => Effect.andThen(Effect.suspend(() => connection), other.append(drafts, options)),
    }
    const first = yield* Effect.forkChild(makeRun("A", cutOff, casts, Effect.never))
    yield* settle
    const isBack = yield* Deferred.make<void>()
    yield* Effect.addFinalizer(() => Deferred.succeed(isBack, undefined))
    connection = Deferred.await(isBack)
    const second = yield* Effect.forkChild(makeRun("B", journal, casts, Effect.void))
    yield* pass(14)
    // It has stopped what it did; its last words wait for the journal.
    expect(casts).toEqual(["A begins", "A stops"])
    yield* pass(2)
    expect(yield* Fiber.join(second)).toEqual(Result.succeed("AgentEnd"))
    // The call that was lost is not repeated: the model learns of it.
    expect(casts.slice(2)).toEqual(["B begins", "B ends", "B begins", "B ends"])
    yield* Deferred.succeed(isBack, undefined)
    expect(Result.isFailure(yield* Fiber.join(first))).toBe(true)
    expect(casts.length).toBe(6)
  }).pipe(Effect.provide(MemoryJournal.layer)))

it.effect("stops a run that was taken over while its process was suspended", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const casts: Array<string> = []
    const gate = yield* Deferred.make<void>()
    const clock = yield* Clock.Clock
    // No timer of a suspended process fires.
    const suspended: Clock.Clock = Object.assign(Object.create(clock), { sleep: () => Effect.never })
    const first = yield* makeRun("A", ofOtherMachine(journal), casts, Deferred.await(gate)).pipe(
      Effect.provideService(Clock.Clock, suspended),
      Effect.forkChild,
    )
    yield* settle
    const second = yield* Effect.forkChild(makeRun("B", journal, casts, Effect.void))
    yield* pass(16)
    expect(yield* Fiber.join(second)).toEqual(Result.succeed("AgentEnd"))
    const before = casts.length
    yield* Deferred.succeed(gate, undefined)
    const stopped = yield* Fiber.join(first)
    expect(Result.isFailure(stopped)).toBe(true)
    // It ends the call that it was in, and begins no other.
    expect(casts.slice(before)).toEqual(["A ends"])
    const ends = yield* Journal.read({ filter: { correlationId: "run-1", tags: ["AgentEnd"] } })
    expect(ends.length).toBe(1)
  }).pipe(Effect.provide(MemoryJournal.layer)))

it.effect("goes on after its process stalled for longer than its lease, and its journal then takes a moment", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const casts: Array<string> = []
    const gate = yield* Deferred.make<void>()
    const clock = yield* Clock.Clock
    const stall = yield* Deferred.make<void>()
    let stallNanos = 0n
    // After a stall all timers fire at once.
    const stalling: Clock.Clock = Object.assign(Object.create(clock), {
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe() + stallNanos,
      sleep: (duration: Duration.Duration) =>
        stallNanos > 0n ? clock.sleep(duration) : Effect.raceFirst(clock.sleep(duration), Deferred.await(stall)),
    })
    let connection: Effect.Effect<void> = Effect.void
    const slow: JournalService = {
      ...journal,
      append: (drafts, options) => Effect.andThen(Effect.suspend(() => connection), journal.append(drafts, options)),
    }
    const run = yield* makeRun("A", slow, casts, Deferred.await(gate)).pipe(
      Effect.provideService(Clock.Clock, stalling),
      Effect.forkChild,
    )
    yield* settle
    const answered = yield* Deferred.make<void>()
    connection = Deferred.await(answered)
    stallNanos = 20_000_000_000n
    yield* Deferred.succeed(stall, undefined)
    yield* pass(1)
    yield* Deferred.succeed(answered, undefined)
    yield* pass(40)
    yield* Deferred.succeed(gate, undefined)
    expect(yield* Fiber.join(run)).toEqual(Result.succeed("AgentEnd"))
  }).pipe(Effect.provide(MemoryJournal.layer)))

it.effect("keeps the lease of a run when this process is refused a second one with its id", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const conditions: Array<string> = []
    const counting: JournalService = {
      ...journal,
      append: (drafts, options) => {
        const isCall = drafts.some(({ body }) => body._tag === "SpellInvocation")
        if (isCall) conditions.push(String(options?.condition?.noneOf.tags))
        return journal.append(drafts, options)
      },
    }
    const spell = Spell.make({
      name: "deploy",
      description: "Deploys.",
      parameters: Schema.Struct({}),
      success: Schema.String,
      cast: () => Effect.as(Deferred.await(gate), "done"),
    })
    const gate = yield* Deferred.make<void>()
    const call = MockModel.turn({ calls: [{ name: "deploy", arguments: {} }] })
    const services = yield* Agent.journaled(Spellbook.make(spell)).pipe(
      Effect.provide(MockModel.layer([call, call, MockModel.turn({ text: "done" })])),
      Effect.provideService(Journal, counting),
    )
    const run = Stream.runDrain(Agent.run(services, { id: "run-1", task: "deploy", tools: ["deploy"] }))
    const first = yield* Effect.forkChild(run)
    yield* settle
    expect(yield* Effect.flip(run)).toMatchObject({ faultKind: "AlreadyRunning" })
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(first)
    expect(conditions).toEqual(["LeaseTaken", "LeaseTaken"])
  }).pipe(Effect.provide(MemoryJournal.layer)))

it.effect("continues a run in the process in which it stopped when its journal was gone", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const casts: Array<string> = []
    let isGone = false
    const failing: JournalService = {
      ...journal,
      append: (drafts, options) =>
        Effect.suspend(() =>
          isGone
            ? Effect.fail(new JournalError({ message: "gone", reason: { _tag: "Unavailable" } }))
            : journal.append(drafts, options)
        ),
    }
    const first = yield* Effect.forkChild(makeRun("A", failing, casts, Effect.never))
    yield* settle
    isGone = true
    yield* pass(15)
    expect(Result.isFailure(yield* Fiber.join(first))).toBe(true)
    isGone = false
    const second = yield* Effect.forkChild(makeRun("B", failing, casts, Effect.void))
    yield* pass(16)
    expect(yield* Fiber.join(second)).toEqual(Result.succeed("AgentEnd"))
    // The call that was lost is not repeated.
    expect(casts).toEqual(["A begins", "A stops", "B begins", "B ends", "B begins", "B ends"])
  }).pipe(Effect.provide(MemoryJournal.layer)))
