import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { writeFileSync } from "node:fs"
import { Journal } from "../../../src/journal/Journal.ts"
import { ask, deadHost, exit, ran, take, write } from "../../history/support.ts"
import { journalWith, readerOf } from "./support.ts"

const noon = Date.UTC(2025, 10, 22, 12)

const one = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  yield* ask("c1", ["git", "log"])
  yield* take("c1")
  yield* write("c1", { text: "é\n", at: noon + 100 }, { text: "oops\n", stream: "stderr", at: noon + 200 })
  yield* TestClock.setTime(noon + 500)
  yield* exit("c1", 3)
})

const linesOf = (text: string) => text.trimEnd().split("\n").map((line) => JSON.parse(line))

it.effect("exports a journal that imports as the same journal, with its pruned entries", () =>
  Effect.gen(function* () {
    for (const name of ["j.db", "j.ndjson"]) {
      const { path, said } = yield* journalWith(
        Effect.gen(function* () {
          yield* one
          for (let n = 0; n < 100; n++) yield* ran(`c-${n}`)
          const journal = yield* Journal
          yield* journal.prune({ correlationIds: ["c-7"] })
          yield* journal.prune({ through: 3 })
        }),
        name,
      )
      const before = yield* said("verify")
      const { status, stdout } = yield* said("export")
      expect({ name, status }).toEqual({ name, status: 0 })
      writeFileSync(path("copy.ndjson"), stdout)
      const copy = readerOf(path("copy.ndjson"))
      expect(yield* copy.said("verify")).toEqual(before)
      expect((yield* copy.said("list", "--json")).stdout).toBe((yield* said("list", "--json")).stdout)
      expect((yield* copy.said("export")).stdout.split("\n").slice(1)).toEqual(stdout.split("\n").slice(1))
    }
  }))

it.effect("exports only the entries of one command", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.gen(function* () {
      yield* ran("c0")
      yield* one
      yield* ran("c2")
    }))
    const { stdout } = yield* said("export", "c1")
    expect(linesOf(stdout).map(({ correlationId, position, tag }) => [position, correlationId, tag])).toEqual([
      [4, "c1", "ShellExec"],
      [5, "c1", "LeaseTaken"],
      [6, "c1", "ShellOutputChunks"],
      [7, "c1", "ShellOutput"],
    ])
    expect((yield* said("show", "c1", "--json")).stdout).toBe(stdout)
  }))

it.effect("exports a command as a recording of a terminal, of a size that may be chosen", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(one)
    const timestamp = noon / 1_000
    expect(linesOf((yield* said("export", "c1", "--format", "asciicast")).stdout)).toEqual([
      { version: 2, width: 80, height: 24, timestamp, command: "git log", title: "git log" },
      [0.1, "o", "é\r\n"],
      [0.2, "o", "oops\r\n"],
    ])
    const args = ["export", "last", "--format", "asciicast-v3", "--size", "100x30"]
    expect(linesOf((yield* said(...args)).stdout)).toEqual([
      { version: 3, term: { cols: 100, rows: 30 }, timestamp, command: "git log", title: "git log" },
      [0.1, "o", "é\r\n"],
      [0.1, "o", "oops\r\n"],
      [0.3, "x", "3"],
    ])
  }))

it.effect("records the selected attempt, and no exit status of one without an end", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* ask("c1", ["make"])
      yield* take("c1", { host: yield* deadHost })
      yield* write("c1", { text: "half", at: noon + 10 })
      yield* TestClock.setTime(noon + 60_000)
      yield* take("c1", { attempt: 2 })
      yield* write("c1", { text: "whole", at: noon + 60_020 })
      yield* exit("c1", 0)
    }))
    const recorded = (...args: ReadonlyArray<string>) =>
      Effect.map(
        said("export", "c1", "--format", "asciicast-v3", ...args),
        ({ stdout }) => linesOf(stdout).slice(1),
      )
    expect(yield* recorded()).toEqual([[0.02, "o", "whole"], [0, "x", "0"]])
    expect(yield* recorded("--attempt", "1")).toEqual([[0.01, "o", "half"]])
  }))
