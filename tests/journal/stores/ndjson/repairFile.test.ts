import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { makeJournal } from "../../../../src/journal/makeJournal.ts"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { openStoreWith } from "../../../../src/journal/stores/ndjson/openStoreWith.ts"
import { loadHostSystem } from "../../../../src/journal/stores/ndjson/HostSystem.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, all, linesOf, positionsOf, reasonOf, upTo } from "./support.ts"

/** A journal of three transactions; the last has two rows. */
const three = Effect.gen(function* () {
  const { path, read } = yield* workshop
  const file = path("journal.ndjson")
  const ends = yield* Effect.scoped(Effect.gen(function* () {
    const store = yield* NdjsonJournal.openStore({ path: file })
    yield* add(store, 2)
    yield* add(store, 1, "os", { text: () => 'é\n"😀' })
    const { bytes } = yield* store.size
    yield* add(store, 2, "os", { text: (position) => `日 ${position}` })
    return { before: bytes, after: (yield* store.size).bytes }
  }))
  return { ...ends, file, bytes: readFileSync(file), read }
})

const system = loadHostSystem()

/** Opens it on a disk that confirms at once: what it confirms is not the question here, and it is opened often. */
const opened = (file: string, mode: "read" | "write" = "write") => {
  const reports: Array<NdjsonJournal.NdjsonRepairReport> = []
  const files = { ...system.files, fsyncSync: () => {} }
  return Effect.map(
    openStoreWith({ ...system, files }, { path: file, mode, onRepair: (report) => void reports.push(report) }),
    (store) => ({ store, reports }),
  )
}

it.live(
  "truncates a transaction that is incomplete at any byte, keeps the removed bytes, and continues",
  () =>
    Effect.gen(function* () {
      const { after, before, bytes, file } = yield* three
      expect(bytes.length).toBe(after)
      for (let size = before; size < after; size++) {
        writeFileSync(file, bytes.subarray(0, size))
        // Who reads meanwhile does not see it, whole lines of it neither.
        yield* Effect.scoped(Effect.gen(function* () {
          const { store } = yield* opened(file, "read")
          expect((yield* store.head).position).toBe(3)
          expect(positionsOf(yield* all(store))).toEqual([1, 2, 3])
          expect(positionsOf(yield* store.scan({ maxRows: 9, order: "backward" }))).toEqual([3, 2, 1])
        }))
        yield* Effect.scoped(Effect.gen(function* () {
          const { reports, store } = yield* opened(file)
          expect(reports.map(({ bytes, position }) => ({ bytes, position }))).toEqual(
            size === before ? [] : [{ bytes: size - before, position: 4 }],
          )
          for (const { kept } of reports) expect(readFileSync(kept).equals(bytes.subarray(before, size))).toBe(true)
          expect((yield* store.head).position).toBe(3)
          yield* add(store, 2)
          expect(positionsOf(yield* all(store))).toEqual(upTo(5))
        }))
        expect(linesOf(file).map((line) => JSON.parse(line).position)).toEqual(upTo(5))
      }
      // Of each its own, none over another.
      expect(readdirSync(dirname(file)).filter((name) => name.includes(".torn-"))).toHaveLength(after - before - 1)
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([]))),
)

it.live("leaves a file unchanged that ends with a complete transaction", () =>
  Effect.gen(function* () {
    const { bytes, file } = yield* three
    const { reports, store } = yield* opened(file)
    expect(reports).toEqual([])
    expect(positionsOf(yield* all(store))).toEqual(upTo(5))
    expect(readFileSync(file).equals(bytes)).toBe(true)
  }))

