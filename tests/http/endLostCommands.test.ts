import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { Journal } from "../../src/journal/Journal.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import { ask, deadHost, farHost, ran, take } from "../history/support.ts"
import { directory, run, start, until } from "./journaled.ts"

it("ends at its start all commands that a dead server has left, also without a request for them", async () => {
  const path = join(await directory(), "journal.sqlite")
  const left = Array.from({ length: 20 }, (_, index) => `left-${index}`)
  await Effect.runPromise(Effect.provide(
    Effect.gen(function* () {
      const host = yield* deadHost
      for (const id of left) {
        yield* ask(id)
        yield* take(id, { host })
        // A lease that cannot be read is none.
        yield* Journal.append([{ branch: "compute", correlationId: id, body: { _tag: "LeaseTaken", attempt: id } }])
        yield* ran(`well-${id}`)
      }
      yield* ask("again", ["true"], { onHostLoss: "rerun" })
      yield* take("again", { host })
      yield* ask("elsewhere")
      yield* take("elsewhere", { host: yield* farHost })
      yield* ask("waits")
    }),
    SqliteJournal.layer({ path }),
  ))
  const fixture = await start({ journal: SqliteJournal.layer({ path }) })
  await fixture.routes.start()
  const stateOf = async (state: "lost" | "faulted" | "open") =>
    (await run(fixture.client.commands({ state: [state], maxCommands: 500 }))).commands
  await until(async () => (await stateOf("faulted")).length === left.length)
  const ended = await stateOf("faulted")
  expect(ended.map(({ commandId }) => commandId)).toEqual(left.toReversed())
  expect(new Set(ended.map(({ reason }) => reason))).toEqual(new Set(["HostLost"]))
  // Those are for daemons, and for others to end.
  expect((await stateOf("lost")).map(({ commandId }) => commandId)).toEqual(["again"])
  expect((await stateOf("open")).map(({ commandId }) => commandId)).toEqual(["waits", "elsewhere"])
  const entries = await Effect.runPromise(
    Effect.provide(Effect.flatMap(Journal, (journal) => journal.read()), SqliteJournal.layer({ path })),
  )
  expect(entries.filter(({ tag }) => tag === "ShellFault")).toHaveLength(left.length)
})
