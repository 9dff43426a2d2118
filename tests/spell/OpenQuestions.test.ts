import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { ApprovalRequest, OpenQuestions } from "@sluice/shell/spell"

const question = ApprovalRequest.make({
  correlationId: "c1/approval",
  invocationId: "c1",
  spell: "run_command",
  arguments: {},
  about: "run_command make",
  suggestions: [],
})

it.effect("keeps a question that is asked again while the first asker is about to get its answer", () =>
  Effect.gen(function* () {
    const questions = yield* OpenQuestions.make()
    const ask = Effect.forkChild(Stream.runCollect(questions.request(question)), { startImmediately: true })
    const first = yield* ask
    expect(yield* questions.answer("c1/approval", { decision: "allow" })).toBe(true)
    const second = yield* ask
    expect((yield* Fiber.join(first)).map(({ decision }) => decision)).toEqual(["allow"])
    expect((yield* questions.list).length).toBe(1)
    expect(yield* questions.answer("c1/approval", { decision: "deny" })).toBe(true)
    expect((yield* Fiber.join(second)).map(({ decision }) => decision)).toEqual(["deny"])
  }))
