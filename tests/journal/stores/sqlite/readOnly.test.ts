import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, copyFileSync, readdirSync, readFileSync } from "node:fs"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { workshop } from "../../../support/workshop.ts"
import { canVisit, visit, whyNot } from "./otherUser.ts"
import { add, all, positionsOf, upTo } from "./support.ts"

/** A directory and a journal of three entries that all users may read. */
const shown = Effect.gen(function* () {
  const place = yield* workshop
  const file = place.path("journal.db")
  chmodSync(place.directory, 0o755)
  yield* Effect.scoped(Effect.flatMap(SqliteJournal.openStore({ path: file }), (store) => add(store, 3)))
  chmodSync(file, 0o644)
  return { ...place, file }
})

it.live.runIf(canVisit)(
  `lets a user without write permission read a closed journal, and creates no files${whyNot}`,
  () =>
    Effect.gen(function* () {
      const { directory, file, path } = yield* shown
      const before = readFileSync(file)
      expect(yield* visit(file, path("new.db"))).toEqual({ read: [1, 2, 3], append: "ReadOnly", make: "Missing" })
      // Also where the user may create files: the owner could perhaps not write a log that this user created.
      chmodSync(directory, 0o777)
      expect(yield* visit(file, path("new.db"))).toEqual({ read: [1, 2, 3], append: "ReadOnly", make: "done" })
      expect(readdirSync(directory).toSorted()).toEqual(["journal.db", "new.db"])
      expect(readFileSync(file).equals(before)).toBe(true)
    }),
)

it.live.runIf(canVisit)(
  `lets a user without write permission read a journal that is being written${whyNot}`,
  () =>
    Effect.gen(function* () {
      const { file, path } = yield* shown
      const store = yield* SqliteJournal.openStore({ path: file })
      yield* add(store, 2)
      expect(yield* visit(file, path("new.db"))).toEqual({ read: upTo(5), append: "ReadOnly", make: "Missing" })
      yield* add(store, 1)
      expect(positionsOf(yield* all(store))).toEqual(upTo(6))
    }),
)

it.live.runIf(canVisit)(
  `fails with ReadOnly where a log would have to be recovered first${whyNot}`,
  () =>
    Effect.gen(function* () {
      const { file, path } = yield* shown
      const store = yield* SqliteJournal.openStore({ path: file })
      yield* add(store, 2)
      // As a crash leaves it: the file and its log, not open anywhere.
      const left = path("left.db")
      for (const end of ["", "-wal"]) {
        copyFileSync(`${file}${end}`, `${left}${end}`)
        chmodSync(`${left}${end}`, 0o644)
      }
      expect(yield* visit(left, path("new.db"))).toEqual({ read: [], append: "ReadOnly", make: "Missing" })
      expect(positionsOf(yield* all(yield* SqliteJournal.openStore({ path: left })))).toEqual(upTo(5))
    }),
)

it.live.runIf(canVisit)(`fails without read permission${whyNot}`, () =>
  Effect.gen(function* () {
    const { file, path } = yield* shown
    chmodSync(file, 0o600)
    expect(yield* visit(file, path("new.db"))).toMatchObject({ read: [], append: "ReadOnly" })
  }))

it.live("only reads with readOnly, and sees entries that other connections append", () =>
  Effect.gen(function* () {
    const { directory, file } = yield* shown
    const reader = yield* SqliteJournal.openStore({ path: file, readOnly: true })
    expect(positionsOf(yield* all(reader))).toEqual([1, 2, 3])
    expect((yield* Effect.flip(add(reader, 1))).reason._tag).toBe("ReadOnly")
    expect(readdirSync(directory)).toEqual(["journal.db"])
    for (let round = 4; round < 10; round++) {
      // Each time the log comes and goes.
      yield* Effect.scoped(Effect.gen(function* () {
        const store = yield* SqliteJournal.openStore({ path: file })
        yield* add(store, 1)
        expect(positionsOf(yield* all(reader))).toEqual(upTo(round))
      }))
      expect(positionsOf(yield* all(reader))).toEqual(upTo(round))
      expect((yield* reader.size).entries).toBe(round)
    }
  }))
