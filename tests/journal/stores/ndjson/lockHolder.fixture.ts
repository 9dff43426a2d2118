/** Opens a journal to write, and stays. */
import * as Effect from "effect/Effect"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"

const [path = ""] = process.argv.slice(2)
const alive = setInterval(() => {}, 1_000)
await Effect.runPromise(Effect.scoped(Effect.andThen(NdjsonJournal.openStore({ path }), Effect.never)))
clearInterval(alive)
