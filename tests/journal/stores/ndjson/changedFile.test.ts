import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from "node:fs"
import type { JournalStore, Scan } from "../../../../src/journal/JournalStore.ts"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { openStoreWith } from "../../../../src/journal/stores/ndjson/openStoreWith.ts"
import { loadHostSystem } from "../../../../src/journal/stores/ndjson/HostSystem.ts"
import { pause } from "../../../support/eventually.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, positionsOf } from "./support.ts"

/** Adds a command: some entries with its id. */
const addCommand = (store: JournalStore, correlationId: string, count = 20) =>
  add(store, count, "os", { correlationId, tag: "Chunk", text: (at) => `${at}`.padStart(150, "x") })

const find = (store: JournalStore, correlationId: string, order: Scan["order"] = "forward") =>
  Effect.map(store.scan({ filter: { correlationId }, maxRows: Infinity, order }), positionsOf)

const orders = ["forward", "backward"] as const

/** A journal of 60 commands, and a reader that has read all of it once. */
const readOnce = Effect.gen(function* () {
  const { path } = yield* workshop
  const file = path("journal.ndjson")
  yield* Effect.scoped(Effect.gen(function* () {
    const writer = yield* NdjsonJournal.openStore({ path: file })
    for (let command = 0; command < 60; command++) yield* addCommand(writer, `command-${command}`, 100)
  }))
  const reader = yield* NdjsonJournal.openStore({ path: file, mode: "read" })
  expect(yield* find(reader, "nobody")).toEqual([])
  return { file, reader }
})

/** Appends as another process does. */
const appendAfter = (file: string, correlationId: string, count: number) =>
  Effect.scoped(
    Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => addCommand(store, correlationId, count)),
  )

it.live("finds entries that another process appended", () =>
  Effect.gen(function* () {
    const { file, reader } = yield* readOnce
    for (let round = 0; round < 5; round++) {
      yield* appendAfter(file, `nobody-${round}`, 150)
      for (const order of orders) expect(yield* find(reader, `nobody-${round}`, order)).toHaveLength(150)
    }
  }))

it.live("finds entries after a prune, and in a file that replaced the journal", () =>
  Effect.gen(function* () {
    const { file, reader } = yield* readOnce
    const bytes = readFileSync(file)
    yield* Effect.scoped(Effect.flatMap(
      NdjsonJournal.openStore({ path: file }),
      (store) => store.transact("os", (transaction) => transaction.removeThrough(1_050)),
    ))
    for (const order of orders) expect(yield* find(reader, "command-10", order)).toHaveLength(50)
    writeFileSync(file, bytes)
    for (const order of orders) expect(yield* find(reader, "command-10", order)).toHaveLength(100)
  }))

it.live("finds entries that replaced the truncated end of the file, at any length", () =>
  Effect.gen(function* () {
    for (const count of [1, 2_000, 4_000]) {
      const { file, reader } = yield* readOnce
      const bytes = readFileSync(file)
      // In the middle of a line: the next writer cuts the rest of it.
      truncateSync(file, Math.floor(bytes.length / 2))
      yield* appendAfter(file, "nobody", count)
      for (const order of orders) expect(yield* find(reader, "nobody", order)).toHaveLength(count)
      expect(yield* find(reader, "command-59")).toEqual([])
      expect((yield* reader.head).position).toBeGreaterThan(count)
    }
  }))

it.live("finds entries that replaced the truncated end of the file at the same length", () =>
  Effect.gen(function* () {
    const { file, reader } = yield* readOnce
    const { length } = readFileSync(file)
    yield* pause(30)
    truncateSync(file, readFileSync(file).indexOf(`{"position":5901,`))
    yield* appendAfter(file, "nobody-all", 100)
    expect(readFileSync(file)).toHaveLength(length)
    for (const order of orders) expect(yield* find(reader, "nobody-all", order)).toHaveLength(100)
    const [last] = yield* reader.scan({ maxRows: 1, order: "backward" })
    expect(yield* reader.head).toEqual({ position: 6_000, hash: last?.hash })
  }))

it.live("finds entries that were edited in place", () =>
  Effect.gen(function* () {
    const { file, reader } = yield* readOnce
    const writer = yield* NdjsonJournal.openStore({ path: file })
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

it.live("finds nothing that a full disk has taken back", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const system = loadHostSystem()
    let full = false
    const writeSync = (descriptor: number, data: unknown, at?: unknown, length?: unknown): number => {
      if (!(data instanceof Uint8Array)) return system.files.writeSync(descriptor, String(data))
      if (full) throw Object.assign(new Error("no space is left"), { code: "ENOSPC" })
      return system.files.writeSync(descriptor, data, Number(at ?? 0), Number(length ?? data.length), null)
    }
    const store = yield* openStoreWith({ ...system, files: { ...system.files, writeSync } }, {
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
