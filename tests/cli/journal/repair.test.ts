import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Journal } from "@sluice/shell/journal"
import { journalWith, readerOf } from "./support.ts"

const notes = Journal.append(
  Array.from({ length: 20 }, (_, n) => ({ branch: "notes", correlationId: "n", body: { _tag: "Noted", n } })),
)

it.live("repairs the damage that verify finds in a SQLite journal, and reports it", () =>
  Effect.gen(function* () {
    const { file, said } = yield* journalWith(notes)
    const database = new DatabaseSync(file)
    database.exec("DROP INDEX by_tag; UPDATE entries SET marks = 0 WHERE position = 1")
    database.close()
    const found = yield* said("verify")
    expect(found).toMatchObject({ status: 1 })
    expect(found.stdout).toContain(`"by_tag" is not as it was created; "sluice journal repair" creates`)
    expect(yield* said("repair")).toMatchObject({
      status: 0,
      stdout: "indexes rebuilt from 20 entries\nmarks corrected: 1\nobjects replaced or dropped: by_tag\n",
    })
    expect(yield* said("verify")).toMatchObject({ status: 0 })
    expect((yield* said("repair", "--json")).stdout).toBe(`{"entries":20,"marks":0,"objects":[]}\n`)
  }))

it.live("moves the incomplete end that a crash left in an NDJSON journal", () =>
  Effect.gen(function* () {
    const { file, said } = yield* journalWith(notes, "j.ndjson")
    expect((yield* said("repair")).stdout).toBe(
      "nothing to repair: an NDJSON journal has no indexes, its end is complete, and its entries can be read\n",
    )
    writeFileSync(file, readFileSync(file).subarray(0, -5))
    expect((yield* said("repair")).stdout).toMatch(/^moved \d+ bytes from entry 1 on to .*torn-/)
  }))

it.live("salvages a damaged journal into a new one with its long texts, and refuses an existing target", () =>
  Effect.gen(function* () {
    const long = { branch: "notes", correlationId: "n", body: { _tag: "Noted", text: "long ".repeat(10_000) } }
    const { file, path, said } = yield* journalWith(
      Effect.andThen(notes, Effect.andThen(notes, Effect.andThen(notes, Journal.append([long])))),
      "j.ndjson",
    )
    const lines = readFileSync(file, "utf8").split("\n")
    lines[30] = "spoilt"
    writeFileSync(file, lines.join("\n"))
    expect(yield* said("verify")).toMatchObject({ status: 1 })
    const to = path("new.db")
    const { stderr, stdout } = yield* said("salvage", file, to)
    expect([stdout, stderr]).toEqual([
      "copied: 60 entries\nlost: 1 position (30)\nnot confirmed by the entry before: 31\n",
      "",
    ])
    expect(yield* readerOf(to).said("verify")).toMatchObject({ status: 0 })
    const again = yield* said("salvage", file, to)
    expect(again).toMatchObject({ status: 125, stdout: "" })
    expect(again.stderr).toContain("new.db exists already; name a new journal")
    expect((yield* said("salvage", path("none.db"), to)).stderr).toContain("does not exist")
    expect((yield* said("salvage", file)).status).toBe(125)
    writeFileSync(path("none.db"), "x".repeat(5_000))
    expect((yield* said("salvage", path("none.db"), path("left.db"))).status).toBe(125)
    // What fails leaves nothing behind that stands in the way of the next try.
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith("left"))).toEqual([])
  }))

it.live("names salvage where a line in the middle of an NDJSON journal is damaged", () =>
  Effect.gen(function* () {
    const { file, said } = yield* journalWith(Effect.andThen(notes, notes), "j.ndjson")
    const lines = readFileSync(file, "utf8").split("\n")
    lines[15] = "spoilt"
    writeFileSync(file, lines.join("\n"))
    const remedy = '; "sluice journal salvage FROM TO" copies what can be read into a new journal\n'
    const listed = yield* said("list")
    expect(listed.status).toBe(125)
    expect(listed.stderr).toMatch(new RegExp(`cannot be read at entry 15: .*${RegExp.escape(remedy)}$`))
    const repaired = yield* said("repair")
    expect(repaired).toMatchObject({ status: 1, stderr: "" })
    expect(repaired.stdout).toMatch(new RegExp(`^not repaired: .* at entry 15: .*${RegExp.escape(remedy)}$`))
    expect(JSON.parse((yield* said("repair", "--json")).stdout)).toMatchObject({ damaged: { position: 15 } })
  }))
