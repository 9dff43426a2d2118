import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Journal } from "@sluice/shell/journal"
import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import { runScript } from "../support/script.ts"
import { workshop } from "../support/workshop.ts"

const fixture = new URL("./programEnd.fixture.ts", import.meta.url)

for (const [name, how] of [["run.db", "SIGTERM"], ["run.db", "exit"], ["run.ndjson", "SIGTERM"]] as const) {
  it.live.runIf(process.platform !== "win32")(
    `keeps an unfinished line, redacted, when the program ends by ${how} (${name})`,
    () =>
      Effect.gen(function* () {
        const path = (yield* workshop).path(name)
        yield* Effect.promise(() => runScript(fixture, [path, how]))
        const journal = name === "run.db" ? SqliteJournal.layer({ path }) : NdjsonJournal.layer({ path })
        const text = yield* Effect.provide(
          Effect.gen(function* () {
            const entries = yield* Effect.flatMap(Journal, ({ read }) => read())
            return entries.map(({ body }) => JSON.stringify(body)).join("\n")
          }),
          journal,
        )
        expect(text).toContain('"first\\n"')
        expect(text).toContain('"the last <redacted> line"')
        expect(text).not.toContain("hunter2")
      }),
  )
}
