/** A daemon with more requests than `maxOpen`: which of them end as `Throttled`, and which are left to other daemons. */
import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Journal } from "@sluice/shell/journal"
import { draftBranchEntry, draftRequest } from "../../src/branch/Branch.ts"
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
  startElsewhere,
  tagsOf,
} from "./counting.ts"

/** Appends requests, and lets the daemons look at them. */
const send = (...ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* (yield* Journal).append(ids.map((id) => draftRequest(Counting, count(id, 1))))
    yield* settle
    yield* TestClock.adjust("300 millis")
    yield* settle
  })

/** The last word of each request: who counted, why it failed, or that it is open. */
const outcomes = (...ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    return yield* Effect.forEach(ids, (correlationId) =>
      Effect.map(journal.readBackward({ filter: { correlationId }, maxEntries: 1 }), ([last]) => {
        const body = last?.body
        return body?._tag === "Finished" ? body["by"] : body?._tag === "Failed" ? body["why"] : "open"
      }))
  })

const leased = (id: string, daemonId: string) =>
  draftBranchEntry(Counting, id, { _tag: "LeaseTaken", daemonId, host: elsewhere, attempt: 1, leaseMillis: 15_000 })

it.effect("ends requests beyond maxOpen, and takes requests when a slot is free again", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    yield* startedDaemon({ maxOpen: 3, maxConcurrency: 2, handle: countWhenOpen("d", gate) })
    yield* send("1", "2", "3", "4")
    const client = yield* countingClient()
    expect(yield* ask(client, count("5"))).toEqual([{ _tag: "Failed", id: "5", why: "Throttled", detail: "2 3" }])
    expect(yield* outcomes("1", "2", "3", "4")).toEqual(["open", "open", "open", "Throttled"])
    expect(yield* tagsOf(yield* Journal, "4")).toEqual(["Count", "Failed"])
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    yield* send("6")
    expect(yield* outcomes("1", "2", "3", "6")).toEqual(["d", "d", "d", "d"])
  }).pipe(inJournal))

it.effect("ends requests beyond maxOpen that waited before the daemon began", () =>
  Effect.gen(function* () {
    const ids = Array.from({ length: 600 }, (_, index) => `r${index}`)
    yield* send(...ids)
    yield* startedDaemon({ maxOpen: 2, handle: countWhenOpen("d", yield* Deferred.make<void>()) })
    while ((yield* outcomes("r599"))[0] === "open") yield* settle
    expect(new Set(yield* outcomes(...ids.slice(2)))).toEqual(new Set(["Throttled"]))
    expect(yield* outcomes("r0", "r1")).toEqual(["open", "open"])
  }).pipe(inJournal))

it.effect("leaves a request to another daemon with a free slot, and counts requests that others do not run as its own", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    for (const name of ["a", "b"]) {
      yield* startedDaemon({ name, maxOpen: 1, maxConcurrency: 1, handle: countWhenOpen(name, gate) })
    }
    yield* send("1")
    yield* send("2")
    yield* send("3")
    yield* startedDaemon({ name: "c", maxOpen: 2, maxConcurrency: 1, handle: countWhenOpen("c", gate) })
    yield* send("4", "5", "6")
    yield* TestClock.adjust("2 seconds")
    yield* settle
    expect(yield* outcomes("1", "2", "3", "4", "5", "6")).toEqual([
      "open",
      "open",
      "Throttled",
      "open",
      "open",
      "Throttled",
    ])
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    yield* TestClock.adjust("2 seconds")
    yield* settle
    expect([...(yield* outcomes("1", "2"))].sort()).toEqual(["a", "b"])
    expect(yield* outcomes("4")).toEqual(["c"])
    expect((yield* outcomes("5"))[0]).toMatch(/^[abc]$/)
  }).pipe(inJournal))

it.effect("waits for a silent daemon elsewhere: an idle one takes waiting requests", () =>
  Effect.gen(function* () {
    const service = yield* Journal
    const gate = yield* Deferred.make<void>()
    yield* service.append([startElsewhere(1)])
    yield* startedDaemon({ maxOpen: 1, handle: countWhenOpen("d", gate) })
    // Within its lease it is seen, and has room.
    yield* send("1")
    yield* send("2")
    expect(yield* outcomes("1", "2")).toEqual(["open", "open"])
    yield* TestClock.adjust("16 seconds")
    yield* send("3")
    yield* TestClock.adjust("4 seconds")
    expect(yield* outcomes("2", "3")).toEqual(["Throttled", "open"])
    yield* service.append([leased("3", "far")])
    yield* TestClock.adjust("2 seconds")
    yield* settle
    // One was taken there, so it is not refused; when that daemon is lost, it is ended like any other.
    expect(yield* outcomes("1", "2", "3")).toEqual(["open", "Throttled", "open"])
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    yield* TestClock.adjust("21 seconds")
    yield* settle
    expect(yield* outcomes("1", "3")).toEqual(["d", "HostLost"])
  }).pipe(inJournal))

it.effect("rereads requests that it left to a daemon that does not report its load", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    yield* (yield* Journal).append([startElsewhere()])
    yield* startedDaemon({ maxOpen: 1, handle: countWhenOpen("d", gate) })
    yield* send("1", "2")
    expect(yield* outcomes("1", "2")).toEqual(["open", "open"])
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    expect(yield* outcomes("1", "2")).toEqual(["d", "d"])
  }).pipe(inJournal))

it.effect("ends nothing more while it drains", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const daemon = yield* startedDaemon({ maxOpen: 1, handle: countWhenOpen("d", gate) })
    yield* send("1")
    const drained = yield* Effect.forkChild(daemon.drain)
    yield* settle
    yield* send("2")
    expect(yield* outcomes("2")).toEqual(["open"])
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(drained)
    yield* daemon.shutdown
    expect(yield* outcomes("1", "2")).toEqual(["d", "Cancelled"])
  }).pipe(inJournal))
