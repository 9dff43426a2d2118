import { describe, expect, it } from "@effect/vitest"
import { type JournalService, MemoryJournal, type Position } from "@sluice/shell/journal"
import * as Effect from "effect/Effect"
import { noHash, type Row } from "../../../../src/journal/Entry.ts"
import { makeJournal } from "../../../../src/journal/makeJournal.ts"
import { makeMemoryStore } from "../../../../src/journal/stores/memory/MemoryStore.ts"
import {
  appendEach,
  everything,
  note,
  notes,
  positionsOf,
  reasonOf,
  upTo,
} from "../../../support/journal-contract/target.ts"
import { journalContract, type JournalTarget } from "../../../support/journalContract.ts"

journalContract("memory", {
  place: Effect.sync(() => ({ open: () => MemoryJournal.make() })),
  can: { durable: false, processes: false, durabilities: ["memory"] },
})

/** A memory store that a test keeps: what is made of it again is the same journal, as of a file. */
const kept: JournalTarget["place"] = Effect.sync(() => {
  const empty = () => makeMemoryStore({ maxBytes: Infinity, maxEntries: Infinity })
  let store = empty()
  const rewrite = (change: (rows: ReadonlyArray<Row>) => ReadonlyArray<Row>) =>
    Effect.gen(function* () {
      const rows = change(yield* store.scan({ maxRows: Infinity }))
      store = empty()
      yield* store.transact("memory", (transaction) => transaction.insert(rows))
    })
  const at = (rows: ReadonlyArray<Row>, position: Position): Row | undefined =>
    rows.find((row) => row.position === position)
  return {
    open: (options) => Effect.suspend(() => makeJournal(store, options)),
    tamper: {
      change: (position, fields) =>
        rewrite((rows) => rows.map((row) => row.position === position ? { ...row, ...fields } : row)),
      remove: (position) => rewrite((rows) => rows.filter((row) => row.position !== position)),
      swap: (one, other) =>
        rewrite((rows) =>
          rows.map((row) => {
            const stranger = row.position === one ? at(rows, other) : row.position === other ? at(rows, one) : undefined
            return stranger === undefined ? row : { ...stranger, position: row.position }
          })
        ),
    },
  }
})

journalContract("a memory store that is opened again", {
  place: kept,
  can: { durable: true, processes: false, durabilities: ["memory"] },
})

it.live("fails with Invalid for a bound that is not above 0", () =>
  Effect.gen(function* () {
    for (const [field, bound] of [["maxEntries", 0], ["maxBytes", NaN], ["maxEntries", -1]] as const) {
      expect(yield* reasonOf(MemoryJournal.make({ [field]: bound }))).toEqual({ _tag: "Invalid", field })
    }
  }))

describe("a memory journal that is full", () => {
  it.live("prunes the oldest quarter with a checkpoint, and verifies", () =>
    Effect.gen(function* () {
      const journal = yield* MemoryJournal.make({ maxEntries: 100 })
      for (const n of upTo(1_000)) {
        const [position] = yield* journal.append([note("n", String(n))])
        const { entries, first } = yield* journal.stats
        expect(entries).toBeLessThanOrEqual(100)
        expect(first + entries - 1).toBe(position)
      }
      const report = yield* journal.verify()
      expect(report.entries).toBeGreaterThanOrEqual(70)
      expect(report.removedThrough).toBe(report.head.position - report.entries)
      const checkpoints = yield* journal.read({ filter: { tags: ["Checkpoint"] } })
      expect(checkpoints.at(-1)?.body).toMatchObject({ kind: "removed", why: "the journal was full" })
      // Each append had its own place, and those that are left are the newest.
      const texts = (yield* everything(journal)).flatMap(({ body }) => body?._tag === "Noted" ? [body["text"]] : [])
      expect(texts).toEqual(upTo(1_000, 1_001 - texts.length).map(String))
    }))

  it.live("keeps within its bytes for any mix of sizes", () =>
    Effect.gen(function* () {
      const maxBytes = 200_000
      const journal = yield* MemoryJournal.make({ maxBytes })
      for (const n of upTo(300)) {
        yield* journal.append([note("n", "x".repeat(n % 25 === 0 ? 60_000 : n % 7 === 0 ? 5_000 : 1))])
        expect((yield* journal.stats).bytes).toBeLessThanOrEqual(maxBytes)
      }
      yield* journal.verify()
    }))

  it.live("prunes nothing for an append that does not fit into an empty journal", () =>
    Effect.gen(function* () {
      const journal = yield* MemoryJournal.make({ maxBytes: 100_000, maxEntries: 50 })
      yield* appendEach(journal, notes(40))
      const before = yield* everything(journal)
      const { bytes } = yield* journal.stats
      expect(yield* reasonOf(journal.append([note("n", "x".repeat(60_000))]))).toEqual({ _tag: "Full" })
      expect(yield* reasonOf(journal.append(notes(51)))).toEqual({ _tag: "Full" })
      expect(yield* everything(journal)).toEqual(before)
      expect((yield* journal.stats).bytes).toBe(bytes)
      expect(yield* journal.read({ filter: { correlationId: "n" } })).toHaveLength(40)
      yield* journal.verify()
    }))

  it.live("fails with Full if configured so, and continues when there is space again", () =>
    Effect.gen(function* () {
      const journal = yield* MemoryJournal.make({ maxEntries: 10, whenFull: "fail" })
      yield* journal.append(notes(9))
      expect(yield* reasonOf(journal.append(notes(2)))).toEqual({ _tag: "Full" })
      expect(yield* journal.append(notes(1))).toEqual([10])
      const error = yield* Effect.flip(journal.append(notes(1)))
      expect(error.message).toMatch(/^journal: nothing was appended: .* 10 entries \(at most 10\)/)
      yield* journal.prune({ through: 5 })
      expect(yield* journal.append(notes(4))).toEqual([12, 13, 14, 15])
      expect(positionsOf(yield* everything(journal))).toEqual(upTo(15, 6))
      yield* journal.verify()
    }))
})

