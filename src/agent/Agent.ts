/**
 * Runs an agent: asks a model, casts the spells that it calls, and tells it their results, until it answers with text alone.
 *
 * The loop decides by its answers alone, and gives every request an id that follows from its place. So a run whose model and
 * spells answer from a journal (`answerOnce`) continues where it was, and one whose services replay acts on nothing.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { CommandId } from "../command/CommandId.ts"
import type { SpellFault } from "../spell/SpellEntry.ts"
import { SpellInvocation } from "../spell/SpellEntry.ts"
import type { SpellcastingService } from "../spell/SpellcastingBranch.ts"
import type { ModelFault, ModelResponse, ModelService, ModelToolCall } from "./ModelBranch.ts"
import { ModelRequest } from "./ModelBranch.ts"

/**
 * What an agent does.
 *
 * @stability experimental
 */
export interface AgentOptions {
  /** The task, for the model. */
  readonly task: string
  /** What the model is told before. Default: nothing. */
  readonly system?: string | undefined
  /** The id of the run: the ids of all that it does begin with it. Default: a UUIDv7. */
  readonly id?: string | undefined
  /** The names of the spells that the model may call. */
  readonly tools: ReadonlyArray<string>
  /** Times that the model is asked at most; then the run ends with `"turns"`. Default: 50. */
  readonly maxTurns?: number | undefined
  /** Calls of one turn that are cast at once. Default: 4. */
  readonly concurrency?: number | undefined
}

/**
 * What an agent has and does.
 *
 * @stability experimental
 */
export interface AgentServices {
  readonly model: ModelService
  readonly spells: SpellcastingService
}

/**
 * What happens in a run, as it happens: an answer of the model, a call, its result, the end.
 *
 * @stability experimental
 */
export type AgentEvent =
  | ModelResponse
  | { readonly _tag: "AgentToolCall"; readonly call: ModelToolCall }
  | {
    readonly _tag: "AgentToolCallResult"
    readonly call: ModelToolCall
    readonly result: Schema.Json
    readonly isFailure: boolean
  }
  | {
    readonly _tag: "AgentEnd"
    /** The last text of the model. */
    readonly text: string
    /** Why it ended: the model had done, or was asked `maxTurns` times. */
    readonly because: "done" | "turns"
    readonly turns: number
    readonly inputTokens: number
    readonly outputTokens: number
  }

/** What a model is told of a spell that has no result. */
const failureOf = ({ failure, faultKind, message }: SpellFault): Schema.Json => ({
  error: faultKind,
  message,
  ...(failure === undefined ? undefined : { failure }),
})

/** The message with the results of calls. */
const resultMessage = (
  results: ReadonlyArray<{ readonly call: ModelToolCall; readonly result: Schema.Json; readonly isFailure: boolean }>,
): Schema.Json => ({
  role: "tool",
  content: results.map(({ call, isFailure, result }) => ({
    type: "tool-result",
    id: call.id,
    name: call.name,
    isFailure,
    result,
  })),
})

interface State {
  readonly turn: number
  readonly prompt: ReadonlyArray<Schema.Json>
  readonly inputTokens: number
  readonly outputTokens: number
}

/**
 * Runs an agent.
 *
 * @stability experimental
 */
export const run = (
  { model, spells }: AgentServices,
  { concurrency = 4, id = CommandId.make(), maxTurns = 50, system, task, tools }: AgentOptions,
): Stream.Stream<AgentEvent, ModelFault> => {
  const castOne = (call: ModelToolCall, correlationId: string) =>
    spells.request(SpellInvocation.make({ correlationId, name: call.name, arguments: call.arguments })).pipe(
      Stream.runHead,
      Effect.map((result) => Option.isSome(result) ? result.value.result : null),
      Effect.result,
      Effect.map((result) =>
        Result.isSuccess(result)
          ? { call, result: result.success, isFailure: false }
          : { call, result: failureOf(result.failure), isFailure: true }
      ),
    )

  const turn = (state: State): Stream.Stream<AgentEvent, ModelFault> =>
    Stream.unwrap(Effect.gen(function* () {
      const correlationId = `${id}/${state.turn}`
      const request = ModelRequest.make({ correlationId, prompt: state.prompt, tools })
      const answer = yield* Stream.runHead(model.request(request))
      if (Option.isNone(answer)) return Stream.die(new Error("a model answered nothing"))
      const response = answer.value
      const inputTokens = state.inputTokens + response.inputTokens
      const outputTokens = state.outputTokens + response.outputTokens
      const isDone = response.toolCalls.length === 0
      if (isDone || state.turn === maxTurns) {
        const because = isDone ? "done" as const : "turns" as const
        const { text } = response
        const end: AgentEvent = { _tag: "AgentEnd", text, because, turns: state.turn, inputTokens, outputTokens }
        return Stream.make<Array<AgentEvent>>(response, end)
      }
      const calls = response.toolCalls.map((call): AgentEvent => ({ _tag: "AgentToolCall", call }))
      const results: Array<Effect.Success<ReturnType<typeof castOne>>> = []
      const cast = Stream.fromIterable(response.toolCalls.map((call, index) => ({ call, index }))).pipe(
        Stream.mapEffect(
          ({ call, index }) =>
            Effect.tap(
              castOne(call, `${correlationId}/${index + 1}`),
              (result) => Effect.sync(() => void (results[index] = result)),
            ),
          { concurrency, unordered: true },
        ),
        Stream.map((result): AgentEvent => ({ _tag: "AgentToolCallResult", ...result })),
      )
      const next = Stream.suspend(() =>
        turn({
          turn: state.turn + 1,
          prompt: [...state.prompt, ...response.messages, resultMessage(results)],
          inputTokens,
          outputTokens,
        })
      )
      return Stream.make<Array<AgentEvent>>(response, ...calls).pipe(Stream.concat(cast), Stream.concat(next))
    }))

  return turn({
    turn: 1,
    prompt: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      { role: "user", content: task },
    ],
    inputTokens: 0,
    outputTokens: 0,
  })
}
