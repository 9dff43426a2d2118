/** Several stores of one journal, as on several machines. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { eventually, pause } from "../../../../support/eventually.ts"
import { postgresIsHere, useServer } from "../../../../support/postgres.ts"
import { Proxy } from "../../../../support/proxy.ts"
import {
  append,
  errorOf,
  insertInto,
  newSchema,
  numbered,
  openStore,
  positionsOf,
  reasonOf,
  upTo,
  written,
} from "../support.ts"

const server = useServer()

/** Counts the server's connections with an application name. */
const connections = (name: string) =>
  Effect.map(
    server().query("SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1", [name]),
    ([row]) => row?.["n"],
  )

describe.runIf(postgresIsHere)("writers", () => {
  it.live("gives positions without gaps to eight writers at once, and readers never see a gap", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const stores = yield* Effect.forEach(upTo(8), () => openStore(server(), schema), { concurrency: "unbounded" })
      const reader = yield* openStore(server(), schema)
      const seen: Array<number> = []
      const looking = yield* Effect.forkChild(Effect.gen(function* () {
        for (;;) {
          const rows = yield* reader.scan({ after: seen.at(-1) ?? 0, maxRows: 1_000 })
          seen.push(...positionsOf(rows))
          // The head is never ahead of what can be read.
          const { position } = yield* reader.head
          expect(yield* reader.scan({ after: position - 1, before: position + 1, maxRows: 1 })).toHaveLength(
            Math.min(position, 1),
          )
          if (seen.length >= 800) return
        }
      }))
      const answers = yield* Effect.forEach(
        stores,
        (store, who) =>
          Effect.forEach(
            upTo(20),
            (n) => append(store, numbered(5, { correlationId: `w-${who}` }), n % 4 === 0 ? "disk" : "memory"),
          ),
        {
          concurrency: "unbounded",
        },
      )
      yield* Fiber.join(looking)
      expect(seen).toEqual(upTo(800))
      expect(answers.flat(2).toSorted((a, b) => a - b)).toEqual(upTo(800))
      for (const [who, own] of answers.entries()) {
        for (const positions of own) expect(positions).toEqual(upTo((positions[0] ?? 0) + 4, positions[0]))
        const rows = yield* reader.scan({ maxRows: 1_000, filter: { correlationId: `w-${who}` } })
        expect(positionsOf(rows)).toEqual(own.flat())
      }
    }))

  it.live("is created once by several stores at the same time", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const stores = yield* Effect.forEach(upTo(8), () => openStore(server(), schema), { concurrency: "unbounded" })
      for (const store of stores) yield* append(store, numbered(1))
      const [first] = stores
      expect((yield* first?.head ?? Effect.die("none")).position).toBe(8)
      const steps = yield* server().query(`SELECT number, name FROM ${schema}.journal_migration`)
      expect(steps).toEqual([{ number: 1, name: "entries and head" }])
    }))

  it.live("keeps journals in different schemas apart, whatever their names", () =>
    Effect.gen(function* () {
      const one = yield* openStore(server(), `It's "one"; $$ --`)
      const two = yield* openStore(server(), "日本 $1 %s")
      yield* append(one, numbered(3))
      expect(yield* append(two, numbered(1))).toEqual([1])
      expect((yield* one.head).position).toBe(3)
      expect((yield* two.size).entries).toBe(1)
      const compressions = yield* server().query(
        "SELECT attcompression::text AS c FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'body'",
        [`"It's ""one""; $$ --".journal_entry`],
      )
      expect(compressions).toEqual([{ c: "l" }])
    }))

  it.live("waits while another store writes, and names it when that takes too long", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const one = yield* openStore(server(), schema, { applicationName: "one that dawdles" })
      const two = yield* openStore(server(), schema, { lockTimeout: "100 millis" })
      const patient = yield* openStore(server(), schema)
      let waiting: Fiber.Fiber<ReadonlyArray<number>, unknown> | undefined
      yield* one.transact("memory", (transaction) =>
        Effect.gen(function* () {
          yield* insertInto(transaction, numbered(1))
          const error = yield* errorOf(append(two, numbered(1)))
          expect(error.reason).toMatchObject({ _tag: "Locked", code: "55P03" })
          expect(error.reason).toMatchObject({
            by: expect.stringMatching(/^one that dawdles \(process \d+ of the server/),
          })
          expect(error.message).toMatch(
            /^journal: nothing was written: one that dawdles .* held .* for too long \(55P03\)$/,
          )
          waiting = yield* Effect.forkDetach(append(patient, numbered(1)))
          yield* pause(50)
          // Reads do not wait.
          expect((yield* two.head).position).toBe(0)
        }))
      expect(waiting === undefined ? [] : yield* Fiber.join(waiting)).toEqual([2])
      expect(yield* append(two, numbered(1))).toEqual([3])
    }))

  it.live("rolls back when interrupted, at work or waiting for the lock, and stays usable", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const one = yield* openStore(server(), schema)
      const two = yield* openStore(server(), schema, { applicationName: "interrupted" })
      yield* append(two, numbered(1))
      for (const flushed of [false, true]) {
        const begun = yield* Effect.forkChild(two.transact("memory", (transaction) =>
          Effect.gen(function* () {
            yield* insertInto(transaction, numbered(3))
            if (flushed) yield* transaction.scan({ maxRows: 1 })
            return yield* Effect.never
          })))
        yield* pause(50)
        yield* Fiber.interrupt(begun)
        expect((yield* two.head).position).toBe(1)
      }
      yield* one.transact("memory", () =>
        Effect.gen(function* () {
          for (let round = 0; round < 3; round++) {
            const waiting = yield* Effect.forkChild(append(two, numbered(1)))
            yield* pause(30)
            yield* Fiber.interrupt(waiting)
          }
          // The other transaction goes on, and no connection of the store still waits in the server.
          const waiting = Effect.map(
            server().query(
              "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'",
              ["interrupted"],
            ),
            ([row]) => row?.["n"],
          )
          // The server ends a statement a moment after it was told to.
          while ((yield* waiting) !== 0) yield* pause(10)
        }))
      expect(yield* append(two, numbered(1))).toEqual([2])
      expect(yield* append(one, numbered(1))).toEqual([3])
      expect(yield* connections("interrupted")).toBeLessThanOrEqual(3)
    }))

  it.live("keeps all or nothing when it is interrupted at any moment, and its connection stays usable", () =>
    Effect.gen(function* () {
      const store = yield* openStore(server())
      let kept = 0
      for (let round = 0; round < 60; round++) {
        const fiber = yield* Effect.forkChild(append(store, numbered(3)))
        if (round % 3 === 0) yield* pause(round / 12)
        else for (let turn = 0; turn < round; turn++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        const exit = yield* Fiber.await(fiber)
        const { position } = yield* store.head
        expect(position - kept === 0 || position - kept === 3).toBe(true)
        if (Exit.isSuccess(exit)) expect(position - kept).toBe(3)
        kept = position
      }
      expect(yield* append(store, numbered(1))).toEqual([kept + 1])
    }))

  it.live("rolls back a failure or defect, and returns it", () =>
    Effect.gen(function* () {
      const store = yield* openStore(server())
      const work = (end: Effect.Effect<never, never>) =>
        Effect.exit(store.transact("disk", (transaction) => Effect.andThen(insertInto(transaction, numbered(2)), end)))
      const exit = yield* work(Effect.die("a defect"))
      expect(exit).toEqual(Exit.die("a defect"))
      expect((yield* store.head).position).toBe(0)
      expect(yield* append(store, numbered(1))).toEqual([1])
    }))

  it.live("opens one connection for writes, up to two for reads, and one for notifications during a watch", () =>
    Effect.gen(function* () {
      const name = "counted"
      const store = yield* openStore(server(), newSchema(), { applicationName: name, maxReadConnections: 3 })
      expect(yield* connections(name)).toBe(1)
      yield* append(store, upTo(50).map((n) => written("x".repeat(1_000), { correlationId: `${n}` })))
      yield* Effect.forEach(upTo(200), (n) => store.scan({ maxRows: 50, filter: { correlationId: `${n % 50}` } }), {
        concurrency: "unbounded",
      })
      expect(yield* connections(name)).toBe(4)
      const scope = yield* Scope.make()
      yield* Scope.provide(store.watch(() => {}), scope)
      while ((yield* connections(name)) !== 5) yield* pause(10)
      yield* Scope.close(scope, Exit.void)
      while ((yield* connections(name)) !== 4) yield* pause(10)
    }))

  it.live("leaves no connection behind when its Scope is closed at any moment", () =>
    Effect.gen(function* () {
      const name = "gone"
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => Proxy.make(server().port)),
        (made) => Effect.promise(() => made.close()),
      )
      const scope = yield* Scope.make()
      const store = yield* Scope.provide(
        openStore(server(), newSchema(), { applicationName: name, port: proxy.port }),
        scope,
      )
      yield* Scope.provide(store.watch(() => {}), scope)
      yield* append(store, numbered(1))
      const busy = yield* Effect.forkChild(Effect.exit(Effect.forever(store.scan({ maxRows: 1 }))))
      yield* pause(50)
      yield* Scope.close(scope, Exit.void)
      expect(Exit.isFailure(yield* Fiber.join(busy))).toBe(true)
      while ((yield* connections(name)) !== 0) yield* pause(10)
      yield* eventually("no connection is left", () => proxy.links === 0)
      expect(yield* reasonOf(store.head)).toEqual({ _tag: "Closed" })
      expect(yield* reasonOf(store.scan({ maxRows: 1 }))).toEqual({ _tag: "Closed" })
      expect(yield* reasonOf(store.size)).toEqual({ _tag: "Closed" })
      expect(yield* reasonOf(append(store, numbered(1)))).toEqual({ _tag: "Closed" })
    }))
})
