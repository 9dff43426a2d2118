/** Makes a language model that follows a script, turn by turn, and verifies the prompts that it received. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type DurationInput, durationOf } from "../../base/duration.ts"
import { MockScriptError } from "../../branch/MockScriptError.ts"
import { type MockPrompt, mockPromptOf } from "./MockPrompt.ts"

export type { MockPrompt, MockToolResult } from "./MockPrompt.ts"

/**
 * One answer of a {@link MockModel}.
 *
 * @stability experimental
 */
export interface MockTurn {
  /** The text of the answer, word by word. Default: none. */
  readonly text?: string | undefined
  /** The reasoning before the answer. Default: none. */
  readonly reasoning?: string | undefined
  /** The tools that it calls. Default: none. */
  readonly calls?:
    | ReadonlyArray<{ readonly name: string; readonly arguments: unknown; readonly id?: string | undefined }>
    | undefined
  /** Checks the prompt: `true`, or a text that says what is wrong with it. Default: accepts any prompt. */
  readonly expect?: ((prompt: MockPrompt) => boolean | string) | undefined
  /** Fails with this reason instead, after the text; the next request gets the next turn. */
  readonly fault?: AiError.AiErrorReason | undefined
  /** Waits before it answers. */
  readonly delay?: DurationInput | undefined
  /** Finish reason. Default: `"tool-calls"` with calls, else `"stop"`. */
  readonly finishReason?: Response.FinishReason | undefined
  /** Reported tokens. Default: none. */
  readonly usage?:
    | {
      readonly inputTokens?: number | undefined
      readonly cachedInputTokens?: number | undefined
      readonly outputTokens?: number | undefined
    }
    | undefined
}

/** The service of a mock, the prompts that it received, and their mismatches. */
export interface MockModelService {
  /** The newest 256 prompts, in order. */
  readonly prompts: Effect.Effect<ReadonlyArray<MockPrompt>>
  /** The differences from the script so far, including turns that were not requested. */
  readonly problems: Effect.Effect<ReadonlyArray<string>>
}

const Base: Context.ServiceClass<MockModel, "@sluice/shell/MockModel", MockModelService> = Context.Service<
  MockModel,
  MockModelService
>()("@sluice/shell/MockModel")

const errorOf = (reason: AiError.AiErrorReason): AiError.AiError =>
  AiError.make({ module: "MockModel", method: "streamText", reason })

const partsOf = (turn: MockTurn, number: number): ReadonlyArray<Response.StreamPartEncoded> => {
  const { calls = [], finishReason, reasoning = "", text = "", usage = {} } = turn
  const words = (type: "text" | "reasoning", content: string): ReadonlyArray<Response.StreamPartEncoded> => {
    if (content === "") return []
    const id = `${type}-${number}`
    const deltas = (content.match(/\s*\S+\s*/g) ?? [content]).map((delta) => ({
      type: `${type}-delta` as const,
      id,
      delta,
    }))
    return [{ type: `${type}-start`, id }, ...deltas, { type: `${type}-end`, id }]
  }
  return [
    ...words("reasoning", reasoning),
    ...words("text", text),
    ...calls.map((call, index): Response.StreamPartEncoded => ({
      type: "tool-call",
      id: call.id ?? `call_${number}_${index + 1}`,
      name: call.name,
      params: call.arguments,
    })),
    {
      type: "finish",
      reason: finishReason ?? (calls.length === 0 ? "stop" : "tool-calls"),
      usage: {
        inputTokens: { total: usage.inputTokens, cacheRead: usage.cachedInputTokens },
        outputTokens: { total: usage.outputTokens },
      },
      response: undefined,
    },
  ]
}

const wholeParts = (
  parts: ReadonlyArray<Response.StreamPartEncoded>,
  { reasoning = "", text = "" }: MockTurn,
): Array<Response.PartEncoded> => [
  ...(reasoning === "" ? [] : [{ type: "reasoning" as const, text: reasoning }]),
  ...(text === "" ? [] : [{ type: "text" as const, text }]),
  ...parts.filter((part) => part.type === "tool-call" || part.type === "finish"),
]

/** Maximum number of kept prompts, the newest: each contains its whole conversation. */
const maxPrompts = 256

