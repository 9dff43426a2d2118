import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type JournalStore, matches, type Row, type Scan } from "@sluice/shell/journal"
import { appendFileSync, closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from "node:fs"
import { openNdjson } from "../../../src/journal/ndjson.ts"
import { openNdjsonOn } from "../../../src/journal/stores/ndjson/openNdjsonOn.ts"
import { currentSystem, type Files, type System } from "../../../src/journal/stores/ndjson/System.ts"
import { pause } from "../../support/eventually.ts"
import { random } from "../../support/random.ts"
import { workshop } from "../../support/workshop.ts"
import { add, positionsOf, rowsAfter, upTo } from "./support.ts"

/** A system that counts the bytes that are read. */
const counting = (): { readonly system: System; readonly take: () => number } => {
  const system = currentSystem()
  let bytes = 0
  const readSync: Files["readSync"] = (
    descriptor: number,
    buffer: NodeJS.ArrayBufferView,
    at?: unknown,
    length?: unknown,
    from?: unknown,
  ) => {
    const got = system.files.readSync(descriptor, buffer, Number(at), Number(length), Number(from))
    bytes += got
    return got
  }
  return {
    system: { ...system, files: { ...system.files, readSync } },
    take: () => {
      const taken = bytes
      bytes = 0
      return taken
    },
  }
}

/** Adds a command: some entries with its id. */
const addCommand = (store: JournalStore, correlationId: string, count = 20) =>
  add(store, count, "os", { correlationId, tag: "Chunk", text: (at) => `${at}`.padStart(150, "x") })

const find = (store: JournalStore, correlationId: string, order: Scan["order"] = "forward") =>
  Effect.map(store.scan({ filter: { correlationId }, limit: Infinity, order }), positionsOf)

const orders = ["forward", "backward"] as const

it.live(
  "reads less than a fiftieth of the file when a command is asked for that it has passed by before",
  () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const file = path("journal.ndjson")
      yield* Effect.scoped(Effect.gen(function* () {
        const { system, take } = counting()
        const store = yield* openNdjsonOn(system, { path: file })
        for (let command = 0; command < 2_500; command++) yield* addCommand(store, `command-${command}`)
        take()
        // Who has written it need not read it first.
        for (const order of orders) {
          expect(yield* find(store, "command-1000", order)).toHaveLength(20)
          expect(yield* find(store, "nobody", order)).toEqual([])
          expect(take()).toBeLessThan(size("journal.ndjson") / 50)
        }
      }))
      const whole = size("journal.ndjson")
      for (const first of orders) {
        const { system, take } = counting()
        const store = yield* openNdjsonOn(system, { path: file, mode: "read" })
        take()
        expect(yield* find(store, "command-7", first)).toHaveLength(20)
        expect(take()).toBeGreaterThan(whole * 0.99)
        for (const order of orders) {
          const positions = yield* find(store, "command-1000", order)
          expect(positions).toEqual(order === "forward" ? upTo(20_020, 20_001) : upTo(20_020, 20_001).toReversed())
          expect(take()).toBeLessThan(whole / 50)
          expect(yield* store.scan({ filter: { tags: ["Nothing"] }, limit: 10, order })).toEqual([])
          expect(yield* store.scan({ filter: { branch: "nothing" }, limit: 10, order })).toEqual([])
          expect(take()).toBeLessThan(whole / 50)
        }
      }
    }),
  60_000,
)

it.live("learns also when everything is read, a few entries at a time", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const file = path("journal.ndjson")
    const writer = yield* openNdjson({ path: file })
    for (let command = 0; command < 200; command++) yield* addCommand(writer, `command-${command}`)
    const { system, take } = counting()
    const store = yield* openNdjsonOn(system, { path: file, mode: "read" })
    for (let after = 0; after < 4_000; after += 30) yield* store.scan({ after, limit: 30 })
    take()
    expect(yield* find(store, "command-20")).toEqual(upTo(420, 401))
    expect(take()).toBeLessThan(size("journal.ndjson") / 10)
    // What is added is read once, and not what was there before.
    yield* addCommand(writer, "command-200")
    expect(yield* find(store, "command-200")).toEqual(upTo(4_020, 4_001))
    expect(take()).toBeLessThan(size("journal.ndjson") / 5)
  }))

const names = ["a", "b", `c"\\`, "é😀", ""]

