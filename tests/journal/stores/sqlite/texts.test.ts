import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { connectWriting } from "../../../../src/journal/stores/sqlite/connect.ts"
import { loadBuiltins } from "../../../../src/journal/stores/sqlite/loadBuiltins.ts"
import { SqliteWriter } from "../../../../src/journal/stores/sqlite/SqliteWriter.ts"
import { eventually } from "../../../support/eventually.ts"
import { add, all, fresh, positionsOf, query, reasonOf, upTo } from "./support.ts"

/** Longer than what stays in the database. */
const long = (position: number): string => `text-${position}-é\u{1f600}`.repeat(4_000)

const folderOf = (file: string): string => `${file}-texts`

const filesOf = (file: string): ReadonlyArray<string> =>
  existsSync(folderOf(file)) ? readdirSync(folderOf(file)).sort() : []

const bytesOf = (file: string): ReadonlyArray<number> =>
  filesOf(file).map((name) => statSync(`${folderOf(file)}/${name}`).size)

it.live("keeps long bodies in a file beside the database, for its owner alone, and reads them as they were", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    const rows = [
      ...(yield* add(store, 3)),
      ...(yield* add(store, 4, "disk", { text: long })),
      ...(yield* add(store, 1)),
    ]
    expect(yield* all(store)).toEqual(rows)
    expect(yield* store.scan({ limit: 2, before: 8, order: "backward" })).toEqual([rows[6], rows[5]])
    // The second long one exceeds the limit.
    expect(positionsOf(yield* store.scan({ limit: 10, after: 3, maxBytes: 60_000 }))).toEqual([4])
    expect(query(file, "SELECT max(length(body)) < 100 FROM entries")).toEqual([1])
    expect(filesOf(file)).toEqual(["00000001"])
    expect(statSync(folderOf(file)).mode & 0o777).toBe(0o700)
    expect(statSync(`${folderOf(file)}/00000001`).mode & 0o777).toBe(0o600)
    expect((yield* store.size).bytes).toBeGreaterThan(bytesOf(file)[0] ?? 0)
    const again = yield* SqliteJournal.openStore({ path: file, readOnly: true })
    expect(yield* all(again)).toEqual(rows)
  }))

it.live("creates no folder for short bodies", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 10, "disk", { text: () => "x".repeat(30_000) })
    expect(existsSync(folderOf(file))).toBe(false)
  }))

it.live("cuts off what a failed transaction has appended", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    const [first] = yield* add(store, 1, "os", { text: long })
    const before = bytesOf(file)
    const failed = store.transact("os", (transaction) =>
      Effect.andThen(
        transaction.insert([{ ...(first ?? expect.fail()), position: 2 }]),
        Effect.fail("over" as never),
      ))
    yield* Effect.exit(failed)
    expect(bytesOf(file)).toEqual(before)
    const rows = yield* add(store, 2, "os", { text: long })
    expect(yield* all(store)).toEqual([first, ...rows])
  }))

it.live("lets several stores append in turn", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    const other = yield* SqliteJournal.openStore({ path: file })
    const rows = []
    for (let round = 0; round < 5; round++) {
      for (const one of [store, other]) rows.push(...(yield* add(one, 2, "os", { text: long })))
    }
    expect(yield* all(store)).toEqual(rows)
    expect(yield* all(other)).toEqual(rows)
    expect(filesOf(file)).toEqual(["00000001"])
  }))

