import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Draft, type JournalService, JournalStore } from "@sluice/shell/journal"
import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import { createHash } from "node:crypto"
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { dirname } from "node:path"
import { random } from "../support/random.ts"
import { workshop } from "../support/workshop.ts"
import { query } from "./stores/sqlite/support.ts"

const draft = (n: number): Draft => ({
  branch: "notes",
  correlationId: `c${n % 3}`,
  body: { _tag: "Noted", text: `${n} ${"x".repeat(200)}` },
})

/** A closed journal of so many entries, in twos. */
const filled = (file: string, count: number, then?: (journal: JournalService) => Effect.Effect<unknown, unknown>) =>
  Effect.scoped(Effect.gen(function* () {
    const journal = yield* (file.endsWith(".db") ? SqliteJournal : NdjsonJournal).make({ path: file })
    for (let n = 1; n <= count; n += 2) yield* journal.append([draft(n), draft(n + 1)])
    if (then !== undefined) yield* then(journal)
  }))

const numbersOf = (journal: JournalService) =>
  Effect.map(
    journal.read({ maxEntries: 100_000, filter: { branch: "notes" } }),
    (entries) => entries.map(({ body }) => Number(String(body?.["text"]).split(" ")[0])),
  )

/** Bytes of everything beside a file, and of it. */
const stateOf = (file: string): ReadonlyArray<string> =>
  readdirSync(dirname(file), { recursive: true }).map(String)
    .filter((name) => !/^new|-shm$/.test(name) && statSync(`${dirname(file)}/${name}`).isFile()).toSorted().map((
      name,
    ) => `${name} ${createHash("sha256").update(readFileSync(`${dirname(file)}/${name}`)).digest("hex")}`)

/** The store of a damaged file, which is only read. */
const opened = (file: string) =>
  file.endsWith(".db")
    ? SqliteJournal.openStore({ path: file, readOnly: true })
    : NdjsonJournal.openStore({ path: file, mode: "read" })

/** Salvages a file into a new SQLite journal and into a new NDJSON journal; both must have the same, and hold. */
const salvaged = (file: string, to: (name: string) => string) =>
  Effect.gen(function* () {
    const before = stateOf(file)
    const results = []
    for (
      const [name, open, make] of [
        ["new.db", SqliteJournal.openStore, SqliteJournal.make],
        ["new.ndjson", NdjsonJournal.openStore, NdjsonJournal.make],
      ] as const
    ) {
      const path = to(name)
      const report = yield* Effect.scoped(Effect.gen(function* () {
        return yield* JournalStore.salvage(yield* opened(file), yield* open({ path }))
      }))
      const journal = yield* make({ path })
      expect((yield* journal.verify()).entries).toBe(report.entries + 1)
      const [last] = yield* journal.readBackward({ maxEntries: 1 })
      expect(last).toMatchObject({ branch: "journal", tag: "Salvaged", body: { source: file, ...report } })
      results.push({ report, numbers: yield* numbersOf(journal) })
    }
    expect(stateOf(file)).toEqual(before)
    expect(results[0]).toEqual(results[1])
    return results[0] ?? (yield* Effect.die("no result"))
  })

const upTo = (to: number, from = 1): ReadonlyArray<number> => Array.from({ length: to - from + 1 }, (_, n) => from + n)

const nothingLost = { lost: [], lostEntries: 0, endLost: false, unproven: [], leftOut: 0, removedThrough: 0 }

for (const name of ["old.db", "old.ndjson"]) {
  it.live(`copies an undamaged journal with its times, and leaves out stripped entries: ${name}`, () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const file = path(name)
      yield* filled(file, 600)
      expect(yield* salvaged(file, (made) => path(`new-a-${made}`))).toEqual({
        report: { ...nothingLost, entries: 600 },
        numbers: upTo(600),
      })
      const pruned = path(`pruned-${name}`)
      yield* filled(pruned, 600, (journal) => journal.prune({ through: 300, correlationIds: ["c1"] }))
      const { numbers, report } = yield* salvaged(pruned, (made) => path(`new-b-${made}`))
      expect(numbers).toEqual(upTo(600, 301).filter((n) => n % 3 !== 1))
      // 100 without contents, and two checkpoints.
      expect(report).toEqual({ ...nothingLost, entries: 200, leftOut: 102, removedThrough: 300 })
    }))
}

