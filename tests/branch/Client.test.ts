import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Journal } from "@sluice/shell/journal"
import { currentHost, draftBranchEntry, draftOwnLease, draftRequest, makeClient } from "../../src/branch/Branch.ts"
import {
  ask,
  count,
  Counting,
  countingClient,
  countWhenOpen,
  elsewhere,
  inJournal,
  makeLastEvent,
  settle,
  startedDaemon,
  tagsOf,
} from "./counting.ts"
import { flaky } from "./flakyJournal.ts"

it.effect("ends a request that no daemon takes, and no daemon takes it later", () =>
  Effect.gen(function* () {
    const asked = yield* Effect.forkChild(ask(yield* countingClient(), count("x")))
    yield* settle
    yield* TestClock.adjust("29 seconds")
    expect(asked.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(asked)).toEqual([
      { _tag: "Failed", id: "x", why: "NotTaken", detail: "noDaemon 30000" },
    ])
    yield* startedDaemon()
    yield* settle
    expect(yield* tagsOf(yield* Journal, "x")).toEqual(["Count", "Failed"])
  }).pipe(inJournal))

it.effect("keeps waiting while daemons are busy and show that they live", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    yield* startedDaemon({ maxConcurrency: 1, handle: countWhenOpen("d", gate) })
    const client = yield* countingClient()
    const first = yield* Effect.forkChild(ask(client, count("first")))
    yield* settle
    const second = yield* Effect.forkChild(ask(client, count("second")))
    const hasty = yield* Effect.forkChild(ask(yield* countingClient({ queueTimeout: "1 minute" }), count("hasty")))
    yield* settle
    yield* TestClock.adjust("10 minutes")
    expect([first.pollUnsafe(), second.pollUnsafe()]).toEqual([undefined, undefined])
    expect((yield* Fiber.join(hasty)).at(-1)).toMatchObject({ why: "NotTaken", detail: "busy 60000" })
    yield* Deferred.succeed(gate, undefined)
    expect((yield* Fiber.join(second)).at(-1)).toMatchObject({ _tag: "Finished" })
  }).pipe(inJournal))

it.effect("waits for a daemon with long leases for the length of its lease", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    yield* startedDaemon({ maxConcurrency: 1, lease: "10 minutes", handle: countWhenOpen("d", gate) })
    const client = yield* countingClient({ acceptTimeout: "150 seconds" })
    yield* Effect.forkChild(ask(client, count("first")))
    yield* settle
    yield* TestClock.adjust("190 seconds")
    const second = yield* Effect.forkChild(ask(client, count("second")))
    yield* settle
    // It has seen one sign, and the next is due in 200 s.
    yield* TestClock.adjust("1 hour")
    expect(second.pollUnsafe()).toBeUndefined()
    yield* Deferred.succeed(gate, undefined)
    expect((yield* Fiber.join(second)).at(-1)).toMatchObject({ _tag: "Finished" })
  }).pipe(inJournal))

it.effect("refuses an id that is open, and takes it again when it has ended", () =>
  Effect.gen(function* () {
    const client = yield* countingClient()
    const first = yield* Effect.forkChild(ask(client, count("x")))
    yield* settle
    const refused = yield* Effect.flip(ask(client, count("x")))
    expect(refused).toMatchObject({ _tag: "RequestOpenError", correlationId: "x", position: 1 })
    yield* startedDaemon()
    yield* Fiber.join(first)
    for (let round = 0; round < 3; round++) expect((yield* ask(client, count("x"))).length).toBe(4)
    expect((yield* tagsOf(yield* Journal, "x")).filter((tag) => tag === "Count").length).toBe(4)
  }).pipe(inJournal))

it.effect("accepts one of several requests with the same id", () =>
  Effect.gen(function* () {
    const client = yield* countingClient()
    const asked = yield* Effect.forkChild(
      Effect.forEach([1, 2, 3, 4], () => Effect.exit(ask(client, count("x"))), { concurrency: "unbounded" }),
    )
    yield* settle
    yield* startedDaemon()
    const exits = yield* Fiber.join(asked)
    expect(exits.map(({ _tag }) => _tag).sort()).toEqual(["Failure", "Failure", "Failure", "Success"])
  }).pipe(inJournal))

it.effect("withdraws a request that no daemon has taken when its stream is closed", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    const asked = yield* Effect.forkChild(ask(yield* countingClient(), count("x")))
    yield* settle
    yield* Fiber.interrupt(asked)
    const last = (yield* service.read({ filter: { correlationId: "x" } })).at(-1)
    expect(last?.body).toMatchObject({ _tag: "Failed", why: "Cancelled", detail: "consumer" })
    yield* startedDaemon()
    yield* settle
    expect(yield* tagsOf(service, "x")).toEqual(["Count", "Failed"])
  }).pipe(inJournal))

it.effect("has ended the request when a stream that was closed early returns", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    yield* startedDaemon({ handle: countWhenOpen("d", gate) })
    const client = yield* countingClient()
    const taken = yield* Stream.runCollect(Stream.take(client.request(count("x")), 1))
    expect(taken).toMatchObject([{ event: { _tag: "Counted", n: 0 }, attempt: 1 }])
    const service = yield* Journal
    expect(yield* tagsOf(service, "x")).toEqual(["Count", "LeaseTaken", "Counted", "CancelRequested", "Failed"])
  }).pipe(inJournal))

