import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeJournal } from "../../src/journal/makeJournal.ts"
import type { Row } from "../../src/journal/Entry.ts"
import { notes, reasonOf } from "../support/journal-contract/target.ts"
import { makeMemoryStore } from "../../src/journal/stores/memory/MemoryStore.ts"
import { verifyStore } from "../../src/journal/verifyStore.ts"
import { ReferenceStore } from "./ReferenceStore.ts"

const opened = Effect.gen(function* () {
  const store = new ReferenceStore()
  return { store, journal: yield* makeJournal(store.open()) }
})

it.live("rejects removed entries that are partly there again", () =>
  Effect.gen(function* () {
    const { journal, store } = yield* opened
    yield* journal.append(notes(20))
    const beginning = store.rows.slice(0, 4)
    yield* journal.prune({ through: 10 })
    yield* journal.verify()
    store.rows = [...beginning, ...store.rows]
    expect(yield* reasonOf(journal.verify())).toMatchObject({ _tag: "Corrupt", position: 5 })
  }))

/** Lets something happen at a read of the store. */
const atRead = (store: ReferenceStore, which: number, deed: () => void): void => {
  let reads = 0
  store.delay = Effect.suspend(() => {
    if (++reads === which) deed()
    return Effect.yieldNow
  })
}

it.live("accepts a checkpoint that is appended during the check only with its chain", () =>
  Effect.gen(function* () {
    for (const forged of [false, true]) {
      const { journal, store } = yield* opened
      yield* journal.append(notes(1_200))
      const before = store.rows
      yield* journal.prune({ through: 700 })
      const pruned = store.rows
      store.rows = before
      const last = pruned.at(-1)
      if (last === undefined) throw new Error("pruning adds a checkpoint")
      const other: Row = forged ? { ...last, time: last.time + 1 } : last
      // While the first batch of rows is read: the head and the checkpoints were looked at before.
      atRead(store, 4, () => store.rows = [...pruned.slice(0, -1), other])
      const verified = journal.verify()
      if (forged) expect(yield* reasonOf(verified)).toMatchObject({ _tag: "Corrupt", position: 1_201 })
      else expect(yield* verified).toMatchObject({ removedThrough: 700, head: { position: 1_201 } })
    }
  }))

it.live("ends during endless appends: it verifies the entries that existed at its start", () =>
  Effect.gen(function* () {
    const { journal, store } = yield* opened
    yield* journal.append(notes(1_200))
    atRead(store, 4, () => {
      const last = store.rows.at(-1)
      // What comes later need not even hold.
      if (last !== undefined) store.rows = [...store.rows, { ...last, position: last.position + 1 }]
    })
    expect(yield* journal.verify()).toMatchObject({ entries: 1_200, head: { position: 1_200 } })
    expect(yield* reasonOf(journal.verify())).toMatchObject({ _tag: "Corrupt", position: 1_201 })
  }))

it.live("records many stripped bodies in several checkpoints", () =>
  Effect.gen(function* () {
    const { journal } = yield* opened
    yield* journal.append(notes(21_000, "much"))
    yield* journal.append(notes(1, "last"))
    const report = yield* journal.prune({ correlationIds: ["much"] })
    expect(report).toMatchObject({ stripped: 21_000, checkpoints: [21_002, 21_003, 21_004] })
    expect(yield* journal.verify()).toMatchObject({ entries: 4, stripped: 21_000 })
    // Through the second of them.
    expect(yield* journal.prune({ through: 15_000 })).toMatchObject({ removed: 15_000, checkpoints: [21_005, 21_006] })
    expect(yield* journal.verify()).toMatchObject({ stripped: 6_000, removedThrough: 15_000 })
  }))

it.live("accepts two prunes, one before a batch is read and one after", () =>
  Effect.gen(function* () {
    const store = makeMemoryStore({ maxEntries: Infinity, maxBytes: Infinity })
    const journal = yield* makeJournal(store)
    yield* journal.append(Array.from({ length: 40 }, (_, n) => ({
      branch: "test",
      correlationId: `id-${n % 4}`,
      body: { _tag: "Noted", n },
    })))
    let batches = 0
    const pruned = yield* verifyStore({
      ...store,
      scan: (scan) =>
        Effect.gen(function* () {
          const first = scan.filter === undefined && ++batches === 1
          // Not known yet, it is found in the batch, so the checkpoints are read again.
          if (first) yield* journal.prune({ correlationIds: ["id-1"] })
          const rows = yield* store.scan(scan)
          // Of this one the batch still has the bodies.
          if (first) yield* journal.prune({ correlationIds: ["id-2"] })
          return rows
        }),
    })
    expect(pruned).toMatchObject({ entries: 22, stripped: 20 })
  }))

it.live("continues after a prune of all entries that existed at its start", () =>
  Effect.gen(function* () {
    for (const batch of [1, 2]) {
      const store = makeMemoryStore({ maxEntries: Infinity, maxBytes: Infinity })
      const journal = yield* makeJournal(store)
      yield* journal.append(notes(600))
      let batches = 0
      const report = yield* verifyStore({
        ...store,
        scan: (scan) =>
          Effect.gen(function* () {
            if (scan.filter === undefined && ++batches === batch) {
              yield* journal.append(notes(10))
              yield* journal.prune({ through: 605 })
            }
            return yield* store.scan(scan)
          }),
      })
      expect(report).toMatchObject({ removedThrough: 605, head: { position: 611 } })
    }
  }))
