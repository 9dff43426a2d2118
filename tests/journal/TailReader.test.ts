import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { JournalError } from "@sluice/shell/journal"
import { makeJournal } from "../../src/journal/makeJournal.ts"
import { eventually } from "../support/eventually.ts"
import { notes, positionsOf, reasonOf, tailed, upTo } from "../support/journal-contract/target.ts"
import { ReferenceStore } from "./ReferenceStore.ts"

/** Two processes on one place. */
const two = Effect.gen(function* () {
  const store = new ReferenceStore()
  const journal = yield* makeJournal(store.open())
  const other = yield* makeJournal(store.open())
  return { store, journal, other }
})

/** What others do in it is heard of only afterwards. */
const unheard = <A, E, R>(store: ReferenceStore, deed: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const watchers = [...store.watchers]
    store.watchers.clear()
    const answer = yield* deed
    for (const wake of watchers) store.watchers.add(wake)
    for (const wake of watchers) wake()
    return answer
  })

const watched = (store: ReferenceStore) => eventually("it is watched", () => store.watchers.size > 0)

it.live("delivers everything since it started on an empty journal, or fails with Pruned", () =>
  Effect.gen(function* () {
    const { journal, other, store } = yield* two
    for (const filter of [undefined, { correlationId: "n" }]) {
      const before = yield* journal.head
      const fiber = yield* Effect.forkChild(reasonOf(tailed(journal, 1, { after: before.position, filter })))
      yield* watched(store)
      for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      yield* unheard(store, Effect.andThen(other.append(notes(10)), other.prune({ through: before.position + 5 })))
      expect(yield* Fiber.join(fiber)).toEqual({ _tag: "Pruned", through: before.position + 5 })
    }
  }))

it.live("wakes all tails when one of them finds entries of another process", () =>
  Effect.gen(function* () {
    const { journal, other, store } = yield* two
    for (const round of upTo(20)) {
      const after = (yield* journal.head).position
      const fibers = yield* Effect.forEach(upTo(7), () => Effect.forkChild(tailed(journal, 2, { after })))
      yield* watched(store)
      for (let turn = 0; turn < round; turn++) yield* Effect.yieldNow
      yield* unheard(store, other.append(notes(1)))
      for (let turn = 0; turn < round; turn++) yield* Effect.yieldNow
      yield* unheard(store, other.append(notes(1)))
      for (const fiber of fibers) expect(positionsOf(yield* Fiber.join(fiber))).toEqual([after + 1, after + 2])
    }
  }))

it.live("reads again when it is woken during a read", () =>
  Effect.gen(function* () {
    const { journal, other, store } = yield* two
    const fiber = yield* Effect.forkChild(tailed(journal, 1))
    yield* watched(store)
    const gate = yield* Deferred.make<void>()
    // It has read that there is nothing, and is held up before it can say so.
    store.delay = Deferred.await(gate)
    for (const wake of store.watchers) wake()
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
    store.delay = Effect.void
    yield* other.append(notes(1))
    yield* Deferred.succeed(gate, undefined)
    expect(positionsOf(yield* Fiber.join(fiber))).toEqual([1])
  }))

it.live("fails each tail while the store fails, and works again afterwards", () =>
  Effect.gen(function* () {
    const { journal, other, store } = yield* two
    const down = JournalError.because({ _tag: "Unavailable" }, "journal: the test wants it so")
    const fibers = yield* Effect.forEach(upTo(5), () => Effect.forkChild(reasonOf(tailed(journal, 3))))
    yield* watched(store)
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
    store.failReads = down
    yield* other.append(notes(1))
    expect(yield* Fiber.joinAll(fibers)).toEqual(upTo(5).map(() => down.reason))
    expect(store.watchers.size).toBe(0)
    // No tail can start either.
    expect(yield* reasonOf(tailed(journal, 1))).toEqual(down.reason)
    expect(yield* reasonOf(journal.read())).toEqual(down.reason)
    store.failReads = undefined
    expect(positionsOf(yield* tailed(journal, 1))).toEqual([1])
    expect(store.watchers.size).toBe(0)
  }))

it.live("continues after the interruption of a read on which other tails relied", () =>
  Effect.gen(function* () {
    const { journal, other, store } = yield* two
    for (const turns of upTo(30, 0)) {
      const after = (yield* journal.head).position
      const fibers = yield* Effect.forEach(upTo(4), () => Effect.forkChild(tailed(journal, 1, { after })))
      yield* watched(store)
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
      yield* other.append(notes(1))
      for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
      const [first, ...rest] = fibers
      if (first !== undefined) yield* Fiber.interrupt(first)
      for (const fiber of rest) expect(positionsOf(yield* Fiber.join(fiber))).toEqual([after + 1])
    }
  }))

it.live("fails with the position of a missing entry instead of skipping it", () =>
  Effect.gen(function* () {
    const { journal, store } = yield* two
    yield* journal.append(notes(20))
    yield* store.tamper.remove(8)
    expect(yield* reasonOf(tailed(journal, 20))).toMatchObject({ _tag: "Corrupt", position: 8 })
    expect(yield* reasonOf(tailed(journal, 20, { after: 7 }))).toMatchObject({ _tag: "Corrupt", position: 8 })
    expect(positionsOf(yield* tailed(journal, 12, { after: 8 }))).toEqual(upTo(20, 9))
    yield* store.tamper.change(15, { body: "{" })
    expect(yield* reasonOf(tailed(journal, 12, { after: 8 }))).toMatchObject({ _tag: "Corrupt", position: 15 })
  }))

it.live("delivers entries of this process and of others in order", () =>
  Effect.gen(function* () {
    const { journal, other } = yield* two
    const every = yield* Effect.forkChild(tailed(journal, 400))
    const own = yield* journal.tail({ filter: { correlationId: "own" } }).pipe(
      Stream.take(200),
      Stream.runCollect,
      Effect.forkChild,
    )
    for (const round of upTo(100)) {
      yield* Effect.all([journal.append(notes(2, "own")), other.append(notes(2, "other"))], {
        concurrency: round % 2 === 0 ? 1 : "unbounded",
      })
    }
    expect(positionsOf(yield* Fiber.join(every))).toEqual(upTo(400))
    const wanted = yield* journal.read({ filter: { correlationId: "own" } })
    expect(yield* Fiber.join(own)).toEqual(wanted)
  }))

it.live("delivers entries of this process as the store returns them", () =>
  Effect.gen(function* () {
    const { journal } = yield* two
    const fiber = yield* Effect.forkChild(tailed(journal, 3))
    yield* Effect.yieldNow
    yield* journal.append([
      { branch: "b", correlationId: "c", version: 3, body: { _tag: "T", text: "é\ud83d\0", n: -0 } },
      ...notes(2),
    ])
    const seen = yield* Fiber.join(fiber)
    expect(seen).toEqual(yield* journal.read())
    expect(Exit.isSuccess(yield* Effect.exit(journal.verify()))).toBe(true)
  }))

it.live("finds entries that others appended while it had neither tail nor watch", () =>
  Effect.gen(function* () {
    const { journal, other } = yield* two
    yield* journal.append(notes(1))
    yield* tailed(journal, 1, { after: 0 })
    yield* other.append(notes(1))
    expect(positionsOf(yield* tailed(journal, 1, { after: 1 }))).toEqual([2])
  }))
