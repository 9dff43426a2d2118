import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { rmSync } from "node:fs"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { eventually, pause } from "../../../support/eventually.ts"
import { add, fresh, rowsAfter } from "./support.ts"

it.live("wakes when another store has written, but not for its own writes", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh({ pollInterval: "2 millis" })
    const other = yield* SqliteJournal.openStore({ path: file })
    yield* add(store, 1)
    let wakes = 0
    yield* store.watch(() => wakes++)
    yield* add(store, 1)
    yield* pause(30)
    expect(wakes).toBe(0)
    for (let round = 1; round <= 3; round++) {
      yield* add(other, 1)
      yield* eventually("it is woken", () => wakes >= round)
    }
    yield* pause(30)
    expect(wakes).toBe(3)
  }))

it.live("wakes also while a transaction of its own is open", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh({ pollInterval: "2 millis" })
    const other = yield* SqliteJournal.openStore({ path: file })
    let wakes = 0
    yield* store.watch(() => wakes++)
    yield* add(other, 1)
    yield* store.transact("os", (transaction) =>
      Effect.andThen(pause(30), transaction.insert(rowsAfter(transaction.head, 1))))
    yield* eventually("it is woken", () =>
      wakes > 0)
  }))

it.live("stops polling when its Scope is closed", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh({ pollInterval: "1 millis" })
    const other = yield* SqliteJournal.openStore({ path: file })
    const scope = yield* Scope.make()
    let wakes = 0
    yield* Scope.provide(store.watch(() => wakes++), scope)
    yield* Scope.close(scope, Exit.void)
    yield* add(other, 1)
    yield* pause(30)
    expect(wakes).toBe(0)
  }))

it.live("wakes a read-only store while the write-ahead log comes and goes", () =>
  Effect.gen(function* () {
    const { file } = yield* fresh()
    const reader = yield* SqliteJournal.openStore({ path: file, readOnly: true, pollInterval: "2 millis" })
    let wakes = 0
    yield* reader.watch(() => wakes++)
    for (let round = 1; round <= 3; round++) {
      const before = wakes
      // Opened, written and closed: the write-ahead log comes and goes.
      yield* Effect.scoped(Effect.flatMap(SqliteJournal.openStore({ path: file }), (store) => add(store, 2)))
      yield* eventually("it is woken", () => wakes > before)
      expect((yield* reader.head).position).toBe(round * 2)
    }
  }))

it.live("wakes when the file is gone, and the next read reports it", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh({ pollInterval: "2 millis" })
    const closed = yield* SqliteJournal.openStore({ path: file, readOnly: true, pollInterval: "2 millis" })
    yield* add(store, 1)
    for (const each of [store, closed]) {
      let wakes = 0
      yield* each.watch(() => wakes++)
      rmSync(file, { force: true })
      yield* eventually("it is woken", () => wakes > 0)
      const error = yield* Effect.flip(each.head)
      expect(error.reason).toEqual({ _tag: "Missing", path: file })
      expect(error.message).toBe(`journal: ${file} was removed or replaced while it was open`)
    }
  }))
