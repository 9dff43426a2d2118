import { expect, it, vi } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Journal, type JournalService } from "@sluice/shell/journal"
import { pause } from "../support/eventually.ts"
import { currentHost, draftBranchEntry, draftOwnLease, draftRequest, makeDaemon } from "../../src/branch/Branch.ts"
import { flaky } from "./flakyJournal.ts"
import {
  ask,
  count,
  countAll,
  type CountEvent,
  Counting,
  countingClient,
  countingDaemon,
  countWhenOpen,
  elsewhere,
  inJournal,
  makeLastEvent,
  settle,
  startedDaemon,
  startElsewhere,
  tagsOf,
} from "./counting.ts"

it.effect("is stopped, runs, and has completed", () =>
  Effect.gen(function* () {
    const daemon = yield* countingDaemon()
    expect(yield* daemon.state).toBe("Stopped")
    const states = yield* Effect.forkChild(Stream.runCollect(Stream.takeUntil(daemon.states, (s) => s === "Completed")))
    yield* settle
    yield* daemon.start
    expect(yield* daemon.state).toBe("Running")
    yield* daemon.shutdown
    yield* daemon.shutdown
    yield* daemon.completed
    expect(yield* Fiber.join(states)).toEqual(["Stopped", "Running", "Completed"])
    const service = yield* Journal
    expect(yield* tagsOf(service, daemon.id)).toEqual(["DaemonStarted", "DaemonCompleted"])
  }).pipe(inJournal))

it.effect("starts anew after a start that failed or was interrupted", () =>
  Effect.gen(function* () {
    const journal = flaky(yield* Journal)
    const daemon = yield* Effect.provideService(countingDaemon(), Journal, journal)
    journal.mood = "down"
    expect((yield* Effect.flip(daemon.start)).reason._tag).toBe("Unavailable")
    journal.mood = "silent"
    const first = yield* Effect.forkChild(daemon.start)
    yield* settle
    yield* Fiber.interrupt(first)
    journal.mood = "well"
    yield* daemon.start
    expect(yield* daemon.state).toBe("Running")
    expect(yield* tagsOf(journal, daemon.id)).toEqual(["DaemonStarted"])
  }).pipe(inJournal))

/** A journal that waits before it looks for the heartbeat of a daemon. */
const waiting = (journal: JournalService, gate: Effect.Effect<void>): JournalService => ({
  ...journal,
  readBackward: (options) => Effect.andThen(gate, journal.readBackward(options)),
})

it.effect("starts for every caller although one is interrupted, also the first", () =>
  Effect.gen(function* () {
    for (const interrupted of [0, 1]) {
      const gate = yield* Deferred.make<void>()
      const journal = waiting(yield* Journal, Deferred.await(gate))
      const daemon = yield* Effect.provideService(countingDaemon(), Journal, journal)
      const callers = [yield* Effect.forkChild(daemon.start), yield* Effect.forkChild(daemon.start)]
      yield* settle
      for (const caller of callers.slice(interrupted, interrupted + 1)) yield* Fiber.interrupt(caller)
      yield* Deferred.succeed(gate, undefined)
      for (const caller of callers.toSpliced(interrupted, 1)) yield* Fiber.join(caller)
      expect(yield* daemon.state).toBe("Running")
      expect(yield* tagsOf(journal, daemon.id)).toEqual(["DaemonStarted"])
      yield* daemon.shutdown
    }
  }).pipe(inJournal))

it.live("answers after a start that was interrupted at any time and made again", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const host = yield* currentHost
    // A start looks at the process of this lease, which takes time.
    const peer = { ...host, pid: host.pid + 1, processStart: "x" }
    yield* journal.append([
      draftRequest(Counting, count("of a peer")),
      draftBranchEntry(Counting, "of a peer", {
        _tag: "LeaseTaken",
        daemonId: "peer",
        host: peer,
        attempt: 1,
        leaseMillis: 15_000,
      }),
    ])
    for (let turns = 0; turns < 20; turns++) {
      const daemon = yield* countingDaemon()
      const first = yield* Effect.forkChild(daemon.start, { startImmediately: true })
      for (let turn = 0; turn < turns; turn++) yield* Effect.promise(() => Promise.resolve())
      yield* Fiber.interrupt(first)
      yield* daemon.start
      expect(yield* daemon.state).toBe("Running")
      const client = yield* countingClient()
      expect((yield* ask(client, count(`r${turns}`, 1))).at(-1)).toMatchObject({ _tag: "Finished" })
      yield* daemon.shutdown
    }
  }).pipe(inJournal))

