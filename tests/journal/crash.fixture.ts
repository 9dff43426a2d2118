/** Appends until it is killed, and says what was acknowledged: a line of position and number for each entry. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { writeSync } from "node:fs"
import process from "node:process"
import { Journal } from "../../src/journal/Journal.ts"

const [store = "", place = "", name = ""] = process.argv.slice(2)

// Only what is used: most of a round is the start of this process.
const layer = async () => {
  switch (store) {
    case "sqlite":
      return (await import("../../src/journal/sqlite.ts")).SqliteJournal.layer({ path: place })
    case "postgres":
      return (await import("../../src/journal/postgres.ts")).PostgresJournal.layer({ url: Redacted.make(place) })
    default:
      throw new Error(`no such store: ${store}`)
  }
}

const program = Effect.gen(function* () {
  const journal = yield* Journal
  for (let n = 0;;) {
    const size = 1 + n % 4
    const drafts = Array.from({ length: size }, (_, index) => ({
      branch: "test",
      correlationId: name,
      body: { _tag: "Written", n: n + index, name, text: "x".repeat((n * 37) % 3_000) },
    }))
    const positions = yield* journal.append(drafts, { durability: n % 3 === 0 ? "disk" : "os" })
    writeSync(1, positions.map((position, index) => `${position} ${n + index}\n`).join(""))
    n += size
  }
})

await Effect.runPromise(Effect.provide(program, await layer()))
