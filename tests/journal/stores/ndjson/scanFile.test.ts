import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { JournalStore, Scan } from "../../../../src/journal/JournalStore.ts"
import { matches } from "../../../../src/journal/Entry.ts"
import type { Row } from "../../../../src/journal/Entry.ts"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { openStoreWith } from "../../../../src/journal/stores/ndjson/openStoreWith.ts"
import { type Files, loadHostSystem } from "../../../../src/journal/stores/ndjson/HostSystem.ts"
import { type Random, random, randomText } from "../../../support/random.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, positionsOf, upTo } from "./support.ts"

/** What a scan answers, written the short way. */
const expected = (rows: ReadonlyArray<Row>, scan: Scan): ReadonlyArray<Row> => {
  const { after = 0, before = Infinity, filter = {}, headersOnly = false, maxRows, order } = scan
  const meant = rows.filter((row) => row.position > after && row.position < before && matches(filter, row))
  return (order === "backward" ? meant.toReversed() : meant)
    .slice(0, maxRows)
    .map((row) => headersOnly ? { ...row, body: "" } : row)
}

const names = ["a", "b", `c"\\`, "é😀", `x","tag":"b`, ""]

const randomRows = (random: Random, count: number, after: number): ReadonlyArray<Row> =>
  Array.from({ length: count }, (_, index) => ({
    position: after + index + 1,
    time: random.int(0, 1e12),
    branch: random.pick(names),
    correlationId: random.pick(names),
    tag: random.pick(names),
    version: random.int(1, 20),
    hash: Array.from({ length: 64 }, () => random.int(0, 15).toString(16)).join(""),
    body: random.int(0, 9) === 0 ? "" : JSON.stringify({
      _tag: "T",
      // What a filter looks for may stand in a body too.
      inner: random.int(0, 3) === 0 ? { position: 1, correlationId: random.pick(names), tag: random.pick(names) } : 1,
      text: randomText(random, 10).repeat(random.int(0, 40) === 0 ? 5_000 : 1),
    }),
  }))

const randomScan = ({ int, pick }: Random, last: number): Scan => ({
  ...(int(0, 2) === 0 ? undefined : { after: int(0, last + 2) }),
  ...(int(0, 2) === 0 ? undefined : { before: int(0, last + 3) }),
  ...(int(0, 2) > 0 ? undefined : {
    filter: {
      ...(int(0, 1) === 0 ? undefined : { branch: pick(names) }),
      ...(int(0, 1) === 0 ? undefined : { correlationId: pick(names) }),
      ...(int(0, 1) === 0 ? undefined : { tags: Array.from({ length: int(0, 3) }, () => pick(names)) }),
    },
  }),
  maxRows: pick([0, 1, 2, 10, 1_000, Infinity]),
  order: pick(["forward", "backward"]),
  headersOnly: int(0, 3) === 0,
})