it.live("neither follows nor waits for what is planted in its folder", () =>
  Effect.gen(function* () {
    const { file, path, store } = yield* fresh()
    mkdirSync(folderOf(file))
    writeFileSync(path("victim"), "mine")
    symlinkSync(path("victim"), `${folderOf(file)}/00000001`)
    if (process.platform !== "win32") execFileSync("mkfifo", [`${folderOf(file)}/00000002`])
    mkdirSync(`${folderOf(file)}/00000003`)
    const rows = [...(yield* add(store, 1, "disk", { text: long }))]
    // The file that is open now becomes a link: nothing more is appended to it.
    rmSync(`${folderOf(file)}/00000004`)
    symlinkSync(path("victim"), `${folderOf(file)}/00000004`)
    rows.push(...(yield* add(store, 1, "disk", { text: long })))
    expect(readFileSync(path("victim"), "utf8")).toBe("mine")
    expect(yield* reasonOf(store.scan({ limit: 1 }))).toMatchObject({ _tag: "Corrupt", position: 1 })
    expect(yield* store.scan({ after: 1, limit: 9 })).toEqual(rows.slice(1))
  }))

it.live("does not take a planted link for its folder", () =>
  Effect.gen(function* () {
    const { file, path, store } = yield* fresh()
    mkdirSync(path("elsewhere"))
    symlinkSync(path("elsewhere"), folderOf(file))
    yield* reasonOf(add(store, 1, "os", { text: long }))
    expect(readdirSync(path("elsewhere"))).toEqual([])
    // Nothing was appended, and short entries are possible still.
    yield* add(store, 1)
    expect(positionsOf(yield* all(store))).toEqual([1])
  }))

it.live("names the entry whose text is lost, and salvages the others", () =>
  Effect.gen(function* () {
    const { file, path, store } = yield* fresh()
    const rows = [...(yield* add(store, 3, "os", { text: long })), ...(yield* add(store, 1))]
    // As after a power failure: the last one has not reached the disk.
    truncateSync(`${folderOf(file)}/00000001`, Math.floor((bytesOf(file)[0] ?? 0) * 0.9))
    expect(yield* reasonOf(all(store))).toMatchObject({ _tag: "Corrupt", position: 3 })
    expect(yield* store.scan({ limit: 2 })).toEqual(rows.slice(0, 2))
    expect(yield* store.scan({ after: 3, limit: 2 })).toEqual(rows.slice(3))
    const to = yield* SqliteJournal.openStore({ path: path("new.db") })
    const report = yield* SqliteJournal.salvage({ path: file }, to)
    expect([report.entries, report.lostEntries]).toEqual([3, 1])
    expect((yield* to.scan({ limit: 2 })).map(({ body }) => body)).toEqual(rows.slice(0, 2).map(({ body }) => body))
    // A store that opens the file does not append where lost bodies were.
    const again = yield* SqliteJournal.openStore({ path: file })
    const [added] = yield* add(again, 1, "os", { text: long })
    expect(filesOf(file)).toEqual(["00000001", "00000002"])
    expect(yield* again.scan({ after: 4, limit: 2 })).toEqual([added])
  }))

it.live("overwrites stripped texts, and removes a file when no entry needs it", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 100, "os", { text: long })
    yield* store.transact("os", (transaction) => transaction.strip(upTo(99, 2)))
    const text = readFileSync(`${folderOf(file)}/00000001`, "utf8")
    expect([1, 2, 50, 99, 100].filter((at) => text.includes(`text-${at}-`))).toEqual([1, 100])
    expect(query(file, "SELECT count(*) FROM erased")).toEqual([0])
    yield* store.transact("os", (transaction) => transaction.strip([1, 100]))
    expect(existsSync(folderOf(file))).toBe(false)
    expect((yield* all(store)).map(({ body }) => body).join("")).toBe("")
    const [added] = yield* add(store, 1, "os", { text: long })
    expect((yield* all(store)).at(-1)).toEqual(added)
    expect(filesOf(file)).toEqual(["00000002"])
  }))