it.live("logs a cut as a warning, with the file that keeps it", () =>
  Effect.gen(function* () {
    const { file } = yield* three
    appendFileSync(file, `{"position":6,`)
    const messages: Array<unknown> = []
    const logger = Logger.make(({ logLevel, message }) => void messages.push([logLevel, message]))
    yield* Effect.scoped(NdjsonJournal.openStore({ path: file })).pipe(Effect.provide(Logger.layer([logger])))
    expect(messages).toHaveLength(1)
    expect(String(messages[0])).toMatch(
      /^Warn,journal: .* 14 bytes were cut where entry 6 would stand, .*\.torn-\d{8}T\d{9}Z$/,
    )
  }))

const garbage: Readonly<Record<string, string>> = {
  "zeros, as after a power failure": "\0".repeat(10_000),
  "a last line that is not JSON": `{"position":6,"time":\n`,
  "a last line that is not an entry": "hello\n",
  "a last line whose body is not whole": `${
    JSON.stringify({
      position: 6,
      time: 1,
      branch: "b",
      correlationId: "c",
      tag: "T",
      version: 1,
      hash: "0".repeat(64),
      body: { _tag: "T" },
    }).slice(0, -2)
  }\n`,
  "a last line with an invalid hash": `${
    JSON.stringify({
      position: 6,
      time: 1,
      branch: "b",
      correlationId: "c",
      tag: "T",
      version: 1,
      hash: "g".repeat(64),
      body: { _tag: "T" },
    })
  }\n`,
  "a last line that is empty": "\n",
  "an unfinished line of a megabyte": `{"position":6,${" ".repeat(1024 * 1024)}`,
}

for (const [what, text] of Object.entries(garbage)) {
  it.live(`cuts ${what}`, () =>
    Effect.gen(function* () {
      const { bytes, file } = yield* three
      appendFileSync(file, text)
      const { reports, store } = yield* opened(file)
      expect(reports).toMatchObject([{ position: 6, bytes: text.length }])
      expect(positionsOf(yield* all(store))).toEqual(upTo(5))
      expect(readFileSync(file).equals(bytes)).toBe(true)
    }).pipe(Effect.provide(Logger.layer([]))))
}

it.live("cuts and finds transactions that are larger than a block", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    const ends: Array<number> = []
    yield* Effect.scoped(Effect.gen(function* () {
      const store = yield* NdjsonJournal.openStore({ path: file })
      for (const length of [10, 200_000, 30_000, 100]) {
        yield* add(store, 5, "os", { text: () => "é".repeat(length) })
        ends.push((yield* store.size).bytes)
      }
    }))
    const bytes = readFileSync(file)
    for (const [index, end] of ends.entries()) {
      for (const more of [0, 1, 1_000, 70_000, 300_000]) {
        if (end + more >= (ends[index + 1] ?? end + 1)) continue
        writeFileSync(file, bytes.subarray(0, end + more))
        yield* Effect.scoped(Effect.gen(function* () {
          const reader = yield* opened(file, "read")
          expect((yield* reader.store.head).position).toBe(5 * (index + 1))
          const { reports, store } = yield* opened(file)
          expect((yield* store.head).position).toBe(5 * (index + 1))
          expect(reports.map((report) => report.bytes)).toEqual(more === 0 ? [] : [more])
          expect(positionsOf(yield* all(store))).toEqual(upTo(5 * (index + 1)))
        }))
      }
    }
  }).pipe(Effect.provide(Logger.layer([]))))

it.live("cuts a journal's only transaction", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => add(store, 3)))
    truncateSync(file, readFileSync(file).length - 1)
    yield* Effect.scoped(Effect.gen(function* () {
      const { store } = yield* opened(file, "read")
      expect(yield* store.head).toEqual({ position: 0, hash: "0".repeat(64) })
      expect(yield* store.size).toMatchObject({ entries: 0, first: 0 })
      expect(yield* all(store)).toEqual([])
    }))
    const { reports, store } = yield* opened(file)
    expect(reports).toMatchObject([{ position: 1 }])
    yield* add(store, 1)
    expect(positionsOf(yield* all(store))).toEqual([1])
  }).pipe(Effect.provide(Logger.layer([]))))

