import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import { JournalError, MemoryJournal } from "@sluice/shell/journal"
import { makeJournal } from "../../src/journal/makeJournal.ts"
import { eventually, pause } from "../support/eventually.ts"
import { note, notes, positionsOf, reasonOf, textsOf, upTo } from "../support/journal-contract/target.ts"
import { ReferenceStore } from "./ReferenceStore.ts"

const opened = (store = new ReferenceStore()) =>
  Effect.map(makeJournal(store.open()), (journal) => ({ journal, store }))

const failed = JournalError.because({ _tag: "Failed" }, "journal: the test wants it so")

/** A gate that a store waits at: what is within is being written. */
const gated = (store: ReferenceStore) =>
  Effect.map(Deferred.make<void>(), (gate) => {
    store.delay = Effect.andThen(Effect.yieldNow, Deferred.await(gate))
    return Effect.andThen(Effect.sync(() => store.delay = Effect.yieldNow), Deferred.succeed(gate, undefined))
  })

it.live("commits concurrent appends in one transaction, and later arrivals in the next", () =>
  Effect.gen(function* () {
    const { journal, store } = yield* opened()
    const open = yield* gated(store)
    const first = yield* Effect.forkChild(journal.append(notes(2)))
    yield* eventually("it is being written", () => store.begun === 1)
    const others = yield* Effect.forEach(
      upTo(100),
      () => Effect.forkChild(journal.append(notes(3)), { startImmediately: true }),
    )
    yield* open
    yield* Fiber.join(first)
    yield* Fiber.joinAll(others)
    expect(store.commits).toEqual([2, 300])
  }))

it.live("commits a group with the highest durability that one of its appends requires", () =>
  Effect.gen(function* () {
    const { journal, store } = yield* opened()
    const levels = ["memory", "os", "disk"] as const
    for (const some of [levels, levels.slice(0, 2), levels.slice(0, 1), levels.toReversed()]) {
      yield* Effect.forEach(some, (durability) => journal.append(notes(1), { durability }), {
        concurrency: "unbounded",
      })
    }
    yield* journal.append(notes(1))
    expect(store.durabilities).toEqual(["disk", "os", "memory", "disk", "os"])
  }))

it.live("limits a transaction to about a megabyte, but never splits an append", () =>
  Effect.gen(function* () {
    const { journal, store } = yield* opened()
    const large = (count: number) => upTo(count).map(() => note("n", "x".repeat(100_000)))
    yield* Effect.forEach(upTo(25), () => journal.append(large(1)), { concurrency: "unbounded" })
    expect(store.commits).toEqual([10, 10, 5])
    yield* journal.append(large(15))
    expect(store.commits.at(-1)).toBe(15)
  }))

it.live("fails each append of a group whose transaction fails, and commits the next group", () =>
  Effect.gen(function* () {
    const { journal, store } = yield* opened()
    store.nextFate = Exit.fail(failed)
    const reasons = yield* Effect.forEach(upTo(10), () => reasonOf(journal.append(notes(1))), {
      concurrency: "unbounded",
    })
    expect(reasons).toEqual(upTo(10).map(() => failed.reason))
    expect(yield* journal.append(notes(2))).toEqual([1, 2])
    yield* journal.verify()
  }))

it.live("continues after a defect of the store", () =>
  Effect.gen(function* () {
    const { journal, store } = yield* opened()
    for (const fate of [Exit.die(new Error("broken")), Exit.interrupt(7)]) {
      store.nextFate = fate
      const exits = yield* Effect.forEach(
        upTo(3),
        () => Effect.flatMap(Effect.forkChild(journal.append(notes(1))), Fiber.await),
        { concurrency: "unbounded" },
      )
      expect(exits.map(Exit.isFailure)).toEqual([true, true, true])
      store.nextFate = fate
      expect(Exit.isFailure(yield* Effect.exit(journal.prune({ keepEntries: 1 })))).toBe(true)
      expect(yield* journal.append(notes(1))).toHaveLength(1)
    }
    expect((yield* journal.head).position).toBe(2)
  }))

it.live("fails only the append of a group that does not fit", () =>
  Effect.gen(function* () {
    const { journal, store } = yield* opened()
    const full = JournalError.because({ _tag: "Full" }, "journal: the test wants it so")
    store.refuse = (row) => row.correlationId === "large" ? full : undefined
    const exits = yield* Effect.forEach(
      upTo(9),
      (n) => Effect.exit(journal.append([note("small", String(n)), note(n % 3 === 0 ? "large" : "small", String(n))])),
      { concurrency: "unbounded" },
    )
    expect(exits.map(Exit.isSuccess)).toEqual(upTo(9).map((n) => n % 3 !== 0))
    expect(textsOf(yield* journal.read())).toEqual([1, 2, 4, 5, 7, 8].flatMap((n) => [String(n), String(n)]))
    yield* journal.verify()
  }))

