/**
 * Runs an agent: asks a model, casts the spells that the model calls, and returns their results to it, until it answers with
 * text alone.
 *
 * The loop depends only on these answers, and derives the id of each request from its position in the run. A run whose model
 * and spells answer from a journal (`journaled`) therefore resumes where it stopped, and a run over replay services has no
 * side effects.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { inSpan } from "../base/inSpan.ts"
import type { OptionError } from "../base/OptionError.ts"
import type { AgentEnd, AgentEndCause, AgentEvent } from "./AgentEvent.ts"
import { type AgentOptions, type AgentSettings, resolveAgentOptions } from "./AgentOptions.ts"
import { AgentFault } from "./AgentRunBranch.ts"
import type { AgentServices } from "./AgentServices.ts"
import { addUsage, type AgentUsage, noUsage } from "./AgentUsage.ts"
import { askModel, type Emit, usageAttributes } from "./askModel.ts"
import { callTool } from "./callTool.ts"
import type { ModelFault, ModelRequest, ModelResponse } from "./ModelBranch.ts"
import {
  estimateTokens,
  messagesOf,
  resultMessage,
  summaryPrompt,
  type ToolResult,
  type Transcript,
  trim,
  withSummary,
} from "./Transcript.ts"

export type { AgentOptions, AgentProgress } from "./AgentOptions.ts"
export {
  type AgentServices,
  journaled,
  type JournaledOptions,
  journaledWith,
  services,
  type ServicesOptions,
} from "./AgentServices.ts"
export { type RecordedRun, recordedRun, replay, replayModel } from "./replayAgent.ts"

/** Maximum number of events that wait for a slow consumer. */
const maxBuffered = 16

/** Maximum number of calls of one answer that are cast; the others fail with `TooManyCalls`. */
const maxCallsOfTurn = 64

/** The fraction of the limit to which a conversation is trimmed, so that the next turns need no trimming. */
const trimTarget = 0.6

interface RunState {
  turns: number
  toolCalls: number
  usage: AgentUsage
  text: string
}

/** The reason for which a run ends with this answer; `undefined` if it goes on. */
const endCause = (
  { maxCost, maxTokens, maxTurns, stopWhen }: AgentSettings,
  response: ModelResponse,
  { toolCalls, turns, usage }: RunState,
): AgentEndCause | undefined => {
  if (response.finishReason === "content-filter") return "refused"
  if (response.toolCalls.length === 0) return response.finishReason === "length" ? "length" : "done"
  if (stopWhen?.({ turns, toolCalls, usage, response }) === true) return "stopped"
  if (turns >= maxTurns) return "turns"
  if (maxTokens !== undefined && usage.inputTokens + usage.outputTokens >= maxTokens) return "tokens"
  return maxCost !== undefined && (usage.cost ?? 0) >= maxCost ? "cost" : undefined
}

const loop = (
  { model, tools: toolCalls }: AgentServices,
  settings: AgentSettings,
  state: RunState,
  emit: Emit,
): Effect.Effect<AgentEndCause, ModelFault> =>
  Effect.gen(function* () {
    const { concurrency, prices, retry, run: { context, correlationId: id, model: name, system, task, tools } } =
      settings
    const asking = { name, retry }

    const castAll = (
      { redacted, toolCalls: calls }: ModelResponse,
      turn: number,
    ): Effect.Effect<ReadonlyArray<ToolResult>> =>
      Effect.forEach(calls, (call, index) => {
        if (index >= maxCallsOfTurn) {
          const message = `at most ${maxCallsOfTurn} tools may be called in one turn; call it again in the next`
          return Effect.succeed({ call, result: { error: "TooManyCalls", message }, isFailure: true })
        }
        const correlationId = `${id}/${turn}/${index + 1}`
        state.toolCalls += 1
        return callTool(
          toolCalls,
          { ...call, correlationId, ...defined({ redacted }) },
          emit,
        )
      }, { concurrency })

    /** Trims the conversation, and asks for a summary of the dropped turns. */
    const shrink = (transcript: Transcript, turn: number, maxTokens: number) =>
      Effect.gen(function* () {
        const trimmed = trim(transcript, maxTokens, context.keepTurns)
        const { dropped, shortened } = trimmed
        yield* emit({ _tag: "AgentTrim", correlationId: `${id}/${turn}`, shortened, dropped: dropped.length })
        if (dropped.length === 0 || !context.summarize) return trimmed.transcript
        const added = summaryPrompt(transcript, dropped)
        const request: ModelRequest = { _tag: "ModelRequest", correlationId: `${id}/${turn}/summary`, added, tools: [] }
        const summary = yield* askModel(model, request, () => Effect.void, asking)
        state.usage = addUsage(state.usage, summary, prices)
        return withSummary(trimmed.transcript, summary.text)
      })

    let transcript: Transcript = {
      head: [...(system === undefined ? [] : [{ role: "system", content: system }]), { role: "user", content: task }],
      dropped: 0,
      turns: [],
    }
    // Ratio of the tokens that a provider counted to the estimate; it depends only on journaled data, so a resumed run sends
    // the same prompts.
    let ratio = 1
    for (let turn = 1;; turn += 1) {
      const correlationId = `${id}/${turn}`
      const last = transcript.turns.at(-1)
      const isTooLong = estimateTokens(transcript) * ratio > context.maxTokens
      if (isTooLong) transcript = yield* shrink(transcript, turn, context.maxTokens * trimTarget / ratio)
      const request: ModelRequest = last === undefined || isTooLong
        ? { _tag: "ModelRequest", correlationId, added: messagesOf(transcript), tools }
        : { _tag: "ModelRequest", correlationId, follows: turn - 1, added: [resultMessage(last.results)], tools }
      const response = yield* askModel(model, request, emit, asking)
      state.turns = turn
      state.text = response.text
      state.usage = addUsage(state.usage, response, prices)
      yield* emit(response)
      const because = endCause(settings, response, state)
      if (because !== undefined) return because
      const estimate = estimateTokens(transcript)
      if (response.inputTokens > 0) ratio = Math.min(4, Math.max(0.5, response.inputTokens / estimate))
      const results = yield* castAll(response, turn)
      transcript = { ...transcript, turns: [...transcript.turns, { messages: response.messages, results }] }
    }
  })

