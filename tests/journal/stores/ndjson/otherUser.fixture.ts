/** Opens a journal, and appends to it if it may. Prints what came of it. */
import * as Effect from "effect/Effect"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"

const [path = "", mode] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const store = yield* NdjsonJournal.openStore({ path, mode: mode === "read" ? "read" : "write" })
  const { position } = yield* store.head
  const rows = yield* store.scan({ maxRows: 100 })
  return { position, entries: rows.length }
})

const answer = await Effect.runPromise(
  Effect.scoped(Effect.catch(program, ({ message, reason }) => Effect.succeed({ message, reason }))),
)
console.log(JSON.stringify(answer))