it.live("removes the files of pruned entries, the newest and left-over ones too", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    const huge = (): string => "z".repeat(7 * 1024 * 1024)
    for (let round = 0; round < 11; round++) yield* add(store, 1, "disk", { text: huge })
    yield* add(store, 3, "os", { text: long })
    expect(filesOf(file)).toEqual(["00000001", "00000002"])
    expect(query(file, "SELECT last, synced FROM texts")).toEqual([2, 2])
    writeFileSync(`${folderOf(file)}/00000077`, "left over")
    yield* store.transact("os", (transaction) => transaction.removeThrough(12))
    yield* eventually("the files are removed", () => query(file, "SELECT cleaned FROM meta")[0] === 12)
    expect(filesOf(file)).toEqual(["00000002"])
    expect(readFileSync(`${folderOf(file)}/00000002`, "utf8")).not.toContain("text-12-")
    expect(positionsOf(yield* all(store))).toEqual([13, 14])
    yield* add(store, 1)
    yield* store.transact("os", (transaction) => transaction.removeThrough(14))
    yield* eventually("all files are removed", () => !existsSync(folderOf(file)))
    const [added] = yield* add(store, 1, "os", { text: long })
    expect((yield* all(store)).at(-1)).toEqual(added)
  }))

it.live("continues an interrupted erasure when the database is opened again", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 3, "os", { text: long })
    // As after a crash between the commit and the erasure.
    query(file, "INSERT INTO erased SELECT body FROM entries WHERE position = 2")
    query(file, "UPDATE entries SET body = '' WHERE position = 2")
    yield* Effect.scoped(SqliteJournal.openStore({ path: file }))
    expect(readFileSync(`${folderOf(file)}/00000001`, "utf8")).not.toContain("text-2-")
    expect((yield* all(store)).map(({ body }) => body.length > 0)).toEqual([true, false, true])
  }))

it.live("leaves no files behind when appends fail", () =>
  Effect.gen(function* () {
    const { file, path, store } = yield* fresh()
    const [row = expect.fail()] = yield* Effect.flatMap(
      SqliteJournal.openStore({ path: path("other.db") }),
      (other) => add(other, 1, "os", { text: long }),
    )
    for (let round = 0; round < 3; round++) {
      yield* Effect.exit(
        store.transact("os", (transaction) => Effect.andThen(transaction.insert([row]), Effect.fail("over" as never))),
      )
      expect(filesOf(file)).toEqual([])
    }
    yield* add(store, 1, "os", { text: long })
    expect(filesOf(file)).toEqual(["00000001"])
  }))

it.live("syncs a text that has the place and the length of one whose commit failed", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    const [row = expect.fail()] = yield* add(store, 1, "disk", { text: long })
    const builtins = loadBuiltins()
    const connection = connectWriting(builtins, file)
    const writer = new SqliteWriter(connection, file)
    const synced: Array<number> = []
    const sync = connection.texts.sync.bind(connection.texts)
    connection.texts.sync = (number) => {
      synced.push(number)
      sync(number)
    }
    const run = connection.run.bind(connection)
    connection.run = (sql, ...values) => {
      if (sql === "COMMIT" && synced.length === 1) throw new Error("the disk is full")
      run(sql, ...values)
    }
    writer.begin("disk")
    writer.insert([{ ...row, position: 2 }])
    expect(() => writer.commit()).toThrow("the disk is full")
    writer.begin("disk")
    writer.insert([{ ...row, position: 2 }])
    writer.commit()
    expect(synced).toEqual([1, 1])
    writer.close()
  }))

it.live("deletes pruned entries though a folder has the name of a text file", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 2, "os", { text: long })
    rmSync(`${folderOf(file)}/00000001`)
    mkdirSync(`${folderOf(file)}/00000001`)
    yield* add(store, 2, "os", { text: long })
    yield* store.transact("os", (transaction) => transaction.removeThrough(3))
    yield* eventually("they are deleted", () => query(file, "SELECT cleaned FROM meta")[0] === 3)
    expect(query(file, "SELECT count(*) FROM erased")).toEqual([0])
    expect(filesOf(file)).toEqual(["00000001", "00000002"])
  }))

it.live("names the folder where something else has its name", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    writeFileSync(folderOf(file), "mine")
    const error = yield* Effect.flip(add(store, 1, "os", { text: long }))
    expect(error.message).toContain(`long entries need the folder ${folderOf(file)}, and something else has its name`)
    yield* add(store, 1)
    expect((yield* store.size).entries).toBe(1)
    expect(readFileSync(folderOf(file), "utf8")).toBe("mine")
  }))

