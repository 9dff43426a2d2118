/** The fuzzer by hand: `fuzz.fixture.ts SEED SECONDS`. */
import * as Effect from "effect/Effect"
import { fuzz } from "./fuzz.ts"

const [seed = "1", seconds = "60"] = process.argv.slice(2)
const found = await Effect.runPromise(fuzz(Number(seed), Infinity, performance.now() + Number(seconds) * 1_000))
console.log(JSON.stringify({ tried: found.tried, allowed: found.allowed, escapes: found.escapes.length }))
for (const [script, ran] of found.escapes.slice(0, 40)) console.log(JSON.stringify(script), "=>", JSON.stringify(ran))