it.effect("does not start any more when it is shut down meanwhile", () =>
  Effect.gen(function* () {
    const journal = waiting(yield* Journal, Effect.never)
    const daemon = yield* Effect.provideService(countingDaemon(), Journal, journal)
    const starting = yield* Effect.forkChild(daemon.start)
    yield* settle
    yield* daemon.shutdown
    yield* Fiber.join(starting)
    expect(yield* daemon.state).toBe("Completed")
    expect(yield* tagsOf(yield* Journal, daemon.id)).toEqual([])
  }).pipe(inJournal))

it.effect("keeps nothing of a wait for its drain that was interrupted", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const daemon = yield* startedDaemon({ handle: countWhenOpen("d", gate) })
    const client = yield* countingClient()
    const asking = yield* Effect.forkChild(ask(client, count("r", 1)))
    yield* settle
    for (let wait = 0; wait < 200; wait++) {
      const draining = yield* Effect.forkChild(daemon.drain)
      yield* settle
      yield* Fiber.interrupt(draining)
    }
    // A wait that ends goes on in a microtask of its own.
    const microtasks = vi.spyOn(globalThis, "queueMicrotask")
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(asking)
    yield* daemon.drain
    const resumed = microtasks.mock.calls.length
    microtasks.mockRestore()
    expect(resumed).toBeLessThan(100)
  }).pipe(inJournal))

it.effect("answers requests made while it runs and before it started", () =>
  Effect.gen(function* () {
    const client = yield* countingClient()
    const before = yield* Effect.forkChild(ask(client, count("before", 2)))
    yield* settle
    yield* startedDaemon({ name: "d" })
    const events: ReadonlyArray<CountEvent> = [
      { _tag: "Counted", id: "before", n: 1 },
      { _tag: "Counted", id: "before", n: 2 },
      { _tag: "Finished", id: "before", by: "d" },
    ]
    expect(yield* Fiber.join(before)).toEqual(events)
    expect((yield* ask(client, count("after", 1))).at(-1)).toEqual({ _tag: "Finished", id: "after", by: "d" })
    expect(yield* tagsOf(yield* Journal, "after")).toEqual(["Count", "LeaseTaken", "Counted", "Finished"])
  }).pipe(inJournal))

it.effect("runs each of 200 requests exactly once, however many daemons there are", () =>
  Effect.gen(function* () {
    const runs = new Map<string, number>()
    const answer = (by: string) => (request: { readonly id: string; readonly to: number }) =>
      Stream.suspend(() => {
        runs.set(request.id, (runs.get(request.id) ?? 0) + 1)
        return Stream.concat(Stream.fromEffectDrain(Effect.yieldNow), countAll(by)({ _tag: "Count", ...request }))
      })
    for (const name of ["a", "b", "c"]) yield* startedDaemon({ name, handle: answer(name), maxConcurrency: 8 })
    const client = yield* countingClient()
    const ids = Array.from({ length: 200 }, (_, index) => `r${index}`)
    const all = yield* Effect.forEach(ids, (id) => ask(client, count(id, 2)), { concurrency: "unbounded" })
    expect(ids.filter((id) => runs.get(id) !== 1)).toEqual([])
    expect(all.filter((events) => events.length !== 3)).toEqual([])
    const winners = new Set(all.map((events) => events.at(-1)).map((last) => last?._tag === "Finished" ? last.by : ""))
    expect([...winners].sort()).toEqual(["a", "b", "c"])
    const service = yield* Journal
    for (const id of ids) {
      expect(yield* tagsOf(service, id)).toEqual(["Count", "LeaseTaken", "Counted", "Counted", "Finished"])
    }
  }).pipe(inJournal))

it.effect("takes no more requests than it has slots", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    let now = 0
    let most = 0
    yield* startedDaemon({
      maxConcurrency: 3,
      handle: (request) =>
        countWhenOpen("d", gate)(request).pipe(
          Stream.onStart(Effect.sync(() => void (most = Math.max(most, ++now)))),
          Stream.ensuring(Effect.sync(() => void now--)),
        ),
    })
    const client = yield* countingClient()
    const asked = yield* Effect.forkChild(
      Effect.forEach(["1", "2", "3", "4", "5"], (id) => ask(client, count(id)), { concurrency: "unbounded" }),
    )
    yield* settle
    const service = yield* Journal
    expect((yield* service.read({ filter: { tags: ["LeaseTaken"] } })).length).toBe(3)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(asked)
    yield* settle
    expect([most, now]).toEqual([3, 0])
  }).pipe(inJournal))

