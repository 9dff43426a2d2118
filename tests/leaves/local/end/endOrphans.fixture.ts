/** Ends what is left of the command whose id is its argument, and prints what came of it as JSON. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { LocalShell, Shell } from "../../../../mod.ts"

const program = Effect.gen(function* () {
  const { capabilities, endOrphans } = yield* Shell
  if (endOrphans === undefined) return { orphans: capabilities.orphans }
  const report = yield* Effect.result(endOrphans(process.argv.at(-1) ?? "", { grace: "300 millis" }))
  return Result.isSuccess(report)
    ? { orphans: capabilities.orphans, report: report.success }
    : { orphans: capabilities.orphans, reason: report.failure.reason }
})
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, LocalShell.layer))))
