import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { appendFileSync, readdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { openStoreWith } from "../../../../src/journal/stores/ndjson/openStoreWith.ts"
import { type Files, loadHostSystem } from "../../../../src/journal/stores/ndjson/HostSystem.ts"
import { eventually, pause } from "../../../support/eventually.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, all, positionsOf, reasonOf, upTo } from "./support.ts"

/** A journal that is open for writing, and once more for reading, as in another process. */
const two = Effect.gen(function* () {
  const { path } = yield* workshop
  const file = path("journal.ndjson")
  const writer = yield* NdjsonJournal.make({ path: file })
  const reader = yield* NdjsonJournal.make({ path: file, mode: "read" })
  return { file, reader, writer }
})

const note = (text: string) => ({ branch: "notes", correlationId: "n", body: { _tag: "Noted", text } })

it.live("delivers each entry once and in order to tails, while the file is pruned repeatedly", () =>
  Effect.gen(function* () {
    const { reader, writer } = yield* two
    const count = 600
    const seen = [0, 0, 0].map((): Array<number> => [])
    const followers = yield* Effect.forEach(seen, (positions) =>
      Effect.forkChild(
        reader.tail().pipe(
          Stream.take(count),
          Stream.runForEach(({ position }) => Effect.sync(() => void positions.push(position))),
        ),
      ))
    let last = 0
    while (last < count) {
      const [position = 0] = yield* writer.append([note(`${last}`)])
      last = position
      if (last % 20 > 0) continue
      // A reader behind the pruned position fails: here none may be, though some are behind the end.
      yield* eventually("they have come far enough", () => seen.every(({ length }) => length >= last - 100))
      const correlationIds = last % 60 === 0 ? ["n"] : []
      const { checkpoints } = yield* writer.prune({
        keepEntries: 150,
        correlationIds,
        keepFrom: Math.max(0, last - 110),
      })
      last = checkpoints.at(-1) ?? last
    }
    yield* Effect.forEach(followers, Fiber.join)
    for (const positions of seen) expect(positions).toEqual(upTo(count))
    expect((yield* reader.stats).entries).toBeLessThan(count)
    const { head } = yield* reader.verify()
    expect(head).toEqual(yield* writer.head)
  }))

it.live("wakes tails, also without notifications of the system", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const system = loadHostSystem()
    const watch = () => {
      throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })
    }
    const silent = { ...system, files: { ...system.files, watch: Object.assign(watch, { __promisify__: watch }) } }
    const options = { path: path("journal.ndjson"), mode: "read", pollInterval: "5 millis" } as const
    const writer = yield* NdjsonJournal.openStore({ path: options.path })
    // One that hears of changes hardly ever looks by itself.
    for (const [on, pollInterval] of [[system, "1 minute"], [silent, "5 millis"]] as const) {
      yield* Effect.scoped(Effect.gen(function* () {
        const reader = yield* openStoreWith(on, { ...options, pollInterval })
        let wakes = 0
        yield* reader.watch(() => void wakes++)
        for (let round = 0; round < 5; round++) {
          const before = wakes
          yield* add(writer, 1)
          yield* eventually("it was woken", () => wakes > before)
        }
        if (on === silent) {
          const before = wakes
          yield* writer.transact("os", (transaction) => transaction.removeThrough(1))
          yield* eventually("it was woken", () => wakes > before)
        }
      }))
    }
  }))

it.live("stops polling when there is no tail", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    const writer = yield* NdjsonJournal.openStore({ path: file })
    const reader = yield* NdjsonJournal.openStore({ path: file, mode: "read", pollInterval: "1 millis" })
    let wakes = 0
    yield* Effect.scoped(Effect.gen(function* () {
      yield* reader.watch(() => void wakes++)
      yield* add(writer, 1)
      yield* eventually("it was woken", () => wakes > 1)
    }))
    yield* pause(5)
    const before = wakes
    yield* add(writer, 1)
    yield* pause(30)
    expect(wakes).toBe(before)
  }))

it.live("shows readers only complete transactions", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => add(store, 4)))
    const bytes = readFileSync(file)
    const header = bytes.indexOf(10) + 1
    truncateSync(file, header)
    const reader = yield* NdjsonJournal.openStore({ path: file, mode: "read" })
    for (let at = header; at < bytes.length; at += 50) {
      expect((yield* reader.head).position).toBe(0)
      expect(yield* all(reader)).toEqual([])
      appendFileSync(file, bytes.subarray(at, at + 50))
    }
    expect((yield* reader.head).position).toBe(4)
    expect(positionsOf(yield* all(reader))).toEqual(upTo(4))
  }))

it.live("follows a file that was cut, as after a failed confirmation", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => add(store, 3)))
    const whole = readFileSync(file)
    yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => add(store, 3)))
    const reader = yield* NdjsonJournal.openStore({ path: file, mode: "read" })
    expect((yield* reader.head).position).toBe(6)
    truncateSync(file, whole.length)
    expect((yield* reader.head).position).toBe(3)
    expect(positionsOf(yield* all(reader))).toEqual(upTo(3))
  }))