it.live("verifies a file of the layout without text files that is only read", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 2)
    query(file, "DROP INDEX by_text")
    query(file, "DROP TABLE texts")
    query(file, "DROP TABLE erased")
    query(file, "PRAGMA user_version = 1")
    const reading = yield* SqliteJournal.make({ path: file, readOnly: true })
    expect((yield* reading.verify()).entries).toBe(2)
  }))

it.live("reads no more than a file holds, whatever length its row names", () =>
  Effect.gen(function* () {
    const { file, store } = yield* fresh()
    yield* add(store, 1, "os", { text: long })
    query(file, "UPDATE entries SET body = '@00000001:000000000000:9999999999'")
    const { arrayBuffers } = process.memoryUsage()
    expect(yield* reasonOf(all(store))).toMatchObject({ _tag: "Corrupt", position: 1 })
    expect(process.memoryUsage().arrayBuffers - arrayBuffers).toBeLessThan(100_000_000)
  }))

it.live.skipIf(process.platform === "win32")(
  "gives text files the mode and the owner of the database",
  () =>
    Effect.gen(function* () {
      const { file, store } = yield* fresh()
      chmodSync(file, 0o660)
      const isRoot = process.getuid?.() === 0
      if (isRoot) chownSync(file, 12_345, 12_346)
      yield* add(store, 1, "os", { text: long })
      const [folder, text] = [folderOf(file), `${folderOf(file)}/00000001`].map((path) => statSync(path))
      expect([folder, text].map((stat) => (stat?.mode ?? 0) & 0o777)).toEqual([0o770, 0o660])
      if (isRoot) expect([folder, text].map((stat) => [stat?.uid, stat?.gid])).toEqual(Array(2).fill([12_345, 12_346]))
    }),
)

it.live("keeps the texts of an append as they are, and gives them back as JSON", () =>
  Effect.gen(function* () {
    const { file, path, store } = yield* fresh()
    const text = 'a "line" of é\u{1f600}\n'.repeat(4_000)
    const journal = yield* SqliteJournal.make({ path: file })
    const draft = { branch: "b", correlationId: "c", body: { _tag: "T", text, short: "\n" } }
    yield* journal.append([draft, { ...draft, body: { _tag: "Short" } }, draft])
    expect(readFileSync(`${folderOf(file)}/00000001`, "utf8").split(text).length).toBe(3)
    expect((yield* journal.read()).map(({ body }) => body)).toEqual([draft.body, { _tag: "Short" }, draft.body])
    expect((yield* store.scan({ limit: 1 })).map(({ body }) => JSON.parse(body))).toEqual([draft.body])
    expect((yield* journal.verify()).entries).toBe(3)
    // A change of a text, of the line before it, and of its lengths.
    const name = `${folderOf(file)}/00000001`
    const bytes = readFileSync(name)
    for (const [from, to] of [["line", "lime"], ["short", "shirt"], ["lengths", "lengthz"]] as const) {
      const changed = Uint8Array.from(bytes)
      changed.set(new TextEncoder().encode(to), bytes.indexOf(from))
      writeFileSync(name, changed)
      expect(yield* reasonOf(journal.verify()), from).toMatchObject({ _tag: "Corrupt", position: 1 })
    }
    // As after a power failure: a page of the text is zeros. A reader does not take it for output.
    writeFileSync(name, Uint8Array.from(bytes).fill(0, 8_192, 12_288))
    expect(yield* reasonOf(journal.read())).toMatchObject({ _tag: "Corrupt", position: 1 })
    writeFileSync(name, bytes)
    yield* journal.verify()
    const to = yield* SqliteJournal.openStore({ path: path("new.db") })
    const report = yield* SqliteJournal.salvage({ path: file }, to)
    expect([report.entries, report.unproven]).toEqual([3, []])
  }))
