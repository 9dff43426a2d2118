/** Counts the tokens of a run, and computes their cost at the caller's prices. */
import * as Schema from "effect/Schema"
import type { ModelResponse } from "./ModelBranch.ts"

const count: typeof Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * The tokens of a run. `inputTokens` includes tokens that were read from a cache or written to it; `cost` is in the
 * unit of the prices, and missing without prices.
 */
export const AgentUsage: Schema.Struct<{
  readonly inputTokens: typeof Schema.Int
  readonly cachedInputTokens: typeof Schema.Int
  readonly cacheWriteTokens: typeof Schema.Int
  readonly outputTokens: typeof Schema.Int
  readonly cost: Schema.optionalKey<typeof Schema.Finite>
}> = Schema.Struct({
  inputTokens: count,
  cachedInputTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  cost: Schema.optionalKey(Schema.Finite),
})

export interface AgentUsage extends Schema.Schema.Type<typeof AgentUsage> {}

/** Prices of a million tokens, in any unit. */
export interface ModelPrices {
  /** Price of input tokens. */
  readonly input: number
  /** Price of output tokens. */
  readonly output: number
  /** Price of input tokens that were read from a cache. Default: `input`. */
  readonly cachedInput?: number | undefined
  /** Price of input tokens that were written to a cache. Default: `input`. */
  readonly cacheWrite?: number | undefined
}

export const noUsage: AgentUsage = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }

const costOf = (usage: AgentUsage, { cacheWrite, cachedInput, input, output }: ModelPrices): number => {
  const { cacheWriteTokens, cachedInputTokens, inputTokens, outputTokens } = usage
  const uncached = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens)
  const cached = cachedInputTokens * (cachedInput ?? input) + cacheWriteTokens * (cacheWrite ?? input)
  return (uncached * input + cached + outputTokens * output) / 1_000_000
}

export const addUsage = (usage: AgentUsage, response: ModelResponse, prices: ModelPrices | undefined): AgentUsage => {
  const sum: AgentUsage = {
    inputTokens: usage.inputTokens + response.inputTokens,
    cachedInputTokens: usage.cachedInputTokens + response.cachedInputTokens,
    cacheWriteTokens: usage.cacheWriteTokens + response.cacheWriteTokens,
    outputTokens: usage.outputTokens + response.outputTokens,
  }
  return prices === undefined ? sum : { ...sum, cost: costOf(sum, prices) }
}
