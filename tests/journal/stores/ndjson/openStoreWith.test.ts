import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync } from "node:fs"
import { platform } from "node:os"
import { join } from "node:path"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { openStoreWith } from "../../../../src/journal/stores/ndjson/openStoreWith.ts"
import { type Files, loadHostSystem } from "../../../../src/journal/stores/ndjson/HostSystem.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, all, linesOf, positionsOf, reasonOf, upTo } from "./support.ts"

const posix = platform() !== "win32"

const modeOf = (path: string): number => statSync(path).mode & 0o777

it.live("creates the file and its directories, accessible to the owner only", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("a/b/journal.ndjson")
    const store = yield* NdjsonJournal.openStore({ path: file })
    expect(store).toMatchObject({ name: "ndjson", location: realpathSync(file) })
    expect(yield* store.head).toEqual({ position: 0, hash: "0".repeat(64) })
    expect(yield* store.size).toMatchObject({ entries: 0, first: 0 })
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ sluice: "journal", format: 1 })
    if (posix) { for (const name of [file, `${file}.lock`]) expect(modeOf(name)).toBe(0o600) }
    yield* add(store, 3)
    expect(yield* store.size).toEqual({ entries: 3, bytes: statSync(file).size, first: 1 })
  }))

it.live("leaves no other file on close", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    yield* Effect.scoped(Effect.gen(function* () {
      const store = yield* NdjsonJournal.openStore({ path: path("journal.ndjson") })
      yield* add(store, 3, "memory")
      yield* store.transact("os", (transaction) => transaction.removeThrough(1))
    }))
    expect(readdirSync(directory)).toEqual(["journal.ndjson"])
  }))

it.live("writes one entry per line, readable with JSON.parse and jq", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    const store = yield* NdjsonJournal.openStore({ path: file })
    const rows = yield* add(store, 3, "os", { text: () => `é"\\\n\u2028😀` })
    yield* add(store, 1)
    const lines = linesOf(file).map((line) => JSON.parse(line))
    expect(lines.map((line) => line.more)).toEqual([true, true, undefined, undefined])
    for (const [index, row] of rows.entries()) expect(JSON.stringify(lines[index].body)).toBe(row.body)
    expect(Object.keys(lines[0])).toEqual(
      ["position", "time", "branch", "correlationId", "tag", "version", "hash", "more", "body"],
    )
    const jq = spawnSync("jq", ["-r", ".position", file], { encoding: "utf8" })
    if (jq.error === undefined) expect(jq.stdout).toBe("null\n1\n2\n3\n4\n")
  }))

it.live("keeps the permissions of an empty file", () =>
  Effect.gen(function* () {
    const { write } = yield* workshop
    const file = write("journal.ndjson", "", 0o640)
    yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file }), (store) => add(store, 2)))
    if (posix) expect(modeOf(file)).toBe(0o640)
    const store = yield* NdjsonJournal.openStore({ path: file })
    // Pruning makes a new file: also that is as the old one was.
    if (posix) chmodSync(file, 0o604)
    yield* store.transact("os", (transaction) => transaction.removeThrough(1))
    if (posix) expect(modeOf(file)).toBe(0o604)
    expect(positionsOf(yield* all(store))).toEqual([2])
  }))

it.live("is one journal under all names of its file", () =>
  Effect.gen(function* () {
    const { makeDirectory, path } = yield* workshop
    makeDirectory("real")
    symlinkSync(path("real"), path("link"))
    const store = yield* NdjsonJournal.openStore({ path: path("link/journal.ndjson") })
    expect(store.location).toBe(path("real/journal.ndjson"))
    symlinkSync(path("real/journal.ndjson"), path("other"))
    expect(yield* reasonOf(Effect.scoped(NdjsonJournal.openStore({ path: path("other") })))).toMatchObject({
      _tag: "Locked",
    })
    yield* add(store, 2)
    yield* store.transact("os", (transaction) => transaction.removeThrough(1))
    expect(
      positionsOf(
        yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: path("other"), mode: "read" }), all)),
      ),
    )
      .toEqual([2])
  }))

it.live("creates nothing with create: false or mode: read", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    for (const options of [{ create: false }, { mode: "read" }] as const) {
      for (const name of ["journal.ndjson", "no/journal.ndjson"]) {
        const error = yield* Effect.flip(Effect.scoped(NdjsonJournal.openStore({ path: path(name), ...options })))
        expect(error.reason).toMatchObject({ _tag: "Missing", code: "ENOENT" })
        expect(error.message).toMatch(/^journal: .*journal\.ndjson was not opened: it does not exist/)
      }
    }
    expect(readdirSync(directory)).toEqual([])
  }))

