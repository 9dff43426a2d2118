/** Outages of the server at each moment of a transaction. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Durability } from "@sluice/shell/journal"
import type { PostgresJournal } from "@sluice/shell/journal/postgres"
import type { JournalStore } from "../../../../../src/journal/JournalStore.ts"
import { makeJournal } from "../../../../../src/journal/makeJournal.ts"
import { eventually, pause } from "../../../../support/eventually.ts"
import { postgresIsHere, useServer } from "../../../../support/postgres.ts"
import { type Intercept, Proxy } from "../../../../support/proxy.ts"
import { append, errorOf, newSchema, numbered, openStore, positionsOf, reasonOf, upTo, written } from "../support.ts"

const server = useServer()

const proxied = (intercept: Intercept): Effect.Effect<Proxy, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => Proxy.make(server().port, intercept)),
    (proxy) => Effect.promise(() => proxy.close()),
  )

/** A store of an existing journal whose connections go through a proxy. */
const openThrough = (
  intercept: Intercept,
  options: Partial<PostgresJournal.PostgresOptions> = {},
): Effect.Effect<
  { readonly store: JournalStore; readonly beside: JournalStore; readonly proxy: Proxy },
  unknown,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const schema = newSchema()
    const beside = yield* openStore(server(), schema)
    const proxy = yield* proxied(intercept)
    const store = yield* openStore(server(), schema, { port: proxy.port, ...options })
    return { store, beside, proxy }
  })

const isCommit = (data: Buffer): boolean => data.includes("COMMIT\0")

/** Handles the first commit that passes the proxy, and lets all others through. */
const atFirstCommit = (deal: Intercept): Intercept => {
  let dealt = false
  return (data, link) => {
    if (dealt || !isCommit(data)) return false
    dealt = true
    return deal(data, link)
  }
}