for (const seed of [1, 2, 3]) {
  it.live(
    `answers as rows in memory would when most of the file is passed over (seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const { path } = yield* workshop
        const { int, pick } = random(seed)
        const file = path("journal.ndjson")
        const writer = yield* openNdjson({ path: file })
        const reader = yield* openNdjson({ path: file, mode: "read" })
        let rows: ReadonlyArray<Row> = []
        const idOf = (position: number) => pick([`${Math.floor(position / 100) + int(0, 3)}`, pick(names)])
        for (let round = 0; round < 12; round++) {
          for (let count = int(1, 4); count > 0; count--) {
            const added = yield* writer.transact(pick(["memory", "os"]), (transaction) => {
              const made = rowsAfter(transaction.head, int(1, 400), { text: () => "é".repeat(int(0, 200)) })
                .map((row) => ({
                  ...row,
                  branch: pick(["x", "y"]),
                  correlationId: idOf(row.position),
                  tag: pick(names),
                }))
              return Effect.as(transaction.insert(made), made)
            })
            rows = [...rows, ...added]
          }
          const last = rows.at(-1)?.position ?? 0
          if (int(0, 4) === 0) {
            const removed = int((rows[0]?.position ?? 1) - 1, last - 1)
            yield* writer.transact("os", (transaction) => transaction.removeThrough(removed))
            rows = rows.filter(({ position }) => position > removed)
          }
          if (int(0, 4) === 0) {
            const stripped = Array.from({ length: 50 }, () => int(1, last))
            yield* writer.transact("os", (transaction) => transaction.strip(stripped))
            rows = rows.map((row) => stripped.includes(row.position) ? { ...row, body: "" } : row)
          }
          yield* writer.transact("os", () => Effect.void)
          for (let count = 0; count < 20; count++) {
            const order = pick(orders)
            const filter = {
              ...(int(0, 2) === 0 ? undefined : { correlationId: idOf(int(1, last)) }),
              ...(int(0, 2) === 0 ? { branch: pick(["x", "y", "z"]) } : undefined),
              ...(int(0, 2) === 0 ? { tags: [pick(names), pick(names)] } : undefined),
            }
            const limit = pick([1, 3, Infinity])
            const after = pick([0, int(0, last)])
            const before = pick([Infinity, int(1, last + 1)])
            const meant = rows.filter((row) => row.position > after && row.position < before && matches(filter, row))
            const expected = (order === "backward" ? meant.toReversed() : meant).slice(0, limit)
            const scan = { after, before, filter, limit, order }
            expect(yield* pick([writer, reader]).scan(scan), JSON.stringify(scan)).toEqual(expected)
            // Whoever follows goes on where this one stopped.
            const next = (order === "forward" ? expected.at(-1)?.position : undefined) ?? int(0, last)
            const [follower] = yield* pick([writer, reader]).scan({ after: next, limit: 1 })
            expect(follower?.position).toBe(rows.find((row) => row.position > next)?.position)
          }
        }
      }),
    60_000,
  )
}

/** A journal of 60 commands, with one that reads it and has learned all of it. */
const learned = Effect.gen(function* () {
  const { path } = yield* workshop
  const file = path("journal.ndjson")
  yield* Effect.scoped(Effect.gen(function* () {
    const writer = yield* openNdjson({ path: file })
    for (let command = 0; command < 60; command++) yield* addCommand(writer, `command-${command}`, 100)
  }))
  const reader = yield* openNdjson({ path: file, mode: "read" })
  expect(yield* find(reader, "nobody")).toEqual([])
  return { file, reader }
})

/** Appends as another process does. */
const appendAfter = (file: string, correlationId: string, count: number) =>
  Effect.scoped(Effect.flatMap(openNdjson({ path: file }), (store) => addCommand(store, correlationId, count)))

it.live("finds what another process has appended", () =>
  Effect.gen(function* () {
    const { file, reader } = yield* learned
    for (let round = 0; round < 5; round++) {
      yield* appendAfter(file, `nobody-${round}`, 150)
      for (const order of orders) expect(yield* find(reader, `nobody-${round}`, order)).toHaveLength(150)
    }
  }))

it.live("finds what was pruned into a new place, and what has taken the place of the file", () =>
  Effect.gen(function* () {
    const { file, reader } = yield* learned
    const bytes = readFileSync(file)
    yield* Effect.scoped(Effect.flatMap(
      openNdjson({ path: file }),
      (store) => store.transact("os", (transaction) => transaction.removeThrough(1_050)),
    ))
    for (const order of orders) expect(yield* find(reader, "command-10", order)).toHaveLength(50)
    writeFileSync(file, bytes)
    for (const order of orders) expect(yield* find(reader, "command-10", order)).toHaveLength(100)
  }))

it.live("finds what was written anew where the file was cut, however long it has become meanwhile", () =>
  Effect.gen(function* () {
    for (const count of [1, 2_000, 4_000]) {
      const { file, reader } = yield* learned
      const bytes = readFileSync(file)
      // In the middle of a line: the next writer cuts the rest of it.
      truncateSync(file, Math.floor(bytes.length / 2))
      yield* appendAfter(file, "nobody", count)
      for (const order of orders) expect(yield* find(reader, "nobody", order)).toHaveLength(count)
      expect(yield* find(reader, "command-59")).toEqual([])
      expect((yield* reader.head).position).toBeGreaterThan(count)
    }
  }))

it.live("finds what was written anew where the file was cut, also when it is as long as before", () =>
  Effect.gen(function* () {
    const { file, reader } = yield* learned
    const { length } = readFileSync(file)
    yield* pause(30)
    truncateSync(file, readFileSync(file).indexOf(`{"position":5901,`))
    yield* appendAfter(file, "nobody-all", 100)
    expect(readFileSync(file)).toHaveLength(length)
    for (const order of orders) expect(yield* find(reader, "nobody-all", order)).toHaveLength(100)
    const [last] = yield* reader.scan({ limit: 1, order: "backward" })
    expect(yield* reader.head).toEqual({ position: 6_000, hash: last?.hash })
  }))

it.live("finds what somebody has changed in place, where the file's time tells of it", () =>
  Effect.gen(function* () {
    const { file, reader } = yield* learned
    const writer = yield* openNdjson({ path: file })
    yield* addCommand(writer, "mine", 200)
    for (const store of [reader, writer]) expect(yield* find(store, "command-xx")).toEqual([])
    // The clock of a file system ticks every few milliseconds.
    yield* pause(30)
    const at = readFileSync(file).indexOf(`"command-30"`)
    const descriptor = openSync(file, "r+")
    writeSync(descriptor, Buffer.from(`"command-xx"`), 0, 12, at)
    closeSync(descriptor)
    for (const store of [reader, writer]) {
      for (const order of orders) expect(yield* find(store, "command-xx", order)).toHaveLength(1)
    }
  }))

it.live("believes nothing that it has learned of a file to which somebody adds beside the writer", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const { system, take } = counting()
    const store = yield* openNdjsonOn(system, { path: path("journal.ndjson") })
    for (let command = 0; command < 20; command++) yield* addCommand(store, `command-${command}`, 100)
    yield* find(store, "nobody")
    take()
    const end = size("journal.ndjson")
    appendFileSync(path("journal.ndjson"), "hello\n")
    expect(yield* find(store, "command-3")).toEqual(upTo(400, 301))
    expect(take()).toBeGreaterThan(end * 0.9)
  }))

it.live("does not take for written what a full disk has taken back", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const system = currentSystem()
    let full = false
    const writeSync = (descriptor: number, data: unknown, at?: unknown, length?: unknown): number => {
      if (!(data instanceof Uint8Array)) return system.files.writeSync(descriptor, String(data))
      if (full) throw Object.assign(new Error("no space is left"), { code: "ENOSPC" })
      return system.files.writeSync(descriptor, data, Number(at ?? 0), Number(length ?? data.length), null)
    }
    const store = yield* openNdjsonOn({ ...system, files: { ...system.files, writeSync } }, {
      path: path("journal.ndjson"),
    })
    for (let command = 0; command < 10; command++) {
      yield* addCommand(store, `command-${command}`, 100)
      full = true
      yield* Effect.flip(addCommand(store, `lost-${command}`, 100))
      full = false
      for (const order of orders) expect(yield* find(store, `lost-${command}`, order)).toEqual([])
    }
    yield* addCommand(store, "lost-3", 100)
    for (const order of orders) {
      expect(yield* find(store, "lost-3", order)).toHaveLength(100)
      expect(yield* find(store, "command-3", order)).toHaveLength(100)
    }
  }))