it.live("leaves a file unchanged that is not a journal", () =>
  Effect.gen(function* () {
    const { makeDirectory, path, write } = yield* workshop
    const contents = [
      "hello",
      "{}\n",
      "[]\n",
      `{"sluice":"journal"`,
      `{"sluice":"journal","format":0}\n`,
      "\n",
      "\0".repeat(9_999),
    ]
    for (const content of contents) {
      const file = write("journal.ndjson", content)
      for (const mode of ["read", "write"] as const) {
        expect(yield* reasonOf(Effect.scoped(NdjsonJournal.openStore({ path: file, mode })))).toMatchObject({
          _tag: "Corrupt",
          what: "its first line is not the header of a journal",
        })
      }
      expect(readFileSync(file, "utf8")).toBe(content)
    }
    const what = "it is a directory"
    makeDirectory("directory")
    expect(yield* reasonOf(Effect.scoped(NdjsonJournal.openStore({ path: path("directory") })))).toMatchObject({
      _tag: "Corrupt",
      what,
    })
    const under = path("journal.ndjson/journal.ndjson")
    expect(yield* reasonOf(Effect.scoped(NdjsonJournal.openStore({ path: under, create: false })))).toMatchObject({
      _tag: "Missing",
    })
  }))

it.live.runIf(posix)("does not block on a FIFO", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    execFileSync("mkfifo", [path("pipe")])
    for (const mode of ["read", "write"] as const) {
      expect(yield* reasonOf(Effect.scoped(NdjsonJournal.openStore({ path: path("pipe"), mode })))).toMatchObject({
        _tag: "Corrupt",
        what: "it is not a file",
      })
    }
  }))

it.live("fails with TooNew for a file of a later version", () =>
  Effect.gen(function* () {
    const { directory, write } = yield* workshop
    const content = `{"sluice":"journal","format":7,"new":true}\n{"unknown":1}\nunfinished`
    const file = write("journal.ndjson", content)
    for (const mode of ["read", "write"] as const) {
      expect(yield* reasonOf(Effect.scoped(NdjsonJournal.openStore({ path: file, mode })))).toEqual({
        _tag: "TooNew",
        version: 7,
        known: 1,
      })
    }
    expect(readFileSync(file, "utf8")).toBe(content)
    expect(readdirSync(directory)).toEqual(["journal.ndjson"])
  }))

it.live("accepts unknown fields in the header", () =>
  Effect.gen(function* () {
    const { write } = yield* workshop
    const file = write("journal.ndjson", `{"sluice":"journal","format":1,"by":"a later 1.x"}\n`)
    const store = yield* NdjsonJournal.openStore({ path: file })
    yield* add(store, 2)
    yield* store.transact("os", (transaction) => transaction.removeThrough(1))
    expect(readFileSync(file, "utf8")).toContain("a later 1.x")
    expect(positionsOf(yield* all(store))).toEqual([2])
  }))

it.live("fails with Closed after its Scope was closed", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    for (const mode of ["write", "read"] as const) {
      const scope = yield* Scope.make()
      const store = yield* Scope.provide(NdjsonJournal.openStore({ path: path("journal.ndjson"), mode }), scope)
      yield* Scope.close(scope, Exit.void)
      const closed = { _tag: "Closed" }
      expect(yield* reasonOf(store.head)).toEqual(closed)
      expect(yield* reasonOf(store.size)).toEqual(closed)
      expect(yield* reasonOf(all(store))).toEqual(closed)
      if (mode === "write") {
        for (const level of store.durabilities) expect(yield* reasonOf(add(store, 1, level))).toEqual(closed)
      }
    }
  }))

it.live("fails with ReadOnly in mode read", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const options = { path: path("journal.ndjson") }
    yield* Effect.scoped(NdjsonJournal.openStore(options))
    const store = yield* NdjsonJournal.openStore({ ...options, mode: "read" })
    const error = yield* Effect.flip(add(store, 1))
    expect(error.reason).toEqual({ _tag: "ReadOnly" })
    expect(error.message).toMatch(/was not written: it was opened for reading$/)
  }))

