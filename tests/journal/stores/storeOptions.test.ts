import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type JournalError, MemoryJournal } from "@sluice/shell/journal"
import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
import { PostgresJournal } from "@sluice/shell/journal/postgres"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import type * as Scope from "effect/Scope"
import { durationForms } from "../../../src/base/DurationText.ts"

/** A text that no message may hold. */
const secret = "postgres://me:s3cret@localhost:1/app"

type Make = (options: object) => Effect.Effect<unknown, JournalError, Scope.Scope>

// As plain JavaScript calls them.
const stores: ReadonlyArray<readonly [string, Make]> = [
  ["SqliteJournal", (options) => SqliteJournal.make({ path: "/no-such-folder/unused.db", ...options })],
  ["NdjsonJournal", (options) => NdjsonJournal.make({ path: "/no-such-folder/unused.ndjson", ...options })],
  ["PostgresJournal", PostgresJournal.make],
  ["MemoryJournal", MemoryJournal.make],
]

const failure = (make: Make, options: object) => Effect.scoped(Effect.flip(make(options)))

describe("options of a journal", () => {
  it.effect.each(stores)("%s refuses an unknown option with Invalid", ([name, make]) =>
    Effect.gen(function* () {
      const error = yield* failure(make, { colour: "red" })
      expect(error.reason).toEqual({ _tag: "Invalid", field: "colour" })
      expect(error.message).toContain(`journal: nothing was opened: ${name}: unknown option "colour"`)
    }))

  it.effect.each(stores.slice(0, 2))(
    "%s suggests path for the option that others call file",
    ([, make]) =>
      Effect.gen(function* () {
        expect((yield* failure(make, { file: "journal" })).message).toContain(`did you mean "path"?`)
      }),
  )

  it.effect.each(stores.slice(0, 2))(
    "%s refuses a path that is not a string with Invalid",
    ([name, make]) =>
      Effect.gen(function* () {
        for (const path of [undefined, 3, null]) {
          const error = yield* failure(make, { path })
          expect(error.reason).toEqual({ _tag: "Invalid", field: "path" })
          expect(error.message).toContain(
            `${name}: path must be the file of the journal, a string, got ${path}`,
          )
        }
      }),
  )

  const wrong: ReadonlyArray<readonly [field: string, value: unknown, what: string, stores: string]> = [
    ["create", "yes", "true or false, got string", "SqliteJournal NdjsonJournal PostgresJournal"],
    ["readOnly", 1, "true or false, got 1", "SqliteJournal"],
    ["mode", "append", `"write" or "read", got string`, "NdjsonJournal"],
    ["onRepair", {}, "a function, got object", "NdjsonJournal"],
    ["durability", "dsk", `"memory" or "os" or "disk", got string`, "SqliteJournal NdjsonJournal PostgresJournal"],
    ["lockTimeout", -1, `a time span: ${durationForms}, got -1`, "SqliteJournal NdjsonJournal PostgresJournal"],
    ["pollInterval", NaN, `a time span: ${durationForms}, got NaN`, "SqliteJournal NdjsonJournal PostgresJournal"],
    ["pollInterval", null, `a time span: ${durationForms}, got null`, "SqliteJournal NdjsonJournal PostgresJournal"],
    ["answerTimeout", "soon", `a time span: ${durationForms}, got string`, "PostgresJournal"],
    ["maxReadConnections", 0, "a whole number from 1, got 0", "PostgresJournal"],
    ["maxReadConnections", 1.5, "a whole number from 1, got 1.5", "PostgresJournal"],
    ["port", 70_000, "a whole number from 1 to 65535, got 70000", "PostgresJournal"],
    ["port", "5432", "a whole number from 1 to 65535, got string", "PostgresJournal"],
    ["host", 3, "a string, got 3", "PostgresJournal"],
    ["ssl", "require", "true, false or options of node:tls, got string", "PostgresJournal"],
    ["url", secret, "a Redacted string, such as Redacted.make(text) of Effect, got string", "PostgresJournal"],
    ["password", "s3cret", "a Redacted string, such as Redacted.make(text) of Effect, or an Effect", "PostgresJournal"],
    [
      "password",
      53,
      "a Redacted string, such as Redacted.make(text) of Effect, or an Effect that returns one, got number",
      "PostgresJournal",
    ],
    ["maxEntries", -1, "a number above 0 or Infinity, got -1", "MemoryJournal"],
    ["maxBytes", NaN, "a number above 0 or Infinity, got NaN", "MemoryJournal"],
    ["maxEntries", "5", "a number above 0 or Infinity, got string", "MemoryJournal"],
    ["whenFull", "drop", `"prune" or "fail", got string`, "MemoryJournal"],
    ["chained", 0, "true or false, got 0", "MemoryJournal"],
  ]

  it.effect.each(wrong)(
    "refuse %s: %o with Invalid, name the accepted values, and show no text",
    ([field, value, what, names]) =>
      Effect.gen(function* () {
        for (const [name, make] of stores.filter(([name]) => names.includes(name))) {
          const error = yield* failure(make, { [field]: value })
          expect(error.reason).toEqual({ _tag: "Invalid", field })
          expect(error.message).toContain(`journal: nothing was opened: ${name}: ${field} must be ${what}`)
          expect(JSON.stringify(error)).not.toContain("s3cret")
        }
      }),
  )

  it.effect("are refused with Invalid when they are not an object", () =>
    Effect.gen(function* () {
      for (const make of [SqliteJournal.make, NdjsonJournal.make, PostgresJournal.make, MemoryJournal.make]) {
        for (const options of [null, "journal.db"]) {
          expect((yield* failure(() => Reflect.apply(make, undefined, [options]), {})).reason).toEqual({
            _tag: "Invalid",
            field: "options",
          })
        }
      }
    }))
})
