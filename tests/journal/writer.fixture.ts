/** Appends to a SQLite journal, and prints each position that was acknowledged with what it acknowledged. */
import * as Effect from "effect/Effect"
import process from "node:process"
import { Journal } from "../../src/journal/Journal.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"

const [path = "", name = "", count = "0"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const journal = yield* Journal
  for (let n = 0; n < Number(count);) {
    const size = 1 + n % 3
    const drafts = Array.from({ length: size }, (_, index) => ({
      branch: "test",
      correlationId: name,
      body: { _tag: "Written", n: n + index, name },
    }))
    const positions = yield* journal.append(drafts, { durability: n % 10 === 0 ? "disk" : "os" })
    positions.forEach((position, index) => process.stdout.write(`${position} ${n + index}\n`))
    n += size
    if (n % 7 === 0) yield* Effect.yieldNow
  }
})

await Effect.runPromise(Effect.provide(program, SqliteJournal.layer({ path, lockTimeout: "30 seconds" })))
