import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { parseLocation } from "../../../src/cli/journal/openJournal.ts"
import { workshop } from "../../support/workshop.ts"

it.effect.each([
  ["a.db", "Sqlite"],
  ["/x/a.sqlite", "Sqlite"],
  ["C:\\x\\a.SQLITE3", "Sqlite"],
  ["a.ndjson", "Ndjson"],
  ["./a.b/c.jsonl", "Ndjson"],
])("recognizes the store of %s by its name", ([path = "", store]) =>
  Effect.gen(function* () {
    expect(yield* parseLocation(path)).toEqual({ _tag: store, path })
  }))

it.effect("recognizes the store of any file by its first bytes", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    write("one", "SQLite format 3\0and so on")
    write("two.log", `{"sluice":"journal","format":1}\n`)
    expect(yield* parseLocation(path("one"))).toMatchObject({ _tag: "Sqlite" })
    expect(yield* parseLocation(path("two.log"))).toMatchObject({ _tag: "Ndjson" })
    // The name goes before what is in it: a store says what is wrong with its file.
    write("three.ndjson", "SQLite format 3\0")
    expect(yield* parseLocation(path("three.ndjson"))).toMatchObject({ _tag: "Ndjson" })
  }))

it.effect("refuses a location of unknown store, and quotes no URL", () =>
  Effect.gen(function* () {
    const { directory, path, write } = yield* workshop
    write("empty", "")
    for (const text of [path("empty"), path("none"), directory, ":memory:", "x.db.bak"]) {
      expect((yield* Effect.flip(parseLocation(text))).message).toContain(`cannot tell the store of "${text}"`)
    }
    const { message } = yield* Effect.flip(parseLocation("redis://me:s3cret@host/1", "SLUICE_JOURNAL"))
    expect(message).toMatch(/^SLUICE_JOURNAL: no store for a URL of this kind; write FILE\.db/)
    expect(message).not.toContain("s3cret")
  }))

it.effect("hides the URL of a server, which may have a password", () =>
  Effect.gen(function* () {
    const location = yield* parseLocation("POSTGRES://u:p@h/d?schema=builds")
    expect(location._tag === "Postgres" ? Redacted.value(location.url) : "").toBe("POSTGRES://u:p@h/d?schema=builds")
    expect(JSON.stringify(location)).not.toContain("u:p")
  }))
