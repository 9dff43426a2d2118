/** Opens a new and an old journal with few free file descriptors; prints each answer and the size of the file. */
import * as Effect from "effect/Effect"
import { closeSync, openSync } from "node:fs"
import { devNull } from "node:os"
import process from "node:process"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { workshop } from "../../../support/workshop.ts"
import { add } from "./support.ts"

const answer = (path: string) =>
  Effect.match(Effect.scoped(Effect.flatMap(SqliteJournal.openStore({ path }), (store) => add(store, 1))), {
    onSuccess: () => "done",
    onFailure: ({ message, reason }) => `${reason._tag} ${message.slice(message.lastIndexOf(": ") + 2)}`,
  })

/** Takes all descriptors but some. */
const hold = (free: number): ReadonlyArray<number> => {
  const held: Array<number> = []
  try {
    for (;;) held.push(openSync(devNull, "r"))
  } catch {
    for (const descriptor of held.splice(0, free)) closeSync(descriptor)
    return held
  }
}

const answers = Effect.gen(function* () {
  const place = yield* workshop
  const old = place.path("old.db")
  yield* answer(old)
  const made = []
  for (const free of [0, 1, 2, 3, 8]) {
    const held = hold(free)
    const file = `new${free}.db`
    const row = [free, yield* answer(place.path(file)), yield* answer(old)] as const
    for (const descriptor of held) closeSync(descriptor)
    made.push([...row, place.exists(file)] as const)
  }
  return made
})

process.stdout.write(`${JSON.stringify(await Effect.runPromise(Effect.scoped(answers)))}\n`)
