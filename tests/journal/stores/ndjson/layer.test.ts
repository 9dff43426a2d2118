import { expect, it } from "@effect/vitest"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { Journal } from "@sluice/shell/journal"
import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
import { workshop } from "../../../support/workshop.ts"
import { linesOf, reasonOf } from "./support.ts"

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
