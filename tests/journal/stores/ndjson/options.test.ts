import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
import { workshop } from "../../../support/workshop.ts"
import { reasonOf } from "./support.ts"

it.live("fails with Invalid for an option that is not a time span, and creates nothing", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    for (const [field, value] of [["lockTimeout", "-1 seconds"], ["pollInterval", NaN], ["lockTimeout", -5]] as const) {
      const reason = yield* reasonOf(NdjsonJournal.make({ path: file, [field]: value }))
      expect(reason).toEqual({ _tag: "Invalid", field })
    }
    expect(existsSync(file)).toBe(false)
  }))
