import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { JournalError } from "@sluice/shell/journal"
import { Journal } from "@sluice/shell/journal"
import { draftBranchEntry } from "../../src/branch/Branch.ts"
import {
  ask,
  count,
  Counting,
  countingClient,
  countWhenOpen,
  inJournal,
  settle,
  startedDaemon,
  tagsOf,
} from "./counting.ts"
import { flaky, type Mood } from "./flakyJournal.ts"

/** A daemon that answers one request, on a journal with moods. */
const answeringTo = Effect.fnUntraced(function* (to: number) {
  const journal = flaky(yield* Journal)
  const gate = yield* Deferred.make<void>()
  const seen = { closed: false }
  const scope = yield* Scope.make()
  const daemon = yield* startedDaemon({
    handle: (request) =>
      countWhenOpen("d", gate)(request).pipe(Stream.ensuring(Effect.sync(() => void (seen.closed = true)))),
  }).pipe(Effect.provideService(Journal, journal), Scope.provide(scope))
  const asked = yield* Effect.forkChild(ask(yield* countingClient(), count("x", to)))
  yield* settle
  const well = Effect.suspend(() => {
    journal.mood = "well"
    return TestClock.adjust("10 seconds")
  })
  // Whatever the mood, it can be closed in the end.
  yield* Effect.addFinalizer(() => {
    journal.mood = "well"
    return Scope.close(scope, Exit.void)
  })
  return { journal, daemon, gate, seen, asked, scope, well }
})

const answering = answeringTo(3)

for (const mood of ["down", "silent"] satisfies ReadonlyArray<Mood>) {
  it.effect(`holds its answer while the journal is ${mood}, and continues when it works again`, () =>
    Effect.gen(function* () {
      const { asked, gate, journal, seen, well } = yield* answering
      journal.mood = mood
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("7 seconds")
      expect([seen.closed, asked.pollUnsafe()]).toEqual([false, undefined])
      yield* well
      expect((yield* Fiber.join(asked)).map((event) => event._tag === "Counted" ? event.n : event._tag)).toEqual([
        0,
        1,
        2,
        3,
        "Finished",
      ])
    }).pipe(inJournal))

  it.effect(`ends its answer before its lease has run out when the journal is ${mood}, and says so later`, () =>
    Effect.gen(function* () {
      const { asked, journal, seen, well } = yield* answering
      journal.mood = mood
      yield* TestClock.adjust("15 seconds")
      expect(seen.closed).toBe(true)
      expect(asked.pollUnsafe()).toBeUndefined()
      yield* well
      expect((yield* Fiber.join(asked)).at(-1)).toMatchObject({ why: "JournalFailed", detail: "Unavailable" })
    }).pipe(inJournal))
}

for (const mood of ["down", "silent"] satisfies ReadonlyArray<Mood>) {
  it.effect(`ends nothing when the journal is ${mood} for less than the lease`, () =>
    Effect.gen(function* () {
      const { asked, gate, journal, seen, well } = yield* answering
      journal.mood = mood
      yield* TestClock.adjust("13 seconds")
      expect(seen.closed).toBe(false)
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      yield* well
      expect((yield* Fiber.join(asked)).at(-1)).toMatchObject({ _tag: "Finished" })
    }).pipe(inJournal))
}

it.effect("ends its answer even while it hangs in an append", () =>
  Effect.gen(function* () {
    const { asked, gate, journal, seen, well } = yield* answering
    journal.mood = "silent"
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    yield* TestClock.adjust("15 seconds")
    expect(seen.closed).toBe(true)
    yield* well
    // What it hung in was written after all.
    const events = yield* Fiber.join(asked)
    expect(events.map(({ _tag }) => _tag)).toEqual(["Counted", "Counted", "Counted", "Counted", "Failed"])
  }).pipe(inJournal))

it.effect("ends once, also when it is cancelled while its last event is written", () =>
  Effect.gen(function* () {
    const { asked, gate, journal, well } = yield* answeringTo(0)
    journal.mood = "silent"
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    // Past the moods, as another writer would.
    yield* Effect.flatMap(Journal, (other) =>
      other.append([draftBranchEntry(Counting, "x", { _tag: "CancelRequested" })]))
    yield* settle
    yield* well
    yield* Fiber.join(asked)
    yield* settle
    const tags = yield* tagsOf(journal, "x")
    expect(
      tags.filter((tag) =>
        Counting.lastTags.includes(tag)
      ).length,
    ).toBe(1)
  }).pipe(inJournal))