it.live("removes a queued append that is interrupted, and waits for one that is being written", () =>
  Effect.gen(function* () {
    const { journal, store } = yield* opened()
    const open = yield* gated(store)
    const writing = yield* Effect.forkChild(journal.append([note("written")]))
    yield* eventually("it is being written", () => store.begun === 1)
    const waiting = yield* Effect.forkChild(journal.append([note("taken back")]), { startImmediately: true })
    const pruning = yield* Effect.forkChild(journal.prune({ through: 1 }), { startImmediately: true })
    yield* Fiber.interrupt(waiting)
    yield* Fiber.interrupt(pruning)
    let over = false
    const interrupting = yield* Effect.forkChild(Effect.map(Fiber.interrupt(writing), () => over = true))
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
    const before = over
    yield* open
    expect(before).toBe(false)
    yield* Fiber.join(interrupting)
    expect(store.rows.map((row) => row.correlationId)).toEqual(["written"])
    expect(yield* journal.append([note("next")])).toEqual([2])
  }))

/** The fewest operations between two yields with which a fiber still gets on. */
const finest = 3

/** However finely the scheduler cuts, and wherever the cut is: the journal is never left as if it were busy. */
for (const name of ["a synchronous store", "a slow store"]) {
  it.live(`survives an interruption at every step of an append: ${name}`, () =>
    Effect.gen(function* () {
      const journal = name === "a slow store" ? (yield* opened()).journal : yield* MemoryJournal.make()
      const kept: Array<boolean> = []
      for (const steps of upTo(120, 0)) {
        const fiber = yield* journal.append([note(`id-${steps}`, "1"), note(`id-${steps}`, "2")]).pipe(
          Effect.provideService(Scheduler.MaxOpsBeforeYield, finest),
          Effect.forkChild,
        )
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        const entries = yield* journal.read({ filter: { correlationId: `id-${steps}` } })
        expect(textsOf(entries)).toEqual(entries.length === 0 ? [] : ["1", "2"])
        kept.push(entries.length > 0)
        // Not waiting for ever is the point.
        expect(yield* journal.append([note("next")])).toHaveLength(1)
      }
      expect(new Set(kept)).toEqual(new Set([false, true]))
      yield* journal.verify()
    }))

  it.live(`can be closed at every step of an append: ${name}`, () =>
    Effect.gen(function* () {
      const outcomes = new Set<string>()
      for (const steps of upTo(60, 0)) {
        const scope = yield* Scope.make()
        const store = new ReferenceStore()
        const journal = yield* Scope.provide(
          name === "a slow store" ? makeJournal(store.open()) : MemoryJournal.make(),
          scope,
        )
        const fibers = yield* Effect.forEach(upTo(3), (n) =>
          journal.append(notes(n)).pipe(
            Effect.andThen(journal.append(notes(n))),
            Effect.provideService(Scheduler.MaxOpsBeforeYield, finest + n),
            Effect.forkChild,
          ))
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Scope.close(scope, Exit.void)
        const rows = store.rows.length
        for (const fiber of fibers) {
          const exit = yield* Fiber.await(fiber)
          if (Exit.isFailure(exit)) expect((yield* Effect.flip(exit)).reason).toEqual({ _tag: "Closed" })
          outcomes.add(exit._tag)
        }
        // What is over is over.
        expect(store.rows.length).toBe(rows)
      }
      expect(outcomes).toEqual(new Set(["Failure", "Success"]))
    }))
}

it.live("runs a prune between endless appends, and the appends after it", () =>
  Effect.gen(function* () {
    const { journal, store } = yield* opened()
    const counts = upTo(10).map(() => 0)
    yield* Effect.forEach(counts, (_, who) =>
      Effect.forkChild(
        Effect.forever(
          Effect.tap(journal.append(notes(1)), () => Effect.sync(() => counts[who] = (counts[who] ?? 0) + 1)),
        ),
      ))
    yield* eventually("entries are there", () => store.rows.length > 50)
    for (const _ of upTo(5)) expect((yield* journal.prune({ keepEntries: 20 })).removed).toBeGreaterThan(0)
    yield* eventually("each has appended", () => counts.every((count) => count > 10))
    const least = Math.min(...counts)
    expect(Math.max(...counts) - least).toBeLessThanOrEqual(1)
  }))

it.live("closes during endless appends", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const journal = yield* Scope.provide(makeJournal(new ReferenceStore().open()), scope)
    const fibers = yield* Effect.forEach(
      upTo(5),
      () => Effect.forkChild(reasonOf(Effect.forever(journal.append(notes(1))))),
    )
    yield* pause(5)
    yield* Scope.close(scope, Exit.void)
    expect(yield* Fiber.joinAll(fibers)).toEqual(upTo(5).map(() => ({ _tag: "Closed" })))
  }))

it.live("watches for other processes once for all tails, and only while there is one", () =>
  Effect.gen(function* () {
    const { journal, store } = yield* opened()
    expect(store.watchers.size).toBe(0)
    const fibers = yield* Effect.forEach(upTo(3), () =>
      Effect.forkChild(journal.waitFor({ filter: { tags: ["Never"] } })))
    yield* eventually("it is watched", () =>
      store.watchers.size === 1)
    for (const fiber of fibers) {
      expect(store.watchers.size).toBe(1)
      yield* Fiber.interrupt(fiber)
    }
    expect(store.watchers.size).toBe(0)
    yield* journal.append(notes(1))
    expect(positionsOf([yield* journal.waitFor({})])).toEqual([1])
    expect(store.watchers.size).toBe(0)
  }))