it.effect("returns to requests that it left to a daemon that might have had a free slot", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const ids = Array.from({ length: 40 }, (_, index) => `r${index}`)
    const service = yield* Journal
    const client = yield* countingClient()
    // Some were answered before, some are cancelled, and some are left to others.
    yield* service.append(ids.map((id) => draftRequest(Counting, count(id, 1))))
    yield* service.append([{
      branch: "counting",
      correlationId: "r20",
      body: { _tag: "Finished", id: "r20", by: "another" },
    }])
    yield* service.append([draftBranchEntry(Counting, "r21", { _tag: "CancelRequested", by: "somebody" })])
    yield* service.append([startElsewhere()])
    yield* startedDaemon({ maxOpen: 4, maxConcurrency: 2, handle: countWhenOpen("d", gate) })
    const later = yield* Effect.forkChild(ask(client, count("later", 1)))
    yield* settle
    yield* Deferred.succeed(gate, undefined)
    expect((yield* Fiber.join(later)).at(-1)).toMatchObject({ _tag: "Finished" })
    yield* settle
    const last = yield* service.read({ filter: { tags: [...Counting.lastTags] } })
    expect(last.length).toBe(41)
    expect(yield* tagsOf(service, "r20")).toEqual(["Count", "Finished"])
    expect((yield* service.read({ filter: { correlationId: "r21" } })).at(-1)?.body).toMatchObject({
      why: "Cancelled",
      detail: "somebody",
    })
    expect(yield* tagsOf(service, "r39")).toEqual(["Count", "LeaseTaken", "Counted", "Counted", "Finished"])
  }).pipe(inJournal))

it.effect("ends a request whose answer fails, breaks, or has no end", () =>
  Effect.gen(function* () {
    yield* makeDaemon(Counting, {
      makeLastEvent,
      handle: ({ id }): Stream.Stream<CountEvent, string> =>
        id === "fails" ? Stream.fail("no") : id === "breaks" ? Stream.die(new Error("broken")) : Stream.empty,
    }).pipe(Effect.tap((daemon) => daemon.start))
    const client = yield* countingClient()
    expect(yield* ask(client, count("fails"))).toMatchObject([{ _tag: "Failed", why: "Broken" }])
    expect(yield* ask(client, count("breaks"))).toMatchObject([{ _tag: "Failed", why: "Broken" }])
    expect(yield* ask(client, count("empty"))).toMatchObject([{ _tag: "Failed", why: "Unfinished" }])
  }).pipe(inJournal))

it.effect("ends at the last event, whatever the answer would emit after it", () =>
  Effect.gen(function* () {
    let closed = false
    yield* startedDaemon({
      handle: (request) =>
        Stream.concat(countAll("d")(request), Stream.never).pipe(
          Stream.ensuring(Effect.sync(() => void (closed = true))),
        ),
    })
    expect((yield* ask(yield* countingClient(), count("x"))).length).toBe(4)
    yield* settle
    expect(closed).toBe(true)
  }).pipe(inJournal))

it.effect("on shutdown takes no more requests, ends running and waiting ones, and waits for the journal", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const daemon = yield* startedDaemon({ handle: countWhenOpen("d", gate), maxConcurrency: 2, maxOpen: 3 })
    const client = yield* countingClient()
    const asked = yield* Effect.forkChild(
      Effect.forEach(["1", "2"], (id) => ask(client, count(id)), { concurrency: "unbounded" }),
    )
    yield* settle
    // More than it keeps: the last ones it has not read, as a daemon elsewhere might take them yet.
    yield* (yield* Journal).append([startElsewhere()])
    yield* TestClock.adjust("16 seconds")
    const waiting = yield* Effect.forkChild(
      Effect.forEach(["3", "4", "5"], (id) => ask(client, count(id)), { concurrency: "unbounded" }),
    )
    yield* settle
    yield* daemon.shutdown
    expect(yield* daemon.state).toBe("Completed")
    for (const events of [...(yield* Fiber.join(asked)), ...(yield* Fiber.join(waiting))]) {
      expect(events.at(-1)).toMatchObject({ _tag: "Failed", why: "Cancelled", detail: "shutdown" })
    }
  }).pipe(inJournal))

it.effect("is shut down with its scope", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const scope = yield* Scope.make()
    yield* Scope.provide(startedDaemon({ handle: countWhenOpen("d", gate) }), scope)
    const asked = yield* Effect.forkChild(ask(yield* countingClient(), count("1")))
    yield* settle
    yield* Scope.close(scope, Exit.void)
    expect((yield* Fiber.join(asked)).at(-1)).toMatchObject({ why: "Cancelled", detail: "shutdown" })
  }).pipe(inJournal))

