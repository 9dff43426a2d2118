import { expect, it } from "@effect/vitest"
import { Journal, type Position } from "@sluice/shell/journal"
import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import type { Row } from "../../../../src/journal/Entry.ts"
import { journalContract, type JournalTarget, type Tamper } from "../../../support/journalContract.ts"
import { workshop } from "../../../support/workshop.ts"
import { linesOf, reasonOf } from "./support.ts"

const parsed = (line: string): Record<string, unknown> => JSON.parse(line)

/** Changes a line, as with an editor. */
const tamperOf = (path: string): Tamper => {
  const edit = (change: (lines: ReadonlyArray<string>) => ReadonlyArray<string>) =>
    Effect.sync(() => {
      const [header = "", ...lines] = readFileSync(path, "utf8").split("\n").slice(0, -1)
      writeFileSync(path, [header, ...change(lines), ""].join("\n"))
    })
  const at = (lines: ReadonlyArray<string>, position: Position): string =>
    lines.find((line) => parsed(line)["position"] === position) ?? ""
  const changed = (line: string, { body, ...fields }: Partial<Omit<Row, "position">>): string => {
    const cut = line.indexOf(`,"body":`)
    const text = body === undefined ? line.slice(cut + 8, -1) : body === "" ? "null" : body
    return `${JSON.stringify({ ...parsed(`${line.slice(0, cut)}}`), ...fields }).slice(0, -1)},"body":${text}}`
  }
  const moved = (line: string, position: Position): string =>
    line.replace(/^\{"position":\d+/, `{"position":${position}`)
  return {
    change: (position, fields) =>
      edit((lines) => lines.map((line) => parsed(line)["position"] === position ? changed(line, fields) : line)),
    remove: (position) => edit((lines) => lines.filter((line) => parsed(line)["position"] !== position)),
    swap: (one, other) =>
      edit((lines) =>
        lines.map((line) => {
          const { position } = parsed(line)
          return position === one
            ? moved(at(lines, other), one)
            : position === other
            ? moved(at(lines, one), other)
            : line
        })
      ),
  }
}

const place: JournalTarget["place"] = Effect.map(workshop, ({ path }) => {
  const file = path("journal.ndjson")
  return {
    open: (options) => NdjsonJournal.make({ path: file, ...options }),
    tamper: tamperOf(file),
  }
})

journalContract("NDJSON", { place, can: { durable: true, processes: false, durabilities: ["memory", "os", "disk"] } })

const append = Journal.append([{ branch: "notes", correlationId: "n", body: { _tag: "Noted" } }])

it.live("is open as long as the program to which the layer is provided", () =>
  Effect.gen(function* () {
    const { exists, path } = yield* workshop
    const file = path("journal.ndjson")
    expect(yield* Effect.provide(append, NdjsonJournal.layer({ path: file }))).toEqual([1])
    expect(exists("journal.ndjson.lock")).toBe(false)
    const read = NdjsonJournal.layer({ path: file, mode: "read" })
    expect(yield* Effect.provide(reasonOf(append), read)).toEqual({ _tag: "ReadOnly" })
    expect(yield* Effect.provide(append, NdjsonJournal.layer({ path: file, durability: "disk" }))).toEqual([2])
    expect(linesOf(file)).toHaveLength(2)
  }))

it.live("reads its path from SLUICE_JOURNAL, or its options from a given Config", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const provider = (values: Readonly<Record<string, string>>) =>
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(values))
    const given = { SLUICE_JOURNAL: path("a.ndjson"), FILE: path("b.ndjson") }
    yield* Effect.provide(append, NdjsonJournal.layerConfig()).pipe(provider(given))
    expect(linesOf(path("a.ndjson"))).toHaveLength(1)
    const settings = Config.all({ path: Config.String("FILE"), lockTimeout: Config.succeed("1 second" as const) })
    yield* Effect.provide(append, NdjsonJournal.layerConfig(settings)).pipe(provider(given))
    expect(linesOf(path("b.ndjson"))).toHaveLength(1)
    const error = yield* Effect.flip(Effect.provide(append, NdjsonJournal.layerConfig())).pipe(provider({}))
    expect(error._tag).toBe("ConfigError")
  }))