describe.runIf(postgresIsHere)("outage", () => {
  it.live(
    "loses nothing that was acknowledged and doubles nothing when the server crashes under load",
    () =>
      Effect.gen(function* () {
        const schema = newSchema()
        const stores = yield* Effect.forEach(
          upTo(4),
          () => openStore(server(), schema, { reconnectTimeout: "1 minute" }),
        )
        const levels: ReadonlyArray<Durability> = ["disk", "os"]
        const acknowledged = new Map<number, string>()
        const reader = yield* makeJournal(yield* openStore(server(), schema, { reconnectTimeout: "1 minute" }))
        const followed: Array<number> = []
        yield* Effect.forkChild(
          Stream.runForEach(reader.tail(), ({ position }) => Effect.sync(() => followed.push(position))),
        )
        let over = false
        const appenders = yield* Effect.forEach(stores, (store, who) =>
          Effect.forkChild(Effect.gen(function* () {
            for (let n = 0; !over; n++) {
              const texts = [`${who}-${n}-a`, `${who}-${n}-b`]
              const positions = yield* append(
                store,
                texts.map((text) => written(text)),
                levels[n % 2],
              )
              positions.forEach((position, index) => acknowledged.set(position, texts[index] ?? ""))
            }
          })))
        for (const round of upTo(4)) {
          const before = acknowledged.size
          yield* eventually("they append", () => acknowledged.size > before + 30)
          yield* Effect.promise(() => server().stop(round % 2 === 0 ? "fast" : "immediate"))
          yield* pause(100)
          yield* Effect.promise(() => server().start())
        }
        const before = acknowledged.size
        yield* eventually("they append again", () => acknowledged.size > before + 20)
        over = true
        // No append failed: all waited.
        yield* Fiber.joinAll(appenders)
        const store = yield* openStore(server(), schema)
        const rows = yield* store.scan({ maxRows: 1_000_000 })
        expect(positionsOf(rows)).toEqual(upTo(rows.length))
        expect(rows.length).toBe(acknowledged.size)
        for (const { body, position } of rows) expect(body).toContain(`"${acknowledged.get(position)}"`)
        expect(new Set(rows.map(({ body }) => body)).size).toBe(rows.length)
        // The tail saw each entry once, in order.
        yield* eventually("the follower has seen all", () => followed.length >= rows.length)
        expect(followed).toEqual(positionsOf(rows))
      }),
  )

  it.live("finds an entry whose commit was not answered, and does not write it twice", () =>
    Effect.gen(function* () {
      const { beside, store } = yield* openThrough(atFirstCommit((data, { client, server: upstream }) => {
        upstream.write(data)
        client.destroy()
        return true
      }))
      expect(yield* append(store, numbered(2), "disk")).toEqual([1, 2])
      expect(positionsOf(yield* beside.scan({ maxRows: 9 }))).toEqual([1, 2])
      expect(yield* append(store, numbered(1))).toEqual([3])
    }))

  it.live("rewrites entries that the server did not receive, after those of others", () =>
    Effect.gen(function* () {
      let cut: (() => void) | undefined
      const { beside, store } = yield* openThrough(atFirstCommit((_, { client, server: upstream }) => {
        cut = () => {
          upstream.destroy()
          client.destroy()
        }
        return true
      }))
      let runs = 0
      const appending = yield* Effect.forkChild(store.transact("disk", (transaction) => {
        runs++
        const { position } = transaction.head
        return Effect.as(
          transaction.insert([{
            ...row,
            position: position + 1,
          }]),
          position + 1,
        )
      }))
      yield* eventually("the commit was held back", () => cut !== undefined)
      cut?.()
      expect(yield* append(beside, numbered(1))).toEqual([1])
      expect(yield* Fiber.join(appending)).toBe(2)
      expect(runs).toBe(2)
      expect((yield* beside.scan({ maxRows: 9 })).map(({ hash }) => hash === row.hash)).toEqual([false, true])
    }))

  it.live("waits for a commit that the server is still working on", () =>
    Effect.gen(function* () {
      for (const arrives of [true, false]) {
        const { beside, store } = yield* openThrough(atFirstCommit((data, { client, server: upstream }) => {
          client.removeAllListeners("close").destroy()
          setTimeout(() => arrives ? upstream.end(data) : upstream.destroy(), 400)
          return true
        }))
        let runs = 0
        const answer = yield* store.transact("disk", (transaction) => {
          runs++
          return Effect.as(transaction.insert([{ ...row, position: transaction.head.position + 1 }]), runs)
        })
        expect([answer, runs]).toEqual(arrives ? [1, 1] : [2, 2])
        expect(positionsOf(yield* beside.scan({ maxRows: 9 }))).toEqual([1])
      }
    }))

  it.live("settles a commit whose answer never comes", () =>
    Effect.gen(function* () {
      const { beside, store } = yield* openThrough(
        atFirstCommit((data, { server: upstream }) => {
          upstream.removeAllListeners("data").resume().write(data)
          return true
        }),
        { answerTimeout: "300 millis" },
      )
      expect(yield* append(store, numbered(2), "os")).toEqual([1, 2])
      expect(positionsOf(yield* beside.scan({ maxRows: 9 }))).toEqual([1, 2])
    }))

  it.live("reports an unknown outcome when the server stays away after a commit", () =>
    Effect.gen(function* () {
      let refuse = false
      const commit = atFirstCommit((data, { server: upstream }) => {
        refuse = true
        return upstream.write(data)
      })
      const { beside, store } = yield* openThrough((data, link) => {
        const dealt = commit(data, link)
        if (refuse) link.client.destroy()
        return refuse || dealt
      }, { reconnectTimeout: "300 millis" })
      const error = yield* errorOf(append(store, numbered(1), "disk"))
      expect(error.reason._tag).toBe("Unavailable")
      expect(error.message).toMatch(
        /^journal: whether it was written is unknown: the connection to .* was lost at the commit/,
      )
      expect((yield* beside.head).position).toBe(1)
      // It was written after all: a read finds it, and appends continue after it.
      refuse = false
      expect(yield* append(store, numbered(1))).toEqual([2])
    }))

  it.live("reports that nothing was written while the server is down, and continues when it is back", () =>
    Effect.gen(function* () {
      const store = yield* openStore(server(), newSchema(), { reconnectTimeout: "400 millis" })
      yield* append(store, numbered(1), "disk")
      yield* Effect.promise(() => server().stop())
      const error = yield* errorOf(append(store, numbered(1)))
      expect(error.reason).toMatchObject({ _tag: "Unavailable" })
      expect(error.message).toMatch(/^journal: nothing was written: .* cannot be reached/)
      expect(yield* reasonOf(store.head)).toMatchObject({ _tag: "Unavailable" })
      expect(yield* reasonOf(Effect.scoped(openStore(server(), newSchema(), { reconnectTimeout: 0 })))).toMatchObject({
        _tag: "Unavailable",
        code: "ECONNREFUSED",
      })
      yield* Effect.promise(() => server().start())
      expect(yield* append(store, numbered(1))).toEqual([2])
      expect(positionsOf(yield* store.scan({ maxRows: 9 }))).toEqual([1, 2])
    }))

  it.live("opens, reads and appends once a server that is away has started", () =>
    Effect.gen(function* () {
      const patient = { reconnectTimeout: "1 minute" } as const
      const store = yield* openStore(server(), newSchema(), patient)
      yield* append(store, numbered(2), "disk")
      yield* Effect.promise(() => server().stop("immediate"))
      const opening = yield* Effect.forkChild(openStore(server(), newSchema(), patient))
      const reading = yield* Effect.forkChild(store.scan({ maxRows: 9 }))
      const appending = yield* Effect.forkChild(append(store, numbered(1)))
      yield* pause(300)
      yield* Effect.promise(() => server().start())
      expect(yield* append(yield* Fiber.join(opening), numbered(1))).toEqual([1])
      expect(positionsOf(yield* Fiber.join(reading)).slice(0, 2)).toEqual([1, 2])
      expect(yield* Fiber.join(appending)).toEqual([3])
    }))

  it.live("reconnects after the server closed its connections", () =>
    Effect.gen(function* () {
      const name = "terminated"
      const store = yield* openStore(server(), newSchema(), { applicationName: name })
      const terminate = server().query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
        [name],
      )
      yield* append(store, numbered(1))
      for (const n of upTo(3)) {
        yield* terminate
        expect((yield* store.head).position).toBe(n)
        expect(yield* append(store, numbered(1))).toEqual([n + 1])
      }
      // Also in the middle of a transaction, which then runs again.
      let runs = 0
      const positions = yield* store.transact("disk", (transaction) =>
        Effect.gen(function* () {
          yield* transaction.insert([{ ...row, position: transaction.head.position + 1 }])
          if (++runs === 1) yield* terminate
          return positionsOf(yield* transaction.scan({ maxRows: 9 }))
        }))
      expect([runs, positions]).toEqual([2, upTo(5)])
    }))

  it.live("can be interrupted while it waits for the server", () =>
    Effect.gen(function* () {
      let away = false
      const { proxy, store } = yield* openThrough((_, { client }) => {
        if (away) client.destroy()
        return away
      }, { reconnectTimeout: "1 hour" })
      yield* append(store, numbered(1))
      away = true
      proxy.cut()
      const waiting = yield* Effect.forkChild(append(store, numbered(1)))
      const reading = yield* Effect.forkChild(store.head)
      yield* pause(200)
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(reading)
      away = false
      expect(yield* append(store, numbered(1))).toEqual([2])
    }))
})

const row = {
  time: 1,
  branch: "notes",
  correlationId: "n",
  tag: "Noted",
  version: 1,
  hash: "f".repeat(64),
  body: '{"_tag":"Noted"}',
}