it.effect("lets an answer that heeds cancellation write its last event, and interrupts one that does not", () =>
  Effect.gen(function* () {
    const heeds = yield* startedDaemon({
      cancelGrace: () => "1 minute",
      handle: ({ id }, { cancelled }) =>
        Stream.fromEffect(Effect.map(cancelled, ({ by = "" }): CountEvent => ({ _tag: "Finished", id, by }))),
    })
    const client = yield* countingClient()
    const first = yield* Effect.forkChild(ask(client, count("heeds")))
    yield* settle
    yield* heeds.shutdown
    expect(yield* Fiber.join(first)).toEqual([{ _tag: "Finished", id: "heeds", by: "shutdown" }])

    const deaf = yield* startedDaemon({ cancelGrace: () => "1 minute", handle: () => Stream.never })
    const second = yield* Effect.forkChild(ask(client, count("deaf")))
    yield* settle
    const shutdown = yield* Effect.forkChild(deaf.shutdown)
    yield* TestClock.adjust("59 seconds")
    expect(second.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    expect((yield* Fiber.join(second)).at(-1)).toMatchObject({ why: "Cancelled", detail: "shutdown" })
    yield* Fiber.join(shutdown)
  }).pipe(inJournal))

it.effect("starts after the last settled entry", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    const first = yield* startedDaemon()
    const client = yield* countingClient()
    yield* ask(client, count("1"))
    yield* ask(client, count("2"))
    yield* settle
    yield* first.shutdown
    const [completed] = yield* service.readBackward({ maxEntries: 1 })
    expect(completed?.body).toMatchObject({ _tag: "DaemonCompleted", settledThrough: (completed?.position ?? 0) - 1 })
    const from: Array<number> = []
    const noted: JournalService = {
      ...service,
      read: (options = {}) => Effect.suspend(() => (from.push(options.after ?? 0), service.read(options))),
    }
    yield* Effect.provideService(startedDaemon(), Journal, noted)
    expect(Math.min(...from)).toBe((completed?.position ?? 0) - 1)
  }).pipe(inJournal))

it.effect("leaves the request of a living process alone", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    const request = count("own")
    yield* service.append([draftRequest(Counting, request), draftOwnLease(Counting, request, yield* currentHost)])
    yield* startedDaemon()
    yield* TestClock.adjust("1 hour")
    expect(yield* tagsOf(service, "own")).toEqual(["Count", "LeaseTaken"])
  }).pipe(inJournal))

it.effect("ends a request of a dead process on this machine at once, and names its owner", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    const request = count("own")
    const dead = { ...(yield* currentHost), processStart: "long ago" }
    yield* service.append([draftRequest(Counting, request), draftOwnLease(Counting, request, dead, "lost")])
    yield* startedDaemon({ recover: () => Effect.succeed({ ended: 2 }) })
    const own = service.read({ filter: { correlationId: "own" } })
    // The machine is looked at for real: that takes its time, which no test clock gives.
    while ((yield* own).at(-1)?.tag !== "Failed") {
      yield* pause(5)
      yield* settle
    }
    const entries = yield* own
    expect(entries.map(({ tag }) => tag)).toEqual(["Count", "LeaseTaken", "LeaseTaken", "Failed"])
    expect(entries.at(2)?.body).toMatchObject({ attempt: 1 })
    expect(entries.at(-1)?.body).toMatchObject({ why: "HostLost", detail: "lost 1 2" })
  }).pipe(inJournal))

/** A request whose lease was taken by a daemon of another machine. */
const takenElsewhere = (request: ReturnType<typeof count>, attempt = 1) =>
  Effect.flatMap(Journal, (service) =>
    service.append([
      draftRequest(Counting, request),
      draftBranchEntry(Counting, request.id, {
        _tag: "LeaseTaken",
        daemonId: "far",
        host: elsewhere,
        attempt,
        leaseMillis: 15_000,
      }),
    ]))

it.effect("waits for a daemon of another machine as long as its lease lasts, and not when it shows itself", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    yield* takenElsewhere(count("far"))
    yield* startedDaemon()
    yield* TestClock.adjust("14 seconds")
    expect(yield* tagsOf(service, "far")).toEqual(["Count", "LeaseTaken"])
    yield* service.append([
      draftBranchEntry(Counting, "far", {
        _tag: "DaemonAlive",
        daemonId: "far",
        leaseMillis: 15_000,
        settledThrough: 0,
      }),
    ])
    yield* TestClock.adjust("14 seconds")
    expect((yield* tagsOf(service, "far")).filter((tag) => tag !== "DaemonAlive")).toEqual(["Count", "LeaseTaken"])
    yield* TestClock.adjust("6 seconds")
    const last = (yield* service.read({ filter: { correlationId: "far" } })).at(-1)
    // This machine cannot see the remaining processes.
    expect(last?.body).toMatchObject({ why: "HostLost", detail: "far 1 unseen" })
  }).pipe(inJournal))