const makeMock = (script: ReadonlyArray<MockTurn>, byPosition: boolean) => {
  const prompts: Array<MockPrompt> = []
  let asked = 0
  const problems: Array<string> = []
  const used = new Set<number>()

  const choose = ({ prompt, tools }: LanguageModel.ProviderOptions) =>
    Effect.suspend(() => {
      const received = mockPromptOf(prompt, tools)
      const number = (byPosition ? received.answers : asked) + 1
      asked += 1
      prompts.push(received)
      if (prompts.length > maxPrompts) prompts.shift()
      const turn = script[number - 1]
      if (turn === undefined) {
        const description = `MockModel: turn ${number} was requested, and the script has ${script.length}`
        problems.push(description)
        return Effect.fail(errorOf(new AiError.InvalidRequestError({ description })))
      }
      used.add(number)
      const verdict = turn.expect?.(received) ?? true
      if (verdict !== true) {
        const description = `MockModel: turn ${number}: ${
          verdict === false ? "the prompt is not the expected one" : verdict
        }`
        problems.push(description)
        return Effect.fail(errorOf(new AiError.InvalidRequestError({ description })))
      }
      return turn.delay === undefined
        ? Effect.succeed({ turn, number })
        : Effect.delay(Effect.succeed({ turn, number }), durationOf("delay", turn.delay))
    })

  const model = LanguageModel.make({
    generateText: (options) =>
      Effect.flatMap(
        choose(options),
        ({ number, turn }) =>
          turn.fault === undefined
            ? Effect.succeed(wholeParts(partsOf(turn, number), turn))
            : Effect.fail(errorOf(turn.fault)),
      ),
    streamText: (options) =>
      Stream.unwrap(Effect.map(choose(options), ({ number, turn }) => {
        const parts = Stream.fromIterable(partsOf(turn, number)).pipe(Stream.rechunk(1))
        return turn.fault === undefined ? parts : parts.pipe(
          Stream.filter(({ type }) => type !== "finish" && type !== "tool-call"),
          Stream.concat(Stream.fail(errorOf(turn.fault))),
        )
      })),
  })
  const service: MockModelService = {
    prompts: Effect.sync(() => [...prompts]),
    problems: Effect.sync(() => [
      ...problems,
      ...script.flatMap((_, index) => used.has(index + 1) ? [] : [`MockModel: turn ${index + 1} was not requested`]),
    ]),
  }
  return Effect.map(
    model,
    (made) => Context.make(MockModel, service).pipe(Context.add(LanguageModel.LanguageModel, made)),
  )
}

/**
 * A `LanguageModel` of `effect/ai` for tests: its answers follow a script, and it uses no network. A prompt that a turn does
 * not expect, and a request beyond the script, fail with `InvalidRequestError`, which no program retries.
 *
 * @example
 * ```ts
 * import { MockModel } from "@sluice/shell/testing"
 * import { Effect } from "effect"
 * import { LanguageModel } from "effect/ai"
 *
 * const model = MockModel.layer([
 *   MockModel.turn({ text: "Hello, Ada!", expect: ({ text }) => text.includes("Ada") }),
 * ])
 * const program = Effect.gen(function* () {
 *   const { text } = yield* LanguageModel.generateText({ prompt: "I am Ada." })
 *   yield* MockModel.verify
 *   return text
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, model))) // Hello, Ada!
 * ```
 *
 * @stability experimental
 */
export class MockModel extends Base {
  /** Makes a turn of a script. */
  static turn(turn: MockTurn): MockTurn {
    return turn
  }

  /** A layer of a `LanguageModel` whose requests get the turns of a script in order, and of the mock itself. */
  static layer(script: ReadonlyArray<MockTurn>): Layer.Layer<LanguageModel.LanguageModel | MockModel> {
    return Layer.effectContext(Effect.suspend(() => makeMock(script, false)))
  }

  /**
   * {@link MockModel.layer}, which chooses the turn by the number of answers that a prompt already has, so that a
   * conversation of another process can be continued.
   */
  static layerByPosition(script: ReadonlyArray<MockTurn>): Layer.Layer<LanguageModel.LanguageModel | MockModel> {
    return Layer.effectContext(Effect.suspend(() => makeMock(script, true)))
  }

  /** The newest 256 prompts that the mock got, in order. */
  static get prompts(): Effect.Effect<ReadonlyArray<MockPrompt>, never, MockModel> {
    return Effect.flatMap(MockModel, (mock) => mock.prompts)
  }

  /** Fails if a prompt was not the expected one, or if a turn was never requested. */
  static get verify(): Effect.Effect<void, MockScriptError, MockModel> {
    return Effect.flatMap(
      MockModel,
      (mock) =>
        Effect.flatMap(
          mock.problems,
          (problems) =>
            problems.length === 0
              ? Effect.void
              : Effect.fail(new MockScriptError({ message: problems.join("; and ") })),
        ),
    )
  }
}