it.live("releases the lock of a failed open before its Scope closes", () =>
  Effect.gen(function* () {
    const { directory, write } = yield* workshop
    const file = write("journal.ndjson", "hello\n")
    expect(yield* reasonOf(NdjsonJournal.openStore({ path: file }))).toMatchObject({ _tag: "Corrupt" })
    expect(readdirSync(directory)).toEqual(["journal.ndjson"])
  }))

it.live("reads little of a large file to open it, to find an entry, and to see new entries", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    const writer = yield* NdjsonJournal.openStore({ path: file })
    for (let round = 0; round < 60; round++) yield* add(writer, 500, "os", { text: (at) => "x".repeat(at % 1_000) })
    expect(statSync(file).size).toBeGreaterThan(20_000_000)
    const system = loadHostSystem()
    let bytes = 0
    const readSync: Files["readSync"] = (
      descriptor: number,
      buffer: NodeJS.ArrayBufferView,
      at?: unknown,
      length?: unknown,
      from?: unknown,
    ) => {
      bytes += Number(length)
      return system.files.readSync(descriptor, buffer, Number(at), Number(length), Number(from))
    }
    const counting = { ...system, files: { ...system.files, readSync } }
    const reader = yield* openStoreWith(counting, { path: file, mode: "read" })
    expect((yield* reader.head).position).toBe(30_000)
    // The end of the last transaction is all it takes.
    expect(bytes).toBeLessThan(100_000)
    for (const after of [5, 14_998, 29_997, 12_345, 12_345]) {
      bytes = 0
      expect(positionsOf(yield* reader.scan({ after, maxRows: 2 }))).toEqual([after + 1, after + 2])
      expect(bytes).toBeLessThan(200_000)
    }
    bytes = 0
    yield* add(writer, 2)
    expect(positionsOf(yield* reader.scan({ after: 30_000, maxRows: 10 }))).toEqual([30_001, 30_002])
    expect(bytes).toBeLessThan(10_000)
    // Who is at the end reads nothing.
    bytes = 0
    expect(yield* reader.scan({ after: 30_002, maxRows: 10 })).toEqual([])
    expect(bytes).toBe(0)
  }))

it.live("finds the end and any entry of a large file", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    yield* Effect.scoped(Effect.gen(function* () {
      const store = yield* NdjsonJournal.openStore({ path: file })
      for (let round = 0; round < 40; round++) {
        // Short lines, and among them some that are longer than any block.
        yield* add(store, 400, "os", { text: (at) => at % 400 === 7 ? "é".repeat(300_000) : `text ${at}` })
      }
    }))
    expect(statSync(file).size).toBeGreaterThan(20_000_000)
    const store = yield* NdjsonJournal.openStore({ path: file, mode: "read" })
    expect((yield* store.head).position).toBe(16_000)
    for (const after of [0, 1, 5, 6, 7, 399, 400, 8_005, 8_006, 8_007, 12_345, 15_998, 15_999]) {
      const forward = yield* store.scan({ after, maxRows: 2 })
      expect(positionsOf(forward)).toEqual(upTo(Math.min(16_000, after + 2), after + 1))
      for (const { body, position } of forward) {
        const text = position % 400 === 7 ? "é".repeat(300_000) : `text ${position}`
        expect(body).toBe(JSON.stringify({ _tag: "Noted", text }))
      }
      const backward = yield* store.scan({ before: after, maxRows: 2, order: "backward" })
      expect(positionsOf(backward)).toEqual(upTo(after - 1, Math.max(1, after - 2)).toReversed())
    }
    expect(yield* store.scan({ after: 16_000, maxRows: 2 })).toEqual([])
  }))

it.live("resolves a relative path when it is opened", () =>
  Effect.gen(function* () {
    const { directory, makeDirectory } = yield* workshop
    const system = loadHostSystem()
    let workingDirectory = directory
    const resolve = (path: string): string => system.path.resolve(workingDirectory, path)
    const store = yield* openStoreWith({ ...system, path: { ...system.path, resolve } }, { path: "journal.ndjson" })
    yield* add(store, 2)
    workingDirectory = makeDirectory("elsewhere")
    yield* store.transact("os", (transaction) => transaction.removeThrough(1))
    yield* add(store, 1)
    expect(readdirSync(workingDirectory)).toEqual([])
    expect(linesOf(join(directory, "journal.ndjson"))).toHaveLength(2)
  }))