it.effect("ends requests that the full journal refuses, and records that when there is space again", () =>
  Effect.gen(function* () {
    const { asked, gate, journal, seen, well } = yield* answering
    journal.mood = "full"
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    expect(seen.closed).toBe(true)
    yield* well
    const events = yield* Fiber.join(asked)
    expect(events.map(({ _tag }) => _tag)).toEqual(["Counted", "Failed"])
    expect(events.at(-1)).toMatchObject({ why: "JournalFailed", detail: "Full" })
  }).pipe(inJournal))

it.effect("writes each event once if the outcome of a write is unknown", () =>
  Effect.gen(function* () {
    const { asked, gate, journal, well } = yield* answering
    journal.mood = "unsure"
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    yield* well
    expect((yield* Fiber.join(asked)).length).toBe(5)
    expect((yield* tagsOf(journal, "x")).join(" ")).toBe("Count LeaseTaken Counted Counted Counted Counted Finished")
  }).pipe(inJournal))

it.effect("takes its lease once if the outcome is unknown", () =>
  Effect.gen(function* () {
    const journal = flaky(yield* Journal)
    yield* Effect.provideService(startedDaemon(), Journal, journal)
    journal.mood = "unsure"
    const asked = yield* Effect.forkChild(ask(yield* countingClient(), count("x")))
    yield* settle
    journal.mood = "well"
    yield* TestClock.adjust("5 seconds")
    expect((yield* Fiber.join(asked)).length).toBe(4)
    expect((yield* tagsOf(journal, "x")).filter((tag) => tag === "LeaseTaken").length).toBe(1)
  }).pipe(inJournal))

it.effect("is shut down within the time of a lease when the journal is down", () =>
  Effect.gen(function* () {
    const { asked, daemon, journal, seen } = yield* answering
    journal.mood = "down"
    const shutdown = yield* Effect.forkChild(daemon.shutdown)
    yield* TestClock.adjust("1 second")
    expect([seen.closed, yield* daemon.state]).toEqual([true, "Running"])
    yield* TestClock.adjust("20 seconds")
    yield* Fiber.join(shutdown)
    expect(yield* daemon.state).toBe("Completed")
    // The next daemon finds that it has no end.
    yield* startedDaemon()
    yield* TestClock.adjust("20 seconds")
    expect((yield* Fiber.join(asked)).at(-1)).toMatchObject({ why: "HostLost" })
  }).pipe(inJournal))

it.effect("completes with the error when the journal can no longer be followed", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    const corrupt = JournalError.because({ _tag: "Corrupt", what: "a page", position: 7 }, "journal: a page is broken")
    const daemon = yield* Effect.provideService(startedDaemon(), Journal, {
      ...service,
      tail: () => Stream.fail(corrupt),
    })
    expect(yield* Effect.flip(daemon.completed)).toBe(corrupt)
    expect(yield* daemon.state).toBe("Completed")
  }).pipe(inJournal))

it.effect("does not begin when the journal cannot be read", () =>
  Effect.gen(function* () {
    const journal = flaky(yield* Journal)
    journal.mood = "down"
    const error = yield* Effect.flip(Effect.provideService(startedDaemon(), Journal, journal))
    expect(error).toMatchObject({ _tag: "JournalError", reason: { _tag: "Unavailable" } })
  }).pipe(inJournal))

it.effect("stops watching its request when the journal refuses for good, and logs it once", () =>
  Effect.gen(function* () {
    const journal = flaky(yield* Journal)
    const logged: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void logged.push(String(message)))
    let appends = 0
    const counted = {
      ...journal,
      append: (...args: Parameters<typeof journal.append>) =>
        Effect.suspend(() => (appends++, journal.append(...args))),
    }
    const client = yield* Effect.provideService(countingClient(), Journal, counted)
    yield* Effect.forkChild(ask(client, count("x")).pipe(Effect.provide(Logger.layer([logger]))))
    yield* settle
    journal.mood = "full"
    appends = 0
    yield* TestClock.adjust("5 minutes")
    expect(appends).toBe(1)
    expect(logged).toEqual([expect.stringMatching(/^branch counting: x .*the disk is full/)])
  }).pipe(inJournal))
