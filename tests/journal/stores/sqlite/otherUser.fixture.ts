/** Opens a journal as a user who may only read it; prints the results of reading, of appending, and of a new file. */
import * as Effect from "effect/Effect"
import process from "node:process"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { add, all, positionsOf } from "./support.ts"

const [path = "", beside = ""] = process.argv.slice(2)

const tagOf = <A, E extends { readonly reason: { readonly _tag: string } }>(effect: Effect.Effect<A, E>) =>
  Effect.match(effect, { onFailure: ({ reason }) => reason._tag, onSuccess: () => "done" })

const visit = Effect.scoped(Effect.gen(function* () {
  const store = yield* SqliteJournal.openStore({ path })
  return { read: positionsOf(yield* all(store)), append: yield* tagOf(add(store, 1)) }
}))

const answer = Effect.gen(function* () {
  const visited = yield* Effect.catch(visit, ({ reason }) => Effect.succeed({ read: [], append: reason._tag }))
  return { ...visited, make: yield* tagOf(Effect.scoped(SqliteJournal.openStore({ path: beside }))) }
})

process.stdout.write(`${JSON.stringify(await Effect.runPromise(answer))}\n`)
