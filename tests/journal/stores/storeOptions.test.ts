import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type JournalError, MemoryJournal } from "@sluice/shell/journal"
import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
import { PostgresJournal } from "@sluice/shell/journal/postgres"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import type * as Scope from "effect/Scope"

type Make = (options: object) => Effect.Effect<unknown, JournalError, Scope.Scope>

// As plain JavaScript calls them.
const stores: ReadonlyArray<readonly [string, Make]> = [
  ["SqliteJournal", (options) => SqliteJournal.make({ path: "unused.db", ...options })],
  ["NdjsonJournal", (options) => NdjsonJournal.make({ path: "unused.ndjson", ...options })],
  ["PostgresJournal", PostgresJournal.make],
  ["MemoryJournal", MemoryJournal.make],
]

const failure = (make: Make, options: object) => Effect.scoped(Effect.flip(make(options)))

describe("options of a journal", () => {
  it.effect.each(stores)("%s refuses an unknown option with Invalid", ([name, make]) =>
    Effect.gen(function* () {
      const error = yield* failure(make, { colour: "red" })
      expect(error.reason).toEqual({ _tag: "Invalid", field: "colour" })
      expect(error.message).toContain(`journal: nothing was opened: ${name}: unknown option "colour"; did you mean "`)
    }))

  it.effect.each(stores.slice(0, 2))("%s names path for what others call file", ([, make]) =>
    Effect.gen(function* () {
      expect((yield* failure(make, { file: "journal" })).message).toContain(`did you mean "path"?`)
    }))

  it.effect.each(stores.slice(0, 2))(
    "%s refuses a path that is no text with Invalid",
    ([name, make]) =>
      Effect.gen(function* () {
        for (const path of [undefined, 3, null]) {
          const error = yield* failure(make, { path })
          expect(error.reason).toEqual({ _tag: "Invalid", field: "path" })
          expect(error.message).toContain(`${name}: path is the file of the journal, as text, not ${typeof path}`)
        }
      }),
  )
})
