import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ModelRequest } from "../../src/agent/ModelBranch.ts"
import { modelService } from "../../src/agent/modelService.ts"
import { MockModel } from "../../src/leaves/mock/MockModel.ts"
import * as Spellbook from "../../src/spell/Spellbook.ts"

it("decodes each message of a conversation once, however many turns follow it", async () => {
  let reads = 0
  const question = {
    role: "user",
    get content(): string {
      reads += 1
      return "What is it?"
    },
  }
  const turns = [1, 2, 3, 4]
  const model = MockModel.layer(turns.map((turn) =>
    MockModel.turn({
      text: `Answer ${turn}.`,
      expect: ({ answers, prompt }) => answers === turn - 1 && prompt.content.length === 2 * turn - 1,
    })
  ))
  const counts: Array<number> = []
  const program = Effect.gen(function* () {
    const { request } = yield* modelService(Spellbook.make())
    for (const turn of turns) {
      const added = [turn === 1 ? question : { role: "user", content: `And ${turn}?` }]
      const follows = turn === 1 ? {} : { follows: turn - 1 }
      yield* Stream.runDrain(request(ModelRequest.make({ correlationId: `r/${turn}`, ...follows, added, tools: [] })))
      counts.push(reads)
    }
    yield* MockModel.verify
  })
  await Effect.runPromise(Effect.provide(program, model))
  expect(counts[0]).toBeGreaterThan(0)
  expect(new Set(counts).size).toBe(1)
})
