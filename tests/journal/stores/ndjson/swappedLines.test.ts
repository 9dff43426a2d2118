import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
import { readFileSync, writeFileSync } from "node:fs"
import { workshop } from "../../../support/workshop.ts"
import { reasonOf } from "./support.ts"

const note = { branch: "notes", correlationId: "n", body: { _tag: "Noted", text: "x".repeat(300) } }

it.live("reports the first of two swapped lines, wherever they are", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    yield* Effect.scoped(Effect.gen(function* () {
      const journal = yield* NdjsonJournal.make({ path: file })
      for (let n = 0; n < 20; n++) yield* journal.append(Array.from({ length: 100 }, () => note))
      // A checkpoint behind the damage: what signs off is found all the same.
      yield* journal.prune({ through: 100 })
    }))
    const whole = readFileSync(file, "utf8").split("\n")
    for (const [one, other] of [[5, 10], [5, 6], [1, 2], [700, 1_500], [1_899, 1_900], [1_400, 1_800]] as const) {
      const lines = [...whole]
      lines[one] = whole[other] ?? ""
      lines[other] = whole[one] ?? ""
      writeFileSync(file, lines.join("\n"))
      const reason = yield* reasonOf(Effect.scoped(Effect.flatMap(
        NdjsonJournal.make({ path: file, mode: "read" }),
        (journal) => journal.verify(),
      )))
      // The first hundred were pruned.
      expect([one, other, reason]).toMatchObject([one, other, { _tag: "Corrupt", position: one + 100 }])
    }
  }))
