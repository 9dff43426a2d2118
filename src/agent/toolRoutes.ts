/** Routes agents' tool calls to spells, and the results back. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { defined } from "../base/defined.ts"
import { assumeValidOptions } from "../base/attemptOptions.ts"
import * as Route from "../branch/Route.ts"
import { make as makeGraph } from "../branch/RouteGraph.ts"
import { type SpellFault, SpellInvocation } from "../spell/SpellEntry.ts"
import { SpellcastingBranch, type SpellcastingService } from "../spell/SpellcastingBranch.ts"
import { type AgentToolCall, AgentToolCallResult, ToolCallBranch, type ToolCallService } from "./ToolCallBranch.ts"

/** The answer to a model for a spell without a result. */
const formatFault = ({ failure, faultKind, message }: SpellFault): Schema.Json => ({
  error: faultKind,
  message,
  ...defined({ failure }),
})

const answer = (
  { callId, correlationId, name }: AgentToolCall,
  result: Schema.Json,
  isFailure: boolean,
): AgentToolCallResult => AgentToolCallResult.make({ correlationId, callId, name, result, isFailure })

/**
 * The routes of a tool call: to the spell that it names, under the id `CALL/1`, and from its result or fault to the answer
 * for the model.
 *
 * @example
 * ```ts
 * import { toolRoutes } from "@sluice/shell/agent"
 *
 * console.log(toolRoutes.length) // 3
 * ```
 */
export const toolRoutes: ReadonlyArray<Route.Route> = [
  Route.request(
    ToolCallBranch,
    "AgentToolCall",
    SpellcastingBranch,
    ({ arguments: input, correlationId, name, redacted }) =>
      SpellInvocation.make({
        correlationId: `${correlationId}/1`,
        name,
        arguments: input,
        ...defined({ redacted }),
      }),
  ),
  Route.answer(SpellcastingBranch, "SpellResult", ToolCallBranch, ({ result }, call) => answer(call, result, false)),
  Route.answer(
    SpellcastingBranch,
    "SpellFault",
    ToolCallBranch,
    (fault, call) => answer(call, formatFault(fault), true),
  ),
]

/**
 * The service of tool calls over one that casts spells.
 *
 * @example
 * ```ts
 * import { AgentToolCall, toolService } from "@sluice/shell/agent"
 * import { Spell, Spellbook } from "@sluice/shell/spell"
 * import { Effect, Schema, Stream } from "effect"
 *
 * const book = Spellbook.make(Spell.make({
 *   name: "double",
 *   description: "Doubles a number.",
 *   parameters: Schema.Struct({ n: Schema.Number }),
 *   success: Schema.Number,
 *   cast: ({ n }) => Effect.succeed(n * 2),
 * }))
 * const program = Effect.gen(function* () {
 *   const spells = yield* Spellbook.service(book)
 *   const tools = yield* toolService(spells)
 *   const call = AgentToolCall.make({ correlationId: "r/1/1", callId: "c1", name: "double", arguments: { n: 21 } })
 *   return yield* Stream.runCollect(tools.request(call))
 * })
 * const [answer] = await Effect.runPromise(program)
 * console.log(answer?._tag === "AgentToolCallResult" && answer.result) // 42
 * ```
 */
export const toolService = (spells: SpellcastingService): Effect.Effect<ToolCallService> =>
  Effect.map(
    assumeValidOptions(makeGraph({ routes: toolRoutes, handlers: [Route.handle(SpellcastingBranch, spells)] })),
    (graph) => graph.service(ToolCallBranch),
  )
