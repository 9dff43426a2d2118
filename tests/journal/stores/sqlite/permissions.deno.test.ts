import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { fileURLToPath } from "node:url"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { scriptAnswer } from "../../../support/script.ts"
import { workshop } from "../../../support/workshop.ts"
import { add } from "./support.ts"

const Visit = Schema.Struct({ read: Schema.Array(Schema.Int), append: Schema.String, make: Schema.String })

const code = fileURLToPath(new URL("../../../../", import.meta.url))

const visit = (path: string, beside: string, permissions: ReadonlyArray<string>) =>
  Effect.promise(() =>
    scriptAnswer(Visit, new URL("./otherUser.fixture.ts", import.meta.url), [path, beside], { permissions })
  )

it.live("needs permission only for the directory of the file; reading needs no write permission", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    const file = path("journal.db")
    yield* Effect.scoped(Effect.flatMap(SqliteJournal.openStore({ path: file }), (store) => add(store, 3)))
    const reads = `--allow-read=${code},${directory}`
    const writes = `--allow-write=${directory}`
    expect(yield* visit(file, path("new.db"), [reads, writes])).toEqual({
      read: [1, 2, 3],
      append: "done",
      make: "done",
    })
    expect(yield* visit(file, path("newer.db"), [reads])).toEqual({
      read: [1, 2, 3, 4],
      append: "ReadOnly",
      make: "Missing",
    })
    expect(yield* visit(file, path("newer.db"), [`--allow-read=${code}`, writes])).toEqual({
      read: [],
      append: "Failed",
      make: "Failed",
    })
  }))
