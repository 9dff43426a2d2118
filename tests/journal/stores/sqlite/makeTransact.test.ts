import { expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { JournalError } from "@sluice/shell/journal"
import type { StoreTransaction } from "../../../../src/journal/JournalStore.ts"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { SqliteWriter } from "../../../../src/journal/stores/sqlite/SqliteWriter.ts"
import { add, all, connection, fresh, positionsOf, query, reasonOf, rowsAfter } from "./support.ts"

const no = JournalError.because({ _tag: "Failed" }, "journal: the test said no")

it.live("runs synchronously while no other connection writes", () =>
  Effect.gen(function* () {
    const { store } = yield* fresh()
    // `runSync` fails when a fiber suspends.
    for (const level of ["memory", "os", "disk"] as const) Effect.runSync(add(store, 3, level))
    expect(Effect.runSync(store.head).position).toBe(9)
    expect(positionsOf(Effect.runSync(store.scan({ maxRows: 2, order: "backward" })))).toEqual([9, 8])
  }))

it.live("rolls back when it fails, dies or is interrupted, and stays usable", () =>
  Effect.gen(function* () {
    const { store } = yield* fresh()
    yield* add(store, 1)
    const ends: ReadonlyArray<Effect.Effect<never, JournalError>> = [
      Effect.fail(no),
      Effect.die("no"),
      Effect.interrupt,
    ]
    for (const end of ends) {
      const exit = yield* Effect.exit(store.transact("os", (transaction) => {
        const rows = rowsAfter(transaction.head, 100, { correlationId: "never", tag: "Never" })
        return Effect.andThen(transaction.insert(rows), end)
      }))
      expect(Exit.isFailure(exit)).toBe(true)
      expect((yield* store.head).position).toBe(1)
    }
    const thrown = yield* Effect.exit(store.transact("os", () => {
      throw new Error("no")
    }))
    expect(Exit.isFailure(thrown) && Cause.hasDies(thrown.cause)).toBe(true)
    yield* add(store, 1)
    expect(positionsOf(yield* all(store))).toEqual([1, 2])
  }))

it.live("forgets the rows that were rolled back", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    const other = yield* SqliteJournal.openStore({ path: file })
    const name = (n: number) => ({ correlationId: `c${n}`, tag: `T${n}` })
    yield* add(store, 1, "os", name(0))
    const refused = yield* Effect.flip(store.transact("os", (transaction) =>
      Effect.gen(function* () {
        yield* transaction.insert(rowsAfter(transaction.head, 5, name(1)))
        // Read within the transaction: positions that another store will assign.
        expect((yield* transaction.scan({ filter: { tags: ["T1"] }, maxRows: 9 })).map((row) => row.correlationId))
          .toEqual(["c1", "c1", "c1", "c1", "c1"])
        return yield* Effect.fail(no)
      })))
    expect(refused).toBe(no)
    // Another store appends other rows at the same positions.
    yield* add(other, 1, "os", name(2))
    expect((yield* all(store)).map(({ correlationId, tag }) => [correlationId, tag])).toEqual([["c0", "T0"], [
      "c2",
      "T2",
    ]])
    yield* add(store, 1, "os", name(1))
    for (const each of [store, other]) {
      expect((yield* all(each)).map(({ correlationId, tag }) => [correlationId, tag])).toEqual([
        ["c0", "T0"],
        ["c2", "T2"],
        ["c1", "T1"],
      ])
      expect(positionsOf(yield* each.scan({ filter: { correlationId: "c1", tags: ["T1"] }, maxRows: 9 }))).toEqual([3])
    }
  }))

it.live("finds appended entries after another process has deleted the marked rows", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 40, "os", { correlationId: "gone" })
    yield* add(store, 1, "os", { correlationId: "stays" })
    yield* Effect.scoped(Effect.gen(function* () {
      const other = yield* SqliteJournal.openStore({ path: file })
      yield* other.transact("os", (transaction) => transaction.removeThrough(40))
      // Closing finishes the deletion.
    }))
    expect(query(file, "SELECT correlation_id FROM entries")).toEqual(["stays"])
    yield* add(store, 2, "os", { correlationId: "gone" })
    expect((yield* all(store)).map((row) => row.correlationId)).toEqual(["stays", "gone", "gone"])
    expect(positionsOf(yield* store.scan({ filter: { correlationId: "gone" }, maxRows: 9 }))).toEqual([42, 43])
  }))

it.live("fails as a whole when one step failed, even if the error is handled", () =>
  Effect.gen(function* () {
    const { store } = yield* fresh()
    yield* add(store, 2)
    const twice = (transaction: StoreTransaction) =>
      transaction.insert(rowsAfter({ ...transaction.head, position: 0 }, 1))
    const gap = (transaction: StoreTransaction) =>
      transaction.insert(rowsAfter({ ...transaction.head, position: 4 }, 1))
    for (const wrong of [twice, gap]) {
      const reason = yield* reasonOf(store.transact("os", (transaction) =>
        Effect.gen(function* () {
          yield* transaction.insert(rowsAfter(transaction.head, 1))
          yield* Effect.ignore(wrong(transaction))
          expect(Exit.isFailure(yield* Effect.exit(transaction.scan({ maxRows: 1 })))).toBe(true)
        })))
      expect(reason._tag).toBe("Failed")
      expect(positionsOf(yield* all(store))).toEqual([1, 2])
    }
  }))

it.live("refuses steps after its end", () =>
  Effect.gen(function* () {
    const { store } = yield* fresh()
    const kept = yield* store.transact("os", Effect.succeed)
    expect(yield* reasonOf(kept.insert(rowsAfter(kept.head, 1)))).toEqual({ _tag: "Closed" })
    expect((yield* store.head).position).toBe(0)
  }))

it.live("waits for the disk only with the durability disk", () =>
  Effect.gen(function* () {
    const { file } = yield* fresh()
    const open = connection(file)
    const writer = new SqliteWriter(open, file)
    const full = (durability: "memory" | "os" | "disk"): boolean => {
      writer.begin(durability)
      writer.commit()
      // 1 is NORMAL: the log is flushed before it is moved into the file. 2 is FULL: at each commit.
      return open.number("PRAGMA synchronous") === 2
    }
    expect([full("os"), full("disk"), full("disk"), full("memory"), full("disk"), full("os")]).toEqual([
      false,
      true,
      true,
      false,
      true,
      false,
    ])
    open.close()
  }))