it.live("copies the readable lines of a damaged NDJSON journal in order, and reports the rest", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("old.ndjson")
    yield* filled(file, 100)
    const lines = readFileSync(file, "utf8").split("\n")
    const at = (n: number): string => lines[n] ?? ""
    const [fifty, sixty] = [at(50), at(60)]
    lines[50] = fifty.slice(0, 100)
    lines[60] = "\0".repeat(sixty.length)
    lines[70] = at(70).replace("70 xxx", "70 yyy")
    // A transaction of two whose end is missing.
    writeFileSync(file, lines.slice(0, 100).join("\n") + "\n")
    expect(yield* salvaged(file, path)).toEqual({
      numbers: upTo(98).filter((n) => n !== 50 && n !== 60),
      report: {
        ...nothingLost,
        entries: 96,
        lost: [[50, 50], [60, 60]],
        lostEntries: 2,
        unproven: [[51, 51], [61, 61], [70, 70]],
      },
    })
  }))

/** Writes over a page of a file. */
const spoil = (file: string, page: number): void => {
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, new Uint8Array(8_192).fill(0xa5), 0, 8_192, (page - 1) * 8_192)
  closeSync(descriptor)
}

const pagesOf = (file: string, type: string): ReadonlyArray<number> =>
  query(file, "SELECT pageno FROM dbstat WHERE name = 'entries' AND pagetype = ? ORDER BY path", type).map(Number)

it.live("copies the rows before and after damaged pages of a SQLite journal", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    for (const which of ["first", "middle", "last", "two"] as const) {
      const file = path(`${which}.db`)
      yield* filled(file, 1_000)
      const leaves = pagesOf(file, "leaf")
      const half = Math.floor(leaves.length / 2)
      const nth = { first: [0], middle: [half], last: [leaves.length - 1], two: [half, half + 1] }[which]
      for (const each of nth) spoil(file, leaves[each] ?? 0)
      const { numbers, report } = yield* salvaged(file, (made) => path(`new-${which}-${made}`))
      expect(report.entries).toBe(numbers.length)
      expect(numbers.length).toBeGreaterThan(950)
      expect(numbers.length).toBeLessThan(1_000)
      expect(report.endLost).toBe(which === "last")
      if (which === "last") expect(numbers).toEqual(upTo(numbers.length))
      else {
        const [[from, to] = [0, 0]] = report.lost
        expect(numbers).toEqual(upTo(1_000).filter((n) => n < from || n > to))
        expect(report).toMatchObject({ lostEntries: to - from + 1, lost: [[from, to]], unproven: [[to + 1, to + 1]] })
      }
    }
  }))

it.live("creates nothing from a SQLite journal without a readable entry", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    for (const which of ["tree", "header"] as const) {
      const file = path(`${which}.db`)
      yield* filled(file, 1_000)
      for (const page of which === "header" ? [1] : pagesOf(file, "internal")) spoil(file, page)
      const to = yield* SqliteJournal.openStore({ path: path(`new-${which}.db`) })
      const salvage = Effect.flatMap(opened(file), (from) => JournalStore.salvage(from, to))
      expect((yield* Effect.flip(Effect.scoped(salvage))).reason._tag).toBe("Corrupt")
      expect((yield* to.head).position).toBe(0)
    }
  }))

it.live("copies entries that only the write-ahead log has", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const open = yield* SqliteJournal.make({ path: path("open.db") })
    yield* open.append([draft(1), draft(2)])
    for (const end of ["", "-wal"]) copyFileSync(path(`open.db${end}`), path(`left.db${end}`))
    expect((yield* salvaged(path("left.db"), path)).numbers).toEqual([1, 2])
  }))

