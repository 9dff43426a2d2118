/**
 * A program that is killed: runs the agent of `kill.test.ts` on the journal and the folder of its arguments, to its end. Each
 * call of `act` leaves two lines in `acts`, when it begins and when it ends.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import * as Agent from "../../src/agent/Agent.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import { MockModel } from "../../src/leaves/mock/MockModel.ts"
import { Spell, Spellbook } from "../../src/spell/mod.ts"

const [journal = "", folder = ""] = process.argv.slice(2)

const write = (line: string) => Effect.sync(() => appendFileSync(join(folder, "acts"), `${line}\n`))

const spell = (name: string, readOnly: boolean) =>
  Spell.make({
    name,
    description: `${name}s.`,
    parameters: Schema.Struct({ n: Schema.Int }),
    success: Schema.String,
    readOnly,
    cast: ({ n }) =>
      write(`begin ${name} ${n}`).pipe(
        Effect.andThen(Effect.sleep(10)),
        Effect.andThen(write(`end ${name} ${n}`)),
        Effect.as(`${name} ${n}`),
      ),
  })

const book = Spellbook.make(spell("act", false), spell("look", true))

const turns = [
  ...Array.from({ length: 10 }, (_, turn) =>
    MockModel.turn({
      text: `turn ${turn}`,
      calls: ["act", "look", "act"].map((name, index) => ({ name, arguments: { n: 3 * turn + index } })),
      delay: 10,
    })),
  MockModel.turn({
    text: "end",
    // Every call was told to the model once, in its place, whatever was killed.
    expect: ({ results }) => results.length === 30 && new Set(results.map(({ id }) => id)).size === 30,
  }),
]

const program = Effect.gen(function* () {
  const services = yield* Agent.journaled(book)
  const options: Agent.AgentOptions = { id: "killed", task: "act", tools: ["act", "look"] }
  return yield* Stream.runLast(Agent.run(services, options))
})

const world = Layer.merge(
  SqliteJournal.layer({ path: journal, lockTimeout: "30 seconds" }),
  MockModel.layerByPosition(turns),
)
const end = await Effect.runPromise(Effect.scoped(Effect.provide(program, world)))
if (end._tag === "None" || end.value._tag !== "AgentEnd" || end.value.because !== "done") {
  throw new Error(`it ended with ${JSON.stringify(end)}`)
}