const outerEnd = ({ interrupt, maxDuration }: AgentSettings): Effect.Effect<AgentEndCause> =>
  Effect.raceFirst(
    interrupt === undefined ? Effect.never : Effect.as(interrupt, "interrupted" as const),
    maxDuration === undefined ? Effect.never : Effect.as(Effect.sleep(maxDuration), "time" as const),
  )

const start = (services: AgentServices, settings: AgentSettings): Stream.Stream<AgentEvent, AgentFault> => {
  const { correlationId, model } = settings.run
  const attributes = {
    "gen_ai.operation.name": "invoke_agent",
    ...(model === undefined ? undefined : { "gen_ai.request.model": model }),
    "sluice.correlation_id": correlationId,
  }
  return Stream.callback<AgentEvent, AgentFault>((queue) => {
    const state: RunState = { turns: 0, toolCalls: 0, usage: noUsage, text: "" }
    const emit: Emit = (event) => Queue.offer(queue, event)
    const ended = Effect.raceFirst(loop(services, settings, state, emit), outerEnd(settings))
    return inSpan(ended, "invoke_agent", { attributes }, () => ({ attributes: usageAttributes(state.usage) })).pipe(
      Effect.flatMap((because) => {
        const end: AgentEnd = { _tag: "AgentEnd", correlationId, because, ...state }
        return Effect.andThen(Queue.offer(queue, end), Queue.end(queue))
      }),
      Effect.mapError(({ faultKind, message }) => new AgentFault({ correlationId, faultKind, message })),
    )
  }, { bufferSize: maxBuffered })
}

/**
 * Runs an agent. Closing the stream interrupts what is in flight. Fails with an `OptionError` for an unknown or invalid
 * option.
 *
 * With the services of {@link journaled} a killed run continues when it is run again with the same id: journaled answers are
 * not requested again, and answered calls are not made again.
 *
 * @example
 * ```ts
 * import { Agent } from "@sluice/shell/agent"
 * import { Spell, Spellbook } from "@sluice/shell/spell"
 * import { MockModel } from "@sluice/shell/testing"
 * import { Effect, Schema, Stream } from "effect"
 *
 * const double = Spell.make({
 *   name: "double",
 *   description: "Doubles a number.",
 *   parameters: Schema.Struct({ n: Schema.Number }),
 *   success: Schema.Number,
 *   cast: ({ n }) => Effect.succeed(n * 2),
 * })
 * const model = MockModel.layer([
 *   MockModel.turn({ calls: [{ name: "double", arguments: { n: 21 } }] }),
 *   MockModel.turn({ text: "It is 42.", expect: ({ results }) => results.at(-1)?.result === 42 }),
 * ])
 * const program = Effect.gen(function* () {
 *   const services = yield* Agent.services(Spellbook.make(double))
 *   return yield* Stream.runCollect(Agent.run(services, { task: "What is twice 21?", tools: ["double"] }))
 * })
 * const events = await Effect.runPromise(Effect.provide(program, model))
 * const end = events.at(-1)
 * console.log(end?._tag === "AgentEnd" && end.text) // It is 42.
 * ```
 */
export const run = (
  services: AgentServices,
  options: AgentOptions,
): Stream.Stream<AgentEvent, AgentFault | OptionError> =>
  Stream.unwrap(Effect.map(attemptOptions(() => resolveAgentOptions(options)), (settings) => {
    const events = start(services, settings)
    return services.record === undefined ? events : services.record(settings.run, events)
  }))