it.live("refuses a target with entries, and a source that is not a journal", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    yield* filled(path("full.db"), 2)
    const full = yield* SqliteJournal.openStore({ path: path("full.db") })
    const refused = yield* Effect.flip(JournalStore.salvage(full, full))
    expect(refused.reason).toEqual({ _tag: "Invalid", field: "to" })
    const text = write("text.db", "no database".repeat(500))
    expect((yield* Effect.flip(opened(text))).reason._tag).toBe("Corrupt")
  }))

it.live("skips a row whose time is not a JavaScript number", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("old.db")
    yield* filled(file, 20)
    query(file, "UPDATE entries SET time = 9007199254740993000 WHERE position = 5")
    expect((yield* salvaged(file, path)).report).toMatchObject({ entries: 19, lostEntries: 1 })
  }))

it.live("rejects names with other escapes, which a filter would not find", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("old.ndjson")
    yield* filled(file, 6)
    const text = readFileSync(file, "utf8")
    writeFileSync(file, text.replace(`"correlationId":"c1"`, String.raw`"correlationId":"\u00631"`))
    const journal = yield* NdjsonJournal.make({ path: file, mode: "read" })
    expect((yield* Effect.flip(journal.verify())).reason).toMatchObject({ _tag: "Corrupt", position: 1 })
    const { report } = yield* salvaged(file, (made) => path(`new-${made}`))
    expect(report).toMatchObject({ entries: 5, lost: [[1, 1]] })
  }))

it.live("reports rows that are not entries, and trusts no checkpoint outside the chain", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    for (
      const [name, sql, report] of [
        ["end", "UPDATE entries SET body = '[1]' WHERE position > 15", { entries: 15, lost: [[16, 20]] }],
        ["some", "UPDATE entries SET body = 'x' WHERE position IN (3, 7, 8)", { entries: 17, lost: [[3, 3], [7, 8]] }],
        ["empty", "UPDATE entries SET body = '' WHERE position = 9", { entries: 19, lost: [[9, 9]], leftOut: 0 }],
        [
          "forged",
          `DELETE FROM entries WHERE position <= 5; UPDATE entries SET branch = 'journal', tag = 'Checkpoint',
            body = '{"_tag":"Checkpoint","count":5,"hash":"","kind":"removed","through":5}' WHERE position = 20`,
          { entries: 14, lost: [[1, 5]], removedThrough: 0 },
        ],
      ] as const
    ) {
      const file = path(`${name}.db`)
      yield* filled(file, 20)
      for (const statement of sql.split(";")) query(file, statement)
      expect([name, (yield* salvaged(file, (made) => path(`new-${name}-${made}`))).report]).toMatchObject([
        name,
        report,
      ])
    }
    const file = path("garbage.db")
    yield* filled(file, 20)
    query(file, "UPDATE entries SET body = 'x'")
    const to = yield* SqliteJournal.openStore({ path: path("new-garbage.db") })
    const salvage = Effect.flatMap(opened(file), (from) => JournalStore.salvage(from, to))
    expect((yield* Effect.flip(Effect.scoped(salvage))).reason._tag).toBe("Corrupt")
  }))

it.live("copies every readable line between damaged ones", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("old.ndjson")
    yield* filled(file, 400)
    const { int } = random(20_261_129)
    const damaged = upTo(398).filter(() => int(0, 1) === 0)
    const lines = readFileSync(file, "utf8").split("\n")
    writeFileSync(file, lines.map((line, at) => damaged.includes(at) ? "damaged" : line).join("\n"))
    const { numbers, report } = yield* salvaged(file, path)
    expect(numbers).toEqual(upTo(400).filter((n) => !damaged.includes(n)))
    expect(report.lostEntries).toBe(damaged.length)
  }))