it.effect("reruns a repeatable request as the next attempt", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    yield* takenElsewhere(count("far", 1, true))
    yield* startedDaemon({ name: "near" })
    yield* TestClock.adjust("20 seconds")
    const entries = yield* service.read({ filter: { correlationId: "far" } })
    expect(entries.map(({ tag }) => tag)).toEqual(["Count", "LeaseTaken", "LeaseTaken", "Counted", "Finished"])
    expect(entries.at(2)?.body).toMatchObject({ attempt: 2 })
  }).pipe(inJournal))

it.effect("ends a request after its last attempt", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    yield* takenElsewhere(count("far", 1, true), 2)
    yield* startedDaemon({ maxAttempts: 2 })
    yield* TestClock.adjust("20 seconds")
    const last = (yield* service.read({ filter: { correlationId: "far" } })).at(-1)
    expect(last?.body).toMatchObject({ why: "HostLost", detail: "far 2 unseen" })
  }).pipe(inJournal))

it.effect("does not rerun a request that was cancelled in the meantime", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    yield* takenElsewhere(count("far", 1, true))
    yield* service.append([draftBranchEntry(Counting, "far", { _tag: "CancelRequested", by: "consumer" })])
    yield* startedDaemon()
    yield* TestClock.adjust("20 seconds")
    expect((yield* service.read({ filter: { correlationId: "far" } })).at(-1)?.body).toMatchObject({ why: "HostLost" })
  }).pipe(inJournal))

it.effect("does not wait for a lease whose daemon said goodbye", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    yield* takenElsewhere(count("far"))
    yield* service.append([
      draftBranchEntry(Counting, "far-daemon", { _tag: "DaemonCompleted", daemonId: "far", settledThrough: 0 }),
    ])
    yield* startedDaemon()
    yield* settle
    expect((yield* service.read({ filter: { correlationId: "far" } })).at(-1)?.body).toMatchObject({ why: "HostLost" })
  }).pipe(inJournal))

it.effect("ends its run and appends nothing more when another daemon has its lease", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    const gate = yield* Deferred.make<void>()
    let closed = false
    yield* startedDaemon({
      handle: (request) =>
        countWhenOpen("slow", gate)(request).pipe(Stream.ensuring(Effect.sync(() => void (closed = true)))),
    })
    const client = yield* countingClient()
    const asked = yield* Effect.forkChild(ask(client, count("x")))
    yield* settle
    const [, taken] = yield* service.read({ filter: { correlationId: "x" } })
    yield* service.append([
      draftBranchEntry(Counting, "x", {
        _tag: "LeaseTaken",
        daemonId: "far",
        host: elsewhere,
        attempt: 1,
        leaseMillis: 15_000,
      }),
    ], { condition: { after: taken?.position ?? 0, noneOf: { correlationId: "x", tags: ["LeaseTaken"] } } })
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    expect(closed).toBe(true)
    expect(yield* tagsOf(service, "x")).toEqual(["Count", "LeaseTaken", "Counted", "LeaseTaken"])
    yield* service.append([{ branch: "counting", correlationId: "x", body: { _tag: "Finished", id: "x", by: "far" } }])
    expect((yield* Fiber.join(asked)).at(-1)).toMatchObject({ _tag: "Finished", by: "far" })
  }).pipe(inJournal))

it.effect("keeps its leases for as long as its answers take", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    yield* startedDaemon({ name: "slow", handle: countWhenOpen("slow", gate), maxConcurrency: 1 })
    const client = yield* countingClient()
    const asked = yield* Effect.forkChild(ask(client, count("x")))
    yield* settle
    yield* startedDaemon({ name: "other" })
    yield* TestClock.adjust("1 hour")
    expect(asked.pollUnsafe()).toBeUndefined()
    yield* Deferred.succeed(gate, undefined)
    expect((yield* Fiber.join(asked)).at(-1)).toMatchObject({ _tag: "Finished", by: "slow" })
    const service = yield* Journal
    // One sign for each third of a lease, and no sign of who has nothing to do.
    expect((yield* service.read({ filter: { tags: ["DaemonAlive"] } })).length).toBe(720)
  }).pipe(inJournal))