it.live("never cuts a damaged line before the last, and reports its position", () =>
  Effect.gen(function* () {
    const { bytes, file } = yield* three
    const lines = bytes.toString("utf8").split("\n")
    const damage: Readonly<Record<string, string>> = {
      "is cut short": lines[3]?.slice(0, 50) ?? "",
      "is empty": "",
      "is no JSON": "hello",
      "has no body": lines[3]?.replace(`,"body":`, `,"bod":`) ?? "",
    }
    for (const [what, line] of Object.entries(damage)) {
      const damaged = lines.with(3, line).join("\n")
      writeFileSync(file, damaged)
      for (const mode of ["read", "write"] as const) {
        yield* Effect.scoped(Effect.gen(function* () {
          const { reports, store } = yield* opened(file, mode)
          const corrupt = { _tag: "Corrupt", position: 3 }
          expect(yield* reasonOf(all(store)), what).toMatchObject(corrupt)
          expect(yield* reasonOf(store.scan({ maxRows: 9, order: "backward" })), what).toMatchObject(corrupt)
          expect(yield* reasonOf(store.scan({ maxRows: 1, after: 2 })), what).toMatchObject(corrupt)
          // What can be read can be read.
          expect(positionsOf(yield* store.scan({ maxRows: 2 })), what).toEqual([1, 2])
          expect(positionsOf(yield* store.scan({ maxRows: 2, order: "backward" })), what).toEqual([5, 4])
          expect((yield* store.head).position).toBe(5)
          expect(reports).toEqual([])
        }))
      }
      expect(readFileSync(file, "utf8")).toBe(damaged)
    }
  }))

it.live("reports a complete last line that is not an entry", () =>
  Effect.gen(function* () {
    const { file } = yield* three
    appendFileSync(file, "hello\n")
    expect(yield* reasonOf(Effect.scoped(NdjsonJournal.openStore({ path: file, mode: "read" })))).toMatchObject({
      _tag: "Corrupt",
    })
  }))

it.live("reports a repeated entry as damage, in either direction", () =>
  Effect.gen(function* () {
    const { bytes, file } = yield* three
    const lines = bytes.toString("utf8").split("\n")
    writeFileSync(file, lines.with(3, lines[2] ?? "").join("\n"))
    const { store } = yield* opened(file)
    expect(yield* reasonOf(all(store))).toMatchObject({ _tag: "Corrupt", position: 3 })
    expect(yield* reasonOf(store.scan({ maxRows: 9, order: "backward" }))).toMatchObject({
      _tag: "Corrupt",
      position: 1,
    })
  }))

it.live("reads the rest when a line is missing: verify reports it", () =>
  Effect.gen(function* () {
    const { bytes, file } = yield* three
    const lines = bytes.toString("utf8").split("\n")
    writeFileSync(file, lines.toSpliced(3, 1).join("\n"))
    const { store } = yield* opened(file)
    for (const filter of [undefined, { tags: ["Noted"] }, { branch: "notes" }, { correlationId: "n" }]) {
      expect(positionsOf(yield* store.scan({ filter, maxRows: 9 }))).toEqual([1, 2, 4, 5])
      expect(positionsOf(yield* store.scan({ after: 2, before: 5, filter, maxRows: 9 }))).toEqual([4])
      expect(positionsOf(yield* store.scan({ before: 4, filter, maxRows: 9, order: "backward" }))).toEqual([2, 1])
      expect(positionsOf(yield* store.scan({ after: 2, filter, maxRows: 9, order: "backward" }))).toEqual([5, 4])
      expect(yield* store.scan({ after: 2, before: 4, filter, maxRows: 9 })).toEqual([])
      expect(yield* store.scan({ after: 2, before: 4, filter, maxRows: 9, order: "backward" })).toEqual([])
    }
    const journal = yield* makeJournal(store)
    expect(yield* reasonOf(journal.verify())).toMatchObject({ _tag: "Corrupt", position: 3 })
  }))
