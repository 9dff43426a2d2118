/** Parses the flag values of `sluice agent`: counts, amounts and prices. Each failure is one line. */
import * as Result from "effect/Result"
import type { ModelPrices } from "../../agent/AgentUsage.ts"
import type { Parsed } from "../parseValues.ts"

/** A whole number from 1. */
export const parseCount = (text: string): Parsed<number> =>
  /^[1-9]\d{0,14}$/.test(text) ? Result.succeed(Number(text)) : Result.fail(`"${text}" is not a whole number from 1`)

/** A number from 0, with decimals. */
export const parsePositive = (text: string): Parsed<number> =>
  /^\d{1,12}(?:\.\d{1,9})?$/.test(text)
    ? Result.succeed(Number(text))
    : Result.fail(`"${text}" is not a number, such as 0.25`)

const names: ReadonlyMap<string, keyof ModelPrices> = new Map<string, keyof ModelPrices>([
  ["input", "input"],
  ["output", "output"],
  ["cached", "cachedInput"],
  ["cache-write", "cacheWrite"],
])

/** Prices by name: `input=3,output=15`. */
export const parsePrices = (texts: ReadonlyArray<string>): Parsed<ModelPrices> =>
  Result.gen(function* () {
    const prices: Partial<Record<keyof ModelPrices, number>> = {}
    for (const part of texts.flatMap((text) => text.split(","))) {
      const at = part.indexOf("=")
      const name = names.get(part.slice(0, Math.max(0, at)).trim())
      if (name === undefined) {
        return yield* Result.fail(
          `"${part}" is not a price; write ${[...names.keys()].map((each) => `${each}=N`).join(", ")}`,
        )
      }
      prices[name] = yield* parsePositive(part.slice(at + 1).trim())
    }
    const { input, output } = prices
    if (input === undefined || output === undefined) return yield* Result.fail("input=N and output=N are both needed")
    return { ...prices, input, output }
  })
