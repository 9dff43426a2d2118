import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { JournalStore } from "../../../../src/journal/JournalStore.ts"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { pause } from "../../../support/eventually.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, all, fresh, positionsOf, query, reasonOf, rowsAfter, upTo } from "./support.ts"

const holder = fileURLToPath(new URL("./lockHolder.fixture.ts", import.meta.url))

/** Starts a process that holds the write lock until it is released, or killed with the Scope. */
const hold = (file: string) =>
  Effect.gen(function* () {
    const args = "Deno" in globalThis ? ["run", "-A", "--quiet", holder, file] : [holder, file]
    const child = yield* Effect.acquireRelease(
      Effect.sync((): ChildProcess => spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })),
      (child) =>
        Effect.sync(() => {
          child.kill("SIGKILL")
        }),
    )
    if (child.stdout !== null) yield* Effect.promise(() => once(child.stdout ?? child, "data"))
    return {
      letGo: Effect.sync(() => child.stdin?.end()),
      kill: Effect.sync(() => child.kill("SIGKILL")),
    }
  })

it.live("fails with Locked when another process holds the file for too long; reads do not wait", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh({ lockTimeout: "200 millis" })
    yield* add(store, 3)
    const other = yield* hold(file)
    const error = yield* Effect.flip(add(store, 1))
    expect(error.reason).toEqual({ _tag: "Locked", code: "SQLITE_BUSY" })
    expect(error.message).toBe(
      `journal: nothing was written to ${file}: other connections held a lock for 200 ms (SQLITE_BUSY)`,
    )
    expect(positionsOf(yield* all(store))).toEqual([1, 2, 3])
    expect((yield* store.head).position).toBe(3)
    // It can be opened meanwhile, too.
    expect((yield* (yield* SqliteJournal.openStore({ path: file })).head).position).toBe(3)
    yield* other.letGo
    yield* Effect.retry(add(store, 1), { times: 20 })
    expect((yield* store.head).position).toBe(4)
  }))

it.live("continues as soon as the lock is free, and other fibers run while it waits", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 1)
    const other = yield* hold(file)
    const waiting = yield* Effect.forkChild(add(store, 1))
    // Each pause is a turn of the event loop.
    for (let turn = 0; turn < 20; turn++) yield* pause(1)
    expect(waiting.pollUnsafe()).toBeUndefined()
    yield* other.kill
    expect(positionsOf(yield* Fiber.join(waiting))).toEqual([2])
  }))

it.live("can be interrupted while it waits, and leaves nothing behind", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh({ lockTimeout: "1 hour" })
    const other = yield* hold(file)
    const waiting = yield* Effect.forkChild(add(store, 1))
    yield* pause(20)
    yield* Fiber.interrupt(waiting)
    yield* other.letGo
    yield* add(store, 1)
    expect((yield* store.head).position).toBe(1)
  }))

it.live("waits for a process that creates the file at the same time", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    const file = write("journal.db", "")
    const other = yield* hold(file)
    expect(yield* reasonOf(Effect.scoped(SqliteJournal.openStore({ path: file, lockTimeout: "50 millis" }))))
      .toMatchObject({
        _tag: "Locked",
      })
    const opening = yield* Effect.forkChild(SqliteJournal.openStore({ path: path("journal.db") }))
    yield* pause(20)
    yield* other.letGo
    expect((yield* (yield* Fiber.join(opening)).head).position).toBe(0)
  }))

/** Runs an effect in the middle of a transaction. */
const during = <A, E>(store: JournalStore, meanwhile: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const inside = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const writing = yield* Effect.forkChild(store.transact("os", (transaction) =>
      Effect.gen(function* () {
        yield* transaction.insert(rowsAfter(transaction.head, 2))
        yield* Deferred.succeed(inside, undefined)
        yield* Deferred.await(goOn)
        return yield* transaction.scan({ maxRows: 10 })
      })))
    yield* Deferred.await(inside)
    const seen = yield* meanwhile
    yield* Deferred.succeed(goOn, undefined)
    return { seen, written: yield* Fiber.join(writing) }
  })

it.live("shows uncommitted entries neither in this process nor to another store", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    const other = yield* SqliteJournal.openStore({ path: file, lockTimeout: 0 })
    yield* add(store, 1)
    const { seen, written } = yield* during(
      store,
      Effect.all([store.head, other.head, all(store), all(other), store.size, Effect.flip(add(other, 1))]),
    )
    const [head, otherHead, rows, otherRows, size, error] = seen
    expect([head.position, otherHead.position, size.entries]).toEqual([1, 1, 1])
    expect([positionsOf(rows), positionsOf(otherRows)]).toEqual([[1], [1]])
    expect(error.reason._tag).toBe("Locked")
    expect(positionsOf(written)).toEqual([1, 2, 3])
    expect(positionsOf(yield* all(other))).toEqual([1, 2, 3])
  }))

it.live("rolls back an open transaction when it is closed", () =>
  Effect.gen(function* () {
    const { file } = yield* fresh()
    const scope = yield* Scope.make()
    const store = yield* Scope.provide(SqliteJournal.openStore({ path: file }), scope)
    yield* add(store, 1)
    const cut = yield* Effect.exit(during(store, Scope.close(scope, Exit.void)))
    expect(Exit.isFailure(cut)).toBe(true)
    expect(query(file, "SELECT count(*) FROM entries")).toEqual([1])
  }))

it.live("keeps positions without gaps, however many stores write at once", () =>
  Effect.gen(function* () {
    const { file } = yield* fresh()
    const stores = yield* Effect.forEach(Array.from({ length: 4 }, () => file), (path) =>
      SqliteJournal.openStore({ path }))
    const writers = stores.map((store, index) =>
      Effect.gen(function* () {
        for (let round = 0; round < 30; round++) {
          yield* store.transact("os", (transaction) =>
            // The other fibers run here, and find the file locked.
            Effect.andThen(
              Effect.yieldNow,
              transaction.insert(rowsAfter(transaction.head, 1 + round % 3, { correlationId: `w${index}` })),
            ))
        }
      })
    )
    yield* Effect.all(writers, { concurrency: "unbounded" })
    const rows = yield* all(stores[0] ?? (yield* Effect.die("no store")))
    expect(positionsOf(rows)).toEqual(upTo(240))
    for (const index of stores.keys()) {
      const filter = { correlationId: `w${index}` }
      const own = yield* stores[0]?.scan({ filter, maxRows: 1_000 }) ?? Effect.succeed([])
      expect(own).toEqual(rows.filter((row) =>
        row.correlationId === filter.correlationId
      ))
      expect(own).toHaveLength(60)
    }
  }))
