/**
 * Looks at the promises where there is no test runner. One line of JSON for each: `{ title, failure?, millis }`.
 * Arguments: parts of titles; those alone are looked at.
 */
import process from "node:process"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { promises } from "./promises.ts"

const wanted = process.argv.slice(2)

for (const { keep, title } of promises) {
  if (wanted.length > 0 && !wanted.some((part) => title.includes(part))) continue
  const start = performance.now()
  const exit = await Effect.runPromiseExit(Effect.timeout(Effect.scoped(keep), "110 seconds"))
  const failure = Exit.isFailure(exit) ? { failure: Cause.pretty(exit.cause) } : undefined
  console.log(JSON.stringify({ title, ...failure, millis: Math.round(performance.now() - start) }))
}
// What a failed promise left behind must not keep us.
process.exit()