/** Without hashes `verify` has nothing to say: here it looks whether there is a gap, and counts what the contract asks. */
const counted = (journal: JournalService): JournalService => ({
  ...journal,
  verify: () =>
    Effect.gen(function* () {
      const entries = yield* everything(journal)
      const { first, head } = yield* journal.stats
      expect(positionsOf(entries)).toEqual(first === 0 ? [] : upTo(head.position, first))
      const stripped = entries.filter(({ body }) => body === undefined).length
      return {
        entries: entries.length - stripped,
        stripped,
        removedThrough: Math.max(0, first - 1),
        head,
        expected: "none" as const,
      }
    }),
})

journalContract("an unchained memory journal", {
  place: Effect.sync(() => ({
    open: () => Effect.map(MemoryJournal.make({ chained: false, maxEntries: Infinity, maxBytes: Infinity }), counted),
  })),
  can: { durable: false, processes: false, durabilities: ["memory"], chained: false },
})

describe("an unchained memory journal by itself", () => {
  it.live("has no hashes, and fails to verify with Invalid", () =>
    Effect.gen(function* () {
      const journal = yield* MemoryJournal.make({ chained: false })
      yield* journal.append(notes(3))
      expect((yield* everything(journal)).map(({ hash }) => hash)).toEqual([noHash, noHash, noHash])
      const error = yield* Effect.flip(journal.verify())
      expect(error.reason).toEqual({ _tag: "Invalid", field: "chained" })
      expect(error.message).toBe("journal: nothing was verified: this journal keeps no hashes (chained: false)")
    }))

  it.live("prunes the oldest entries with a checkpoint when it is full, and nothing else", () =>
    Effect.gen(function* () {
      const journal = yield* MemoryJournal.make({ chained: false, maxEntries: 100 })
      for (const n of upTo(1_000)) {
        const [position] = yield* journal.append([note("n", String(n))])
        const { entries, first } = yield* journal.stats
        expect(entries).toBeLessThanOrEqual(100)
        expect(first + entries - 1).toBe(position)
      }
      const all = yield* everything(journal)
      const texts = all.flatMap(({ body }) => body?._tag === "Noted" ? [body["text"]] : [])
      expect(texts).toEqual(upTo(1_000, 1_001 - texts.length).map(String))
      expect(texts.length).toBeGreaterThanOrEqual(70)
      const [said] = yield* journal.readBackward({ filter: { tags: ["Checkpoint"] }, maxEntries: 1 })
      expect(said?.body).toMatchObject({ kind: "removed", why: "the journal was full" })
    }))

  it.live("keeps within its bytes for any mix of sizes", () =>
    Effect.gen(function* () {
      const maxBytes = 200_000
      const journal = yield* MemoryJournal.make({ chained: false, maxBytes })
      for (const n of upTo(300)) {
        yield* journal.append([note("n", "x".repeat(n % 25 === 0 ? 60_000 : n % 7 === 0 ? 5_000 : 1))])
        expect((yield* journal.stats).bytes).toBeLessThanOrEqual(maxBytes)
      }
    }))

  it.live("prunes nothing for an append that does not fit into an empty journal, nor with whenFull: fail", () =>
    Effect.gen(function* () {
      const journal = yield* MemoryJournal.make({ chained: false, maxBytes: 100_000, maxEntries: 50 })
      yield* journal.append(notes(40))
      const before = yield* everything(journal)
      expect(yield* reasonOf(journal.append([note("n", "x".repeat(60_000))]))).toEqual({ _tag: "Full" })
      expect(yield* reasonOf(journal.append(notes(51)))).toEqual({ _tag: "Full" })
      expect(yield* everything(journal)).toEqual(before)
      const failing = yield* MemoryJournal.make({ chained: false, maxEntries: 10, whenFull: "fail" })
      yield* failing.append(notes(9))
      expect(yield* reasonOf(failing.append(notes(2)))).toEqual({ _tag: "Full" })
      expect(yield* failing.append(notes(1))).toEqual([10])
    }))
})