it.effect("waits for the end of a request no longer than configured", () =>
  Effect.gen(function* () {
    yield* startedDaemon({ handle: () => Stream.never, cancelGrace: () => "1 hour" })
    const client = yield* makeClient(Counting, { makeLastEvent, closeTimeout: () => "7 seconds" })
    const asked = yield* Effect.forkChild(Stream.runDrain(client.request(count("x"))))
    yield* settle
    const closing = yield* Effect.forkChild(Fiber.interrupt(asked))
    yield* settle
    yield* TestClock.adjust("6 seconds")
    expect(closing.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(closing)
    // The daemon would wait for its answer, and the scope for the daemon.
    yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("10 minutes"))))
  }).pipe(inJournal))

it.effect("learns from the last event that the request was cancelled, and by whom", () =>
  Effect.gen(function* () {
    const cancel = yield* Deferred.make<string>()
    const client = yield* countingClient()
    const run = (id: string) =>
      Effect.forkChild(Stream.runCollect(client.request(count(id), { cancel: Deferred.await(cancel) })))
    const waiting = yield* run("waiting")
    yield* settle
    yield* startedDaemon({ handle: () => Stream.never, maxConcurrency: 1 })
    const running = yield* run("running")
    yield* settle
    yield* Deferred.succeed(cancel, "signal")
    for (const asked of [waiting, running]) {
      const answers = yield* Fiber.join(asked)
      expect(answers.at(-1)?.event).toMatchObject({ why: "Cancelled", detail: "signal" })
    }
  }).pipe(inJournal))

/** The lease of a daemon that is never heard of again. */
const takenElsewhere = (id: string) =>
  draftBranchEntry(Counting, id, {
    _tag: "LeaseTaken",
    attempt: 1,
    daemonId: "far",
    host: elsewhere,
    leaseMillis: 15_000,
  })

it.effect("ends a request whose daemon is lost, when no other takes it over", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    const asked = yield* Effect.forkChild(ask(yield* countingClient(), count("x")))
    yield* settle
    yield* service.append([takenElsewhere("x")])
    yield* settle
    yield* TestClock.adjust("44 seconds")
    // A word from the far side: then it is waited for anew.
    yield* service.append([
      draftBranchEntry(Counting, "far", {
        _tag: "DaemonAlive",
        daemonId: "far",
        leaseMillis: 15_000,
        settledThrough: 0,
      }),
    ])
    yield* TestClock.adjust("45 seconds")
    expect(asked.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("5 seconds")
    expect((yield* Fiber.join(asked)).at(-1)).toMatchObject({ why: "HostLost", detail: "far 1 unseen" })
    expect(yield* tagsOf(service, "x")).toEqual(["Count", "LeaseTaken", "LeaseTaken", "Failed"])
  }).pipe(inJournal))

it.effect("waits without limit if configured", () =>
  Effect.gen(function* () {
    const client = yield* countingClient({ acceptTimeout: Infinity })
    const asked = yield* Effect.forkChild(ask(client, count("x")))
    yield* settle
    yield* TestClock.adjust("1000 days")
    expect(asked.pollUnsafe()).toBeUndefined()
    yield* startedDaemon()
    expect((yield* Fiber.join(asked)).length).toBe(4)
  }).pipe(inJournal))

it.effect("reports the attempt of each event", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    const client = yield* countingClient()
    const asked = yield* Effect.forkChild(Stream.runCollect(client.request(count("x", 1, true))))
    yield* settle
    yield* service.append([
      takenElsewhere("x"),
      { branch: "counting", correlationId: "x", body: { _tag: "Counted", id: "x", n: 1 } },
      draftBranchEntry(Counting, "far", { _tag: "DaemonCompleted", daemonId: "far", settledThrough: 0 }),
    ])
    yield* startedDaemon()
    const answers = yield* Fiber.join(asked)
    expect(answers.map(({ attempt, event }) => [attempt, event._tag])).toEqual([
      [1, "Counted"],
      [2, "Counted"],
      [2, "Finished"],
    ])
  }).pipe(inJournal))

it.effect("does not judge a process that answers for as long as it lives", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    const client = yield* countingClient()
    const asked = yield* Effect.forkChild(ask(client, count("x")))
    yield* settle
    yield* service.append([draftOwnLease(Counting, count("x"), yield* currentHost)])
    yield* settle
    yield* TestClock.adjust("1 day")
    expect(asked.pollUnsafe()).toBeUndefined()
    yield* service.append([{ branch: "counting", correlationId: "x", body: { _tag: "Finished", id: "x", by: "it" } }])
    expect((yield* Fiber.join(asked)).length).toBe(1)
  }).pipe(inJournal))

it.effect("fails when the answer cannot be read", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    const asked = yield* Effect.forkChild(Effect.flip(ask(yield* countingClient(), count("x"))))
    yield* settle
    yield* service.append([{ branch: "counting", correlationId: "x", body: { _tag: "Finished", id: 7 } }])
    expect(yield* Fiber.join(asked)).toMatchObject({ _tag: "JournalError", reason: { _tag: "Corrupt", position: 2 } })
  }).pipe(inJournal))

it.effect("continues after the journal could not be reached for a while", () =>
  Effect.gen(function* () {
    const journal = flaky(yield* Journal)
    const client = yield* Effect.provideService(countingClient(), Journal, journal)
    journal.mood = "full"
    expect(yield* Effect.flip(ask(client, count("y")))).toMatchObject({ reason: { _tag: "Full" } })
    journal.mood = "well"
    const asked = yield* Effect.forkChild(ask(client, count("x")))
    journal.mood = "well"
    yield* settle
    yield* startedDaemon()
    expect((yield* Fiber.join(asked)).length).toBe(4)
  }).pipe(inJournal))

it.effect("does not take requests that are in the journal for its own", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    yield* service.append([draftRequest(Counting, count("other"))])
    yield* startedDaemon()
    expect((yield* ask(yield* countingClient(), count("mine"))).every(({ id }) => id === "mine")).toBe(true)
  }).pipe(inJournal))
