/** An entry that looks like a lease and cannot be read is none: it neither blocks a request nor takes its lease away. */
import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { type Draft, Journal } from "@sluice/shell/journal"
import {
  currentHost,
  draftBranchEntry,
  draftOwnLease,
  draftRequest,
  type HostIdentity,
} from "../../src/branch/Branch.ts"
import { endLostRequests } from "../../src/branch/endLostRequests.ts"
import { newestLease } from "../../src/branch/newestLease.ts"
import {
  ask,
  count,
  Counting,
  countingClient,
  countWhenOpen,
  elsewhere,
  inJournal,
  settle,
  startedDaemon,
  tagsOf,
} from "./counting.ts"

const unreadable = (id: string): Draft => ({
  branch: "counting",
  correlationId: id,
  version: 9,
  body: { _tag: "LeaseTaken", attempt: "first", daemonId: { name: "new" }, leaseMillis: -1 },
})

const leaseOf = (id: string, daemonId: string, host: HostIdentity = elsewhere) =>
  draftBranchEntry(Counting, id, { _tag: "LeaseTaken", daemonId, host, attempt: 1, leaseMillis: 15_000 })

it.effect("a daemon runs a request that has nothing else, whether it came before the daemon or after", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const one = unreadable("early")
    yield* journal.append([draftRequest(Counting, count("early", 1)), one, one])
    yield* startedDaemon({ name: "d" })
    yield* settle
    expect(yield* tagsOf(journal, "early")).toEqual([
      "Count",
      "LeaseTaken",
      "LeaseTaken",
      "LeaseTaken",
      "Counted",
      "Finished",
    ])
    yield* journal.append([draftRequest(Counting, count("late", 1)), unreadable("late")])
    yield* settle
    expect((yield* tagsOf(journal, "late")).at(-1)).toBe("Finished")
  }).pipe(inJournal))

it.effect("a daemon keeps the lease that it has, and ends its run itself", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const gate = yield* Deferred.make<void>()
    let runs = 0
    for (const name of ["one", "two"]) {
      yield* startedDaemon({
        name,
        handle: (request) => {
          runs++
          return countWhenOpen(name, gate)(request)
        },
      })
    }
    const asked = yield* Effect.forkChild(ask(yield* countingClient(), count("x", 2)))
    yield* settle
    for (let times = 0; times < 100; times++) yield* journal.append([unreadable("x")])
    yield* settle
    yield* TestClock.adjust("10 minutes")
    yield* Deferred.succeed(gate, undefined)
    expect((yield* Fiber.join(asked)).map(({ _tag }) => _tag)).toEqual(["Counted", "Counted", "Counted", "Finished"])
    expect(runs).toBe(1)
  }).pipe(inJournal))

it.effect("a daemon takes over from a lost daemon, as if the lease were not there, and from no live one", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const host = yield* currentHost
    yield* journal.append([draftRequest(Counting, count("lost")), leaseOf("lost", "far"), unreadable("lost")])
    const own = count("own")
    yield* journal.append([draftRequest(Counting, own), draftOwnLease(Counting, own, host), unreadable("own")])
    yield* startedDaemon()
    yield* settle
    expect(yield* tagsOf(journal, "lost")).toEqual(["Count", "LeaseTaken", "LeaseTaken"])
    yield* TestClock.adjust("1 minute")
    yield* settle
    expect((yield* journal.read({ filter: { correlationId: "lost" } })).at(-1)?.body).toMatchObject({ why: "HostLost" })
    expect(yield* tagsOf(journal, "own")).toEqual(["Count", "LeaseTaken", "LeaseTaken"])
  }).pipe(inJournal))

it.effect("a client ends a request that no daemon takes, and one whose daemon is lost", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const client = yield* countingClient()
    const alone = yield* Effect.forkChild(ask(client, count("alone")))
    const lost = yield* Effect.forkChild(ask(client, count("lost")))
    yield* settle
    yield* journal.append([unreadable("alone"), leaseOf("lost", "far"), unreadable("lost")])
    yield* settle
    yield* TestClock.adjust("5 minutes")
    expect((yield* Fiber.join(alone)).at(-1)).toMatchObject({ why: "NotTaken" })
    expect((yield* Fiber.join(lost)).at(-1)).toMatchObject({ why: "HostLost" })
  }).pipe(inJournal))

it.effect("a client can withdraw a request", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const asked = yield* Effect.forkChild(Stream.runDrain((yield* countingClient()).request(count("x"))))
    yield* settle
    yield* journal.append([unreadable("x")])
    yield* settle
    yield* Fiber.interrupt(asked)
    expect((yield* journal.read({ filter: { correlationId: "x" } })).at(-1)?.body).toMatchObject({ why: "Cancelled" })
  }).pipe(inJournal))

it.effect("requests of a dead process are ended", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    yield* journal.append([draftRequest(Counting, count("x")), leaseOf("x", "far"), unreadable("x")])
    const ended = yield* endLostRequests(journal, Counting, {
      after: 0,
      isMeant: () => true,
      makeLastEvent: ({ id }, { daemonId }) => Effect.succeed({ _tag: "Finished" as const, id, by: daemonId }),
    })
    expect(ended).toBe(1)
    expect((yield* journal.read()).at(-1)?.body).toMatchObject({ _tag: "Finished", by: "far" })
  }).pipe(inJournal))

it.effect("the newest lease is found below any number of them, and only between the positions", () =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const find = (after: number, before?: number) => newestLease(journal, Counting, "x", { after, before })
    yield* journal.append([draftRequest(Counting, count("x")), leaseOf("x", "a"), leaseOf("x", "b")])
    yield* journal.append(Array.from({ length: 40 }, () => unreadable("x")))
    expect(yield* find(1)).toMatchObject({ position: 3, newest: 43, taken: { daemonId: "b" } })
    expect(yield* find(1, 3)).toMatchObject({ position: 2, newest: 2, taken: { daemonId: "a" } })
    expect(yield* find(3)).toBeUndefined()
    expect(yield* newestLease(journal, Counting, "y", {})).toBeUndefined()
  }).pipe(inJournal))
