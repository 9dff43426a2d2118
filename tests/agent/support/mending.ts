/** A folder with a wrong program and its test, and a scripted agent that mends it, on the leaves of a layer. */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Shell } from "../../../mod.ts"
import { Agent } from "../../../src/agent/mod.ts"
import type { Files } from "../../../src/leaves/files/mod.ts"
import { ProcessTable, Spellbook } from "../../../src/spell/mod.ts"
import { MockModel } from "../../../src/testing/mod.ts"
import { type Workshop, workshop } from "../../support/workshop.ts"

/** The spells of the agent. */
export const book = Spellbook.standard

/** The program before and after. */
export const wrong = "echo $(($1 - $2))\n"
export const right = "echo $(($1 + $2))\n"
/** Its test. */
export const test = 'if [ "$(sh add.sh 2 3)" = 5 ]; then echo passed; else echo failed; exit 1; fi\n'

/** A model that looks, tries to leave the folder, edits, and looks again; it expects the result of each step. */
const model = MockModel.layer([
  MockModel.turn({ calls: [{ name: "run_command", arguments: { command: "sh", arguments: ["test.sh"] } }] }),
  MockModel.turn({
    calls: [{ name: "read_file", arguments: { path: "../../../../etc/passwd" } }],
    expect: ({ results }) => JSON.stringify(results.at(-1)?.result).includes("failed"),
  }),
  MockModel.turn({
    calls: [{
      name: "edit_file",
      arguments: { path: "add.sh", edits: [{ oldText: "$1 - $2", newText: "$1 + $2" }] },
    }],
    expect: ({ results }) => results.at(-1)?.isFailure === true || "it has left the folder",
  }),
  MockModel.turn({
    calls: [{ name: "run_command", arguments: { command: "sh", arguments: ["test.sh"] } }],
    expect: ({ results }) => results.at(-1)?.isFailure === false || JSON.stringify(results.at(-1)?.result),
  }),
  MockModel.turn({
    text: "The test passes.",
    expect: ({ results }) => JSON.stringify(results.at(-1)?.result).includes("passed"),
  }),
])

/** Runs the agent on the leaves of a layer. */
export const fixes = <E>(leaves: Layer.Layer<Files | Shell, E>): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    const services = yield* Agent.services(book)
    const tools = [...book.spells.keys()]
    const events = yield* Stream.runCollect(Agent.run(services, { task: "Fix the failing test.", tools }))
    expect(events.at(-1)).toMatchObject({ _tag: "AgentEnd", because: "done", text: "The test passes.", toolCalls: 4 })
    yield* MockModel.verify
  }).pipe(Effect.provide(Layer.mergeAll(leaves, ProcessTable.layer, model)))

/** A folder with a wrong program and its test. */
export const repository: Effect.Effect<Workshop & { readonly root: string }, never, Scope.Scope> = Effect.map(
  workshop,
  (shop) => {
    shop.write("repository/add.sh", wrong)
    shop.write("repository/test.sh", test)
    return { ...shop, root: shop.path("repository") }
  },
)
