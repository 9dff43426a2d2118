/** Declares the options of a run, and checks them. */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Schedule from "effect/Schedule"
import { quote } from "../base/quote.ts"
import { defined } from "../base/defined.ts"
import { type DurationInput, durationOf } from "../base/duration.ts"
import { finiteFrom, OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import { CommandId } from "../command/CommandId.ts"
import type { AgentRun } from "./AgentRunBranch.ts"
import type { AgentUsage, ModelPrices } from "./AgentUsage.ts"
import type { ModelFault, ModelResponse } from "./ModelBranch.ts"

/** The progress of a run. */
export interface AgentProgress {
  readonly turns: number
  readonly toolCalls: number
  readonly usage: AgentUsage
  /** The newest answer of the model. */
  readonly response: ModelResponse
}

/** Options of a run. */
export interface AgentOptions {
  /** The task, for the model. */
  readonly task: string
  /** The system prompt. Default: none. */
  readonly system?: string | undefined
  /** The id of the run, with which the ids of all its requests begin. Default: a UUIDv7. */
  readonly id?: string | undefined
  /** The names of the spells that the model may call. */
  readonly tools: ReadonlyArray<string>
  /** The name of the model, for people who read the journal. */
  readonly model?: string | undefined
  /** The place where the spells act, such as the path of a folder, for people who read the journal. No secrets. */
  readonly place?: string | undefined
  /** The calls that are allowed without a question, for people who read the journal. */
  readonly approval?: string | undefined
  /** Maximum number of requests to the model. Default: 50. */
  readonly maxTurns?: number | undefined
  /** Tokens of all answers and prompts together, after which no more tools are called. Default: no limit. */
  readonly maxTokens?: number | undefined
  /** Prices of the model. Default: costs are not counted. */
  readonly prices?: ModelPrices | undefined
  /** Cost after which no more tools are called. Requires `prices`. Default: no limit. */
  readonly maxCost?: number | undefined
  /** Time after which the run is ended, together with requests in flight. Default: no limit. */
  readonly maxDuration?: DurationInput | undefined
  /** Ends the run after an answer for which it returns `true`. Default: never. */
  readonly stopWhen?: ((progress: AgentProgress) => boolean) | undefined
  /** Ends the run when it completes; the answer or the calls in flight are interrupted. Default: never. */
  readonly interrupt?: Effect.Effect<void> | undefined
  /** Calls of one turn that are cast at once. Default: 4. */
  readonly concurrency?: number | undefined
  /** Retries after a transient failure of the model. Default: 5 times, after 1 s, 2 s, … */
  readonly retry?: Schedule.Schedule<unknown, ModelFault> | undefined
  /** Tokens of a prompt beyond which the conversation is trimmed. Default: 100,000. */
  readonly maxContextTokens?: number | undefined
  /** Newest turns that trimming keeps. Default: 4. */
  readonly keepTurns?: number | undefined
  /** Whether the model summarizes the turns that trimming drops. Default: `false`. */
  readonly summarize?: boolean | undefined
}

export interface AgentSettings
  extends Pick<AgentOptions, "maxTokens" | "maxCost" | "prices" | "stopWhen" | "interrupt" | "retry"> {
  readonly run: AgentRun
  readonly maxTurns: number
  readonly concurrency: number
  readonly maxDuration: Duration.Duration | undefined
}

const optionNames: Readonly<Record<keyof AgentOptions, true>> = {
  task: true,
  system: true,
  id: true,
  tools: true,
  model: true,
  place: true,
  approval: true,
  maxTurns: true,
  maxTokens: true,
  prices: true,
  maxCost: true,
  maxDuration: true,
  stopWhen: true,
  interrupt: true,
  concurrency: true,
  retry: true,
  maxContextTokens: true,
  keepTurns: true,
  summarize: true,
}

const refuse = (name: string, what: string): never => {
  throw new OptionError(name, `Agent: ${name} ${what}`)
}

const checkCount = (name: string, value: number): number => requireCount("Agent", name, value, finiteFrom(1))

const checkAmount = (name: string, value: number): number =>
  Number.isFinite(value) && value >= 0 ? value : refuse(name, `must be a number from 0, got ${value}`)

/** Maximum length of the id of a run; the ids of its calls are longer. */
const maxIdLength = 120

/**
 * Fills in the defaults.
 *
 * @throws {OptionError} for an option that is unknown or has a value that it cannot have
 */
export const resolveAgentOptions = (options: AgentOptions): AgentSettings => {
  refuseUnknownOptions("Agent", options, optionNames)
  const { concurrency = 4, keepTurns = 4, maxContextTokens = 100_000, maxTurns = 50, summarize = false } = options
  const { id = CommandId.make(), maxCost, maxDuration, maxTokens, prices, system, task, tools } = options
  const { approval, model, place } = options
  if (task.trim() === "") refuse("task", "is empty; say what is to be done")
  if (!/^[\x21-\x7e]+$/.test(id) || id.length > maxIdLength || id.includes("/")) {
    refuse("id", `must be 1 to ${maxIdLength} printable ASCII characters without "/", got ${quote(id)}`)
  }
  if (maxCost !== undefined && prices === undefined) refuse("maxCost", "requires prices")
  for (const [name, price] of Object.entries(prices ?? {})) checkAmount(`prices.${name}`, price)
  return {
    run: {
      _tag: "AgentRun",
      correlationId: id,
      task,
      ...defined({ system }),
      tools,
      context: {
        maxTokens: checkCount("maxContextTokens", maxContextTokens),
        keepTurns: checkCount("keepTurns", keepTurns),
        summarize,
      },
      ...defined({ model, place, approval }),
    },
    maxTurns: checkCount("maxTurns", maxTurns),
    concurrency: checkCount("concurrency", concurrency),
    maxTokens: maxTokens === undefined ? undefined : checkCount("maxTokens", maxTokens),
    maxCost: maxCost === undefined ? undefined : checkAmount("maxCost", maxCost),
    maxDuration: maxDuration === undefined ? undefined : durationOf("maxDuration", maxDuration),
    prices,
    stopWhen: options.stopWhen,
    interrupt: options.interrupt,
    retry: options.retry,
  }
}
