/** Notifications and polling. */
import { describe, expect, it } from "@effect/vitest"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type { JournalStore } from "../../../../../src/journal/JournalStore.ts"
import { resolveOptions } from "../../../../../src/journal/stores/postgres/options.ts"
import { eventually, pause, settled } from "../../../../support/eventually.ts"
import { postgresIsHere, useServer } from "../../../../support/postgres.ts"
import { Proxy } from "../../../../support/proxy.ts"
import { append, newSchema, numbered, openStore, rowsAfter, upTo } from "../support.ts"

const server = useServer()

/** Disables polling. */
const never = { pollInterval: "1 hour" } as const

/** Counts how often a store is woken. */
const watched = (store: JournalStore) =>
  Effect.gen(function* () {
    const woken = { count: 0 }
    yield* store.watch(() => woken.count++)
    return woken
  })

/** Closes a scope in the background; returns whether it has closed. */
const stopping = (scope: Scope.Closeable) =>
  Effect.gen(function* () {
    let closed = false
    yield* Effect.forkChild(Effect.andThen(Scope.close(scope, Exit.void), Effect.sync(() => closed = true)))
    return { stopped: () => closed }
  })

const listening = (name: string) =>
  Effect.map(
    server().query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1 AND query LIKE 'LISTEN%'",
      [
        name,
      ],
    ),
    ([row]) => row?.["n"],
  )

describe.runIf(postgresIsHere)("watch", () => {
  it.live("wakes a watcher when another store has appended, and not before the entry can be read", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const reader = yield* openStore(server(), schema, never)
      const writer = yield* openStore(server(), schema)
      const woken = yield* watched(reader)
      // Once when it listens: earlier notifications went unheard.
      yield* eventually("it listens", () => woken.count === 1)
      for (const n of upTo(5)) {
        const before = woken.count
        yield* append(writer, numbered(3), n % 2 === 0 ? "disk" : "memory")
        yield* eventually("it was woken", () => woken.count > before)
        expect((yield* reader.head).position).toBe(3 * n)
      }
    }))

  it.live("notifies once for each transaction, and not for a rollback or a read", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const store = yield* openStore(server(), schema)
      const connection = yield* PgConnection.make((yield* resolveOptions(server().options(schema))).config)
      const heard = yield* connection.listen(`sluice:${schema}`)
      yield* store.transact("memory", (transaction) =>
        Effect.gen(function* () {
          const rows = rowsAfter(transaction.head, numbered(3))
          for (const row of rows) {
            yield* transaction.insert([row])
            yield* transaction.scan({ maxRows: 1 })
          }
        }))
      yield* Effect.exit(store.transact("memory", () => Effect.die("rolled back")))
      yield* store.transact("memory", (transaction) => transaction.scan({ maxRows: 9 }))
      yield* append(store, numbered(1))
      yield* server().query("SELECT pg_notify($1, 'last')", [`sluice:${schema}`])
      const notifications: Array<string> = []
      while (notifications.at(-1) !== "last") notifications.push((yield* Queue.take(heard)).payload)
      expect(notifications).toHaveLength(3)
      expect(new Set(notifications).size).toBe(2)
    }))

  it.live("does not wake a watcher for appends of its own store", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const store = yield* openStore(server(), schema, never)
      const other = yield* openStore(server(), schema)
      const woken = yield* watched(store)
      yield* eventually("it listens", () => woken.count === 1)
      for (let n = 0; n < 5; n++) yield* append(store, numbered(1))
      yield* append(other, numbered(1))
      yield* eventually("it was woken", () => woken.count > 1)
      expect(yield* settled(() => woken.count, 50)).toBe(2)
    }))

  it.live("finds appends by polling where no notification comes", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() =>
          Proxy.make(server().port, (data, { client }) => {
            if (data.includes("LISTEN")) client.destroy()
            return data.includes("LISTEN")
          })
        ),
        (made) => Effect.promise(() => made.close()),
      )
      const reader = yield* openStore(server(), schema, { port: proxy.port, pollInterval: "50 millis" })
      const writer = yield* openStore(server(), schema)
      const woken = yield* watched(reader)
      for (let n = 0; n < 3; n++) {
        const before = yield* settled(() => woken.count, 150)
        yield* append(writer, numbered(1))
        yield* eventually("it was woken", () => woken.count > before)
      }
    }))

  it.live("listens again after an outage, and wakes for entries that it may have missed", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const name = "listens again"
      const reader = yield* openStore(server(), schema, { ...never, applicationName: name })
      const woken = yield* watched(reader)
      yield* eventually("it listens", () => woken.count === 1)
      for (const mode of ["immediate", "fast"] as const) {
        yield* Effect.promise(() => server().stop(mode))
        // Set before the start: the reader may listen again as soon as the server has started.
        const before = woken.count
        yield* Effect.promise(() => server().start())
        yield* eventually("it was woken as it listens again", () => woken.count > before)
        const writer = yield* openStore(server(), schema)
        const listened = woken.count
        yield* append(writer, numbered(1))
        yield* eventually("it was woken by another", () => woken.count > listened)
      }
    }))

  it.live("stops with its Scope: no connection, no wake", () =>
    Effect.gen(function* () {
      const schema = newSchema()
      const name = "stops"
      const reader = yield* openStore(server(), schema, { applicationName: name, pollInterval: "20 millis" })
      const writer = yield* openStore(server(), schema)
      for (const wait of [0, 1, 20, 100]) {
        const scope = yield* Scope.make()
        const woken = yield* Scope.provide(watched(reader), scope)
        yield* pause(wait)
        yield* append(writer, numbered(1))
        yield* Scope.close(scope, Exit.void)
        const { count } = woken
        yield* append(writer, numbered(1))
        yield* pause(60)
        expect(woken.count).toBe(count)
      }
      while ((yield* listening(name)) !== 0) yield* pause(10)
    }))

  it.live("stops at once when the server does not answer", () =>
    Effect.gen(function* () {
      let silent = false
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() => Proxy.make(server().port, undefined, () => silent)),
        (made) => Effect.promise(() => made.close()),
      )
      const store = yield* openStore(server(), newSchema(), { port: proxy.port, pollInterval: "20 millis" })
      const scope = yield* Scope.make()
      const woken = yield* Scope.provide(watched(store), scope)
      yield* eventually("it listens", () => woken.count > 0)
      silent = true
      yield* pause(50)
      const sockets = proxy.clients
      expect(sockets.length).toBeGreaterThan(1)
      const { stopped } = yield* stopping(scope)
      yield* eventually("it stopped", stopped)
      // Its connection is closed entirely: what is sent to it is refused.
      const gone = sockets.filter((socket) => socket.readableEnded)
      expect(gone).toHaveLength(1)
      yield* eventually("its connection is gone", () => {
        for (const socket of gone) if (socket.writable) socket.write("R")
        return gone.every((socket) => socket.destroyed)
      })
      silent = false
      proxy.cut()
    }))
})