for (const seed of [1, 2, 3, 4]) {
  it.live(
    `answers any scan as rows in memory would, before, within and after transactions (seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const { path } = yield* workshop
        const luck = random(seed)
        const file = path("journal.ndjson")
        const store = yield* NdjsonJournal.openStore({ path: file })
        const reader = yield* NdjsonJournal.openStore({ path: file, mode: "read" })
        let rows: ReadonlyArray<Row> = []
        const check = (scans: Pick<JournalStore, "scan">, rows: ReadonlyArray<Row>) =>
          Effect.gen(function* () {
            for (let count = 0; count < 25; count++) {
              const scan = randomScan(luck, rows.at(-1)?.position ?? 0)
              expect(yield* scans.scan(scan), JSON.stringify(scan)).toEqual(expected(rows, scan))
            }
          })
        for (let round = 0; round < 8; round++) {
          const last = rows.at(-1)?.position ?? 0
          const first = rows[0]?.position ?? 1
          const added = randomRows(luck, luck.int(0, 60), last)
          const removed = luck.int(0, 3) === 0 ? luck.int(first - 1, last - 1) : 0
          const stripped = luck.int(0, 3) === 0 ? Array.from({ length: 5 }, () => luck.int(first, last + 5)) : []
          const after = [...rows, ...added]
            .filter((row) => row.position > removed)
            .map((row) => stripped.includes(row.position) ? { ...row, body: "" } : row)
          yield* store.transact(luck.pick(["memory", "os", "disk"]), (transaction) =>
            Effect.gen(function* () {
              expect(transaction.head.position).toBe(last)
              yield* check(transaction, rows)
              yield* transaction.insert(added.slice(0, 10))
              yield* transaction.insert(added.slice(10))
              yield* check(transaction, [...rows, ...added])
              if (removed > 0) yield* transaction.removeThrough(removed)
              yield* transaction.strip(stripped)
              yield* check(transaction, after)
            }))
          rows = after
          yield* check(store, rows)
          expect((yield* store.head).position).toBe(rows.at(-1)?.position ?? 0)
          expect(yield* store.size).toMatchObject({ entries: rows.length, first: rows[0]?.position ?? 0 })
          // What is in memory only is not there for others yet.
          yield* store.transact("os", () => Effect.void)
          yield* check(reader, rows)
          expect(yield* reader.head).toEqual(yield* store.head)
          expect(yield* reader.size).toMatchObject({ entries: rows.length, first: rows[0]?.position ?? 0 })
        }
      }),
  )
}

it.live("respects maxBytes, but returns one row at least", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const store = yield* NdjsonJournal.openStore({ path: path("journal.ndjson") })
    // Bodies of 1,026 bytes.
    yield* add(store, 50, "os", { text: (at) => String(at).padStart(1_000, "x") })
    yield* add(store, 50, "memory", { text: (at) => String(at).padStart(1_000, "x") })
    for (const order of ["forward", "backward"] as const) {
      for (
        const [maxBytes, count] of [[0, 1], [1, 1], [2_051, 1], [2_052, 2], [30_000, 29], [60_000, 58], [1e9, 100]]
      ) {
        const rows = yield* store.scan({
          maxRows: 1_000,
          order,
          ...(maxBytes === undefined ? undefined : { maxBytes }),
        })
        expect(rows, `${order} ${maxBytes}`).toHaveLength(count ?? 0)
        expect(positionsOf(rows)).toEqual(
          order === "forward" ? upTo(count ?? 0) : upTo(100, 101 - (count ?? 0)).toReversed(),
        )
      }
      expect(yield* store.scan({ maxRows: 1_000, maxBytes: 1, headersOnly: true, order })).toHaveLength(100)
    }
  }))

it.live("yields while it scans a large file", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const system = loadHostSystem()
    const open = new Set<number>()
    const openSync: Files["openSync"] = (name, flags, mode) => {
      const descriptor = system.files.openSync(name, flags, mode)
      open.add(descriptor)
      return descriptor
    }
    const closeSync: Files["closeSync"] = (descriptor) => {
      if (!open.delete(descriptor)) throw new Error("it was not open")
      system.files.closeSync(descriptor)
    }
    const counting = { ...system, files: { ...system.files, openSync, closeSync } }
    const store = yield* openStoreWith(counting, { path: path("journal.ndjson") })
    for (let round = 0; round < 100; round++) {
      yield* add(store, 500, "os", { text: (at) => `${at} ${"x".repeat(500)}` })
    }
    for (const order of ["forward", "backward"] as const) {
      let turns = 0
      const others = yield* Effect.forkChild(Effect.forever(Effect.andThen(
        Effect.sync(() => void turns++),
        Effect.yieldNow,
      )))
      // Entries that are pruned away meanwhile are in the file that it reads.
      const looking = yield* Effect.forkChild(store.scan({ filter: { tags: ["Noted"] }, maxRows: Infinity, order }))
      yield* Effect.yieldNow
      const { entries, first } = yield* store.size
      yield* store.transact("os", (transaction) => transaction.removeThrough(first + Math.floor(entries / 2)))
      expect(yield* Fiber.join(looking)).toHaveLength(entries)
      expect(turns).toBeGreaterThan(2)
      // The file that it has read is closed.
      expect(open.size).toBe(1)
      yield* Fiber.interrupt(others)
    }
  }))
