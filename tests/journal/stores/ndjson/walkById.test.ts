import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { matches, type Row } from "../../../../src/journal/Entry.ts"
import type { JournalStore, Scan } from "../../../../src/journal/JournalStore.ts"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { type Files, loadHostSystem } from "../../../../src/journal/stores/ndjson/HostSystem.ts"
import { openStoreWith } from "../../../../src/journal/stores/ndjson/openStoreWith.ts"
import { type Random, random } from "../../../support/random.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, positionsOf, reasonOf, rowsAfter } from "./support.ts"

const tags = ["Begun", "Ended"]

/** Rows of some 500 bytes; those of an id are near each other, but for one id that occurs everywhere. */
const runRows = (
  store: Pick<JournalStore, "transact">,
  count: number,
  { int, pick }: Random,
  text = "x".repeat(200),
) =>
  store.transact("os", (transaction) => {
    const rows: Array<Row> = []
    let { head } = transaction
    for (let index = 0; index < count; index++) {
      const turn = Math.floor(head.position / 3) + int(0, 2)
      const correlationId = pick(["everywhere", `run/${turn}`, `run/${turn}`, `run/"${turn}\\`, `läuft/${turn}`])
      const added = rowsAfter(head, 1, { correlationId, tag: pick(tags), text: (at) => `"run/${at}" ${text}` })
      rows.push(...added)
      head = added[0] ?? head
    }
    return Effect.as(transaction.insert(rows), rows)
  })

const expected = (rows: ReadonlyArray<Row>, { after = 0, before = Infinity, filter = {}, limit, order }: Scan) => {
  const meant = rows.filter((row) => row.position > after && row.position < before && matches(filter, row))
  return (order === "backward" ? meant.toReversed() : meant).slice(0, limit)
}

const randomScan = ({ int, pick }: Random, rows: ReadonlyArray<Row>): Scan => {
  const { correlationId = "" } = rows[int(0, rows.length - 1)] ?? {}
  const last = rows.at(-1)?.position ?? 0
  return {
    ...(int(0, 2) > 0 ? undefined : { after: int(0, last + 2) }),
    ...(int(0, 2) > 0 ? undefined : { before: int(0, last + 3) }),
    filter: {
      correlationId: int(0, 5) === 0 ? "none" : correlationId,
      ...(int(0, 1) === 0 ? undefined : { tags: [pick(tags)] }),
    },
    limit: pick([1, 1, 2, Infinity]),
    order: pick(["forward", "backward"]),
  }
}

for (const seed of [1, 2]) {
  it.live(`finds by id what is there, while the file grows and is pruned (seed ${seed})`, () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const luck = random(seed)
      const file = path("journal.ndjson")
      const writer = yield* NdjsonJournal.openStore({ path: file })
      const reader = yield* NdjsonJournal.openStore({ path: file, mode: "read" })
      let rows: ReadonlyArray<Row> = []
      for (let round = 0; round < 10; round++) {
        rows = [...rows, ...yield* runRows(writer, luck.pick([5, 300, 1_000]), luck)]
        if (round % 4 === 3) {
          const through = rows[luck.int(0, Math.floor(rows.length / 2))]?.position ?? 1
          yield* writer.transact("os", (transaction) => transaction.removeThrough(through))
          rows = rows.filter(({ position }) => position > through)
        }
        // Also rows that are not written yet.
        const unwritten = yield* add(writer, 3, "memory", { correlationId: `run/${round}` })
        const both = [...rows, ...unwritten]
        yield* Effect.forEach(
          Array.from({ length: 40 }, () => randomScan(luck, both)),
          (scan) =>
            Effect.map(writer.scan(scan), (found) => expect(found, JSON.stringify(scan)).toEqual(expected(both, scan))),
          { concurrency: luck.pick([1, 8]) },
        )
        rows = both
        yield* writer.transact("os", () => Effect.void)
        yield* Effect.forEach(
          Array.from({ length: 40 }, () => randomScan(luck, rows)),
          (scan) =>
            Effect.map(reader.scan(scan), (found) => expect(found, JSON.stringify(scan)).toEqual(expected(rows, scan))),
          { concurrency: luck.pick([1, 8]) },
        )
      }
    }))
}

it.live("does not read the whole file for each of many ids", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    const system = loadHostSystem()
    let read = 0
    const readSync: Files["readSync"] = (...words: ReadonlyArray<unknown>) => {
      const count: number = Reflect.apply(system.files.readSync, system.files, words)
      read += count
      return count
    }
    const counting = { ...system, files: { ...system.files, readSync } }
    yield* Effect.scoped(Effect.gen(function* () {
      const store = yield* NdjsonJournal.openStore({ path: file })
      for (let turn = 0; turn < 3_000; turn++) {
        yield* add(store, 3, "memory", {
          correlationId: `run/${turn}`,
          text: () => "x".repeat(500),
        })
      }
    }))
    const { size } = statSync(file)
    for (const mode of ["read", "write"] as const) {
      yield* Effect.scoped(Effect.gen(function* () {
        const store = yield* openStoreWith(counting, { path: file, mode })
        for (const order of ["forward", "backward"] as const) {
          read = 0
          for (let turn = 0; turn < 1_000; turn++) {
            const filter = { correlationId: `run/${turn * 3}` }
            const found = yield* store.scan({ filter, limit: 1, order })
            expect(positionsOf(found)).toEqual([turn * 9 + (order === "forward" ? 1 : 3)])
            expect(yield* store.scan({ filter: { correlationId: `run/${turn + 3_000}` }, limit: 1, order })).toEqual([])
          }
          process.stderr.write(`${mode} ${order}: ${(read / size).toFixed(1)} times the file\n`)
          // Each of them would be 1,000 times, or 1,500.
          expect(read / size).toBeLessThan(100)
        }
      }))
    }
  }))

it.live("reports a damaged line to each scan that comes to it, and to no other", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    yield* Effect.scoped(Effect.gen(function* () {
      const store = yield* NdjsonJournal.openStore({ path: file })
      for (let turn = 1; turn <= 400; turn++) {
        yield* add(store, 1, "memory", {
          correlationId: `run/${turn}`,
          text: () => "x".repeat(1_000),
        })
      }
    }))
    writeFileSync(file, readFileSync(file, "utf8").replace(`{"position":200,`, `{"pos`))
    const store = yield* NdjsonJournal.openStore({ path: file, mode: "read" })
    for (let round = 0; round < 30; round++) {
      const scan = (turn: number, order: "forward" | "backward") =>
        store.scan({ filter: { correlationId: `run/${turn}` }, limit: 1, order })
      expect(positionsOf(yield* scan(100, "forward"))).toEqual([100])
      expect(positionsOf(yield* scan(300, "backward"))).toEqual([300])
      expect(yield* reasonOf(scan(300, "forward"))).toMatchObject({ _tag: "Corrupt" })
      expect(yield* reasonOf(scan(100, "backward"))).toMatchObject({ _tag: "Corrupt" })
    }
  }))