it.live("fails while the file is missing, and continues when it is back", () =>
  Effect.gen(function* () {
    const { file, reader, writer } = yield* two
    yield* writer.append([note("1")])
    renameSync(file, `${file}.away`)
    expect(yield* reasonOf(reader.head)).toMatchObject({ _tag: "Missing", code: "ENOENT" })
    renameSync(`${file}.away`, file)
    expect((yield* reader.head).position).toBe(1)
  }))

it.live("fails appends when the file was moved, removed, or written by another program", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    const store = yield* NdjsonJournal.openStore({ path: file })
    yield* add(store, 1)
    // It looks four times a second.
    yield* pause(260)
    renameSync(file, `${file}.away`)
    expect(yield* reasonOf(add(store, 1))).toMatchObject({ _tag: "Missing" })
    renameSync(`${file}.away`, file)
    yield* add(store, 1)
    yield* pause(260)
    appendFileSync(file, "hello\n")
    expect(yield* reasonOf(add(store, 1))).toMatchObject({ _tag: "Corrupt" })
    expect(readFileSync(file, "utf8").endsWith("hello\n")).toBe(true)
  }))

it.live("removes the leftovers of a crash during a prune, and nothing else", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    const file = path("journal.ndjson")
    yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => add(store, 3)))
    const others = ["journal.ndjson.torn-1", "journal.ndjson.gz", "other.ndjson.tmp-1", "journal.ndjson.lock-young"]
    for (const name of [...others, "journal.ndjson.tmp-1"]) writeFileSync(path(name), "x")
    yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), all))
    expect(readdirSync(directory).toSorted()).toEqual(["journal.ndjson", ...others].toSorted())
  }))

it.live("keeps a damaged line when it prunes", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => add(store, 5)))
    const damaged = readFileSync(file, "utf8").split("\n").map((line, at) =>
      at === 3 ? line.replace("body", "b") : line
    )
    writeFileSync(file, damaged.join("\n"))
    const store = yield* NdjsonJournal.openStore({ path: file })
    const stripping = store.transact("os", (transaction) => transaction.strip([2, 3]))
    expect(yield* reasonOf(stripping)).toMatchObject({ _tag: "Corrupt", position: 3 })
    expect(readFileSync(file, "utf8")).toBe(damaged.join("\n"))
    yield* store.transact("os", (transaction) => transaction.strip([2, 4]))
    yield* store.transact("os", (transaction) => transaction.removeThrough(1))
    expect(readFileSync(file, "utf8").split("\n")[2]).toBe(damaged[3])
    expect(yield* reasonOf(all(store))).toMatchObject({ _tag: "Corrupt", position: 3 })
  }))

it.live("reads again when a failed write is taken back during a read", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    const writer = yield* NdjsonJournal.openStore({ path: file })
    yield* add(writer, 3)
    const system = loadHostSystem()
    let gone = 0
    const readSync: Files["readSync"] = (
      descriptor: number,
      buffer: NodeJS.ArrayBufferView,
      at?: unknown,
      length?: unknown,
      from?: unknown,
    ) => {
      // As if the file had been cut after its size was asked.
      if (gone-- > 0) return 0
      return system.files.readSync(descriptor, buffer, Number(at), Number(length), Number(from))
    }
    const reader = yield* openStoreWith({ ...system, files: { ...system.files, readSync } }, {
      path: file,
      mode: "read",
    })
    yield* add(writer, 1)
    gone = 3
    expect((yield* reader.head).position).toBe(4)
    expect(gone).toBeLessThan(0)
    appendFileSync(file, "{")
    gone = 1_000
    expect(yield* reasonOf(reader.head)).toEqual({ _tag: "Unavailable" })
    gone = 0
    expect(positionsOf(yield* all(reader))).toEqual(upTo(4))
  }))

it.live("closes only after a pending prune", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    const file = path("journal.ndjson")
    const pruning = yield* Effect.scoped(Effect.gen(function* () {
      const store = yield* NdjsonJournal.openStore({ path: file })
      for (let round = 0; round < 20; round++) yield* add(store, 500, "os", { text: () => "x".repeat(1_000) })
      const fiber = yield* Effect.forkDetach(store.transact("os", (transaction) => transaction.strip([5_000])))
      yield* Effect.yieldNow
      expect(readdirSync(directory).filter((name) => name.includes(".tmp-"))).toHaveLength(1)
      return fiber
    }))
    expect(readdirSync(directory)).toEqual(["journal.ndjson"])
    yield* Fiber.join(pruning)
    const store = yield* NdjsonJournal.openStore({ path: file })
    expect((yield* store.scan({ after: 4_999, maxRows: 1 }))[0]?.body).toBe("")
    expect((yield* store.head).position).toBe(10_000)
  }))
