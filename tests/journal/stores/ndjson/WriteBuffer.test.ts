import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, statSync } from "node:fs"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { eventually } from "../../../support/eventually.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, all, linesOf, positionsOf, upTo } from "./support.ts"

const journal = Effect.map(workshop, ({ path }) => path("journal.ndjson"))

it.live("writes entries of the durability memory soon, and shows them at once", () =>
  Effect.gen(function* () {
    const file = yield* journal
    const store = yield* NdjsonJournal.openStore({ path: file })
    yield* add(store, 2, "memory")
    const rows = yield* add(store, 3, "memory")
    // Nothing has waited yet, so nothing was written.
    expect(linesOf(file)).toEqual([])
    expect((yield* store.head).position).toBe(5)
    expect(yield* store.size).toMatchObject({ entries: 5, first: 1 })
    expect(positionsOf(yield* all(store))).toEqual(upTo(5))
    expect(yield* store.scan({ after: 2, limit: 9, order: "backward" })).toEqual(rows.toReversed())
    yield* eventually("it is in the file", () => linesOf(file).length === 5)
    expect(linesOf(file).map((line) => JSON.parse(line).more === true)).toEqual([true, false, true, true, false])
    expect(positionsOf(yield* all(store))).toEqual(upTo(5))
    expect((yield* store.size).bytes).toBe(statSync(file).size)
  }))

it.live("writes the buffer with, and before, entries of a higher durability", () =>
  Effect.gen(function* () {
    const file = yield* journal
    const store = yield* NdjsonJournal.openStore({ path: file })
    for (const level of ["os", "disk"] as const) {
      const { position } = yield* store.head
      yield* add(store, 2, "memory")
      yield* add(store, 1, level)
      expect(linesOf(file).map((line) => JSON.parse(line).position)).toEqual(upTo(position + 3))
    }
  }))

it.live("writes the buffer on close", () =>
  Effect.gen(function* () {
    const file = yield* journal
    yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => add(store, 2, "memory")))
    expect(linesOf(file)).toHaveLength(2)
  }))

it.live("writes at once what exceeds the buffer", () =>
  Effect.gen(function* () {
    const file = yield* journal
    const store = yield* NdjsonJournal.openStore({ path: file })
    yield* add(store, 1, "memory")
    yield* add(store, 3, "memory", { text: () => "x".repeat(500_000) })
    expect(linesOf(file)).toHaveLength(4)
    const before = readFileSync(file).length
    yield* add(store, 1, "memory")
    expect(readFileSync(file).length).toBe(before)
  }))
