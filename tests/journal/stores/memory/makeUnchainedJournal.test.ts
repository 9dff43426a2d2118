import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type JournalService, MemoryJournal } from "@sluice/shell/journal"
import { noHash } from "../../../../src/journal/Entry.ts"
import { everything, note, notes, positionsOf, reasonOf, upTo } from "../../../support/journal-contract/target.ts"
import { journalContract } from "../../../support/journalContract.ts"

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
      const [said] = yield* journal.readBackward({ filter: { tags: ["Checkpoint"] }, limit: 1 })
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
