/**
 * The command line: `sluice run` and `sluice serve`. Importing this module runs it.
 *
 * ```sh
 * sluice run --window lines:50,silence:100 -- git log --stat
 * sluice serve --port 8787
 * ```
 *
 * It starts on Deno, Bun and Node; `sluice --help` tells the rest.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { denoProcess } from "./denoProcess.ts"
import { ownFailure } from "./exitStatus.ts"
import { nodeProcess } from "./nodeProcess.ts"
import { OwnOutput } from "./Output.ts"
import type { OwnProcess } from "./OwnProcess.ts"
import { readRequest } from "./RunRequest.ts"
import { run } from "./run.ts"
import { say } from "./say.ts"
import { readWords } from "./words.ts"

/** What was asked for, done; answers with the status to exit with. */
const main = Effect.fnUntraced(function* (own: OwnProcess) {
  const [command, ...rest] = own.args
  const words = command === "run" ? readWords(rest) : undefined
  // Everything but a plain `run`: other commands, the help, and what is wrong.
  if (words === undefined) return yield* (yield* Effect.promise(() => import("./program.ts"))).program(own)
  return yield* run(yield* readRequest(words), own)
})

const start = (own: OwnProcess): void => {
  const status = Effect.catchTag(
    main(own),
    "UsageError",
    ({ message }) => Effect.as(Effect.ignore(say(new OwnOutput(own), message)), ownFailure),
  )
  Effect.runCallback(status, {
    onExit: (exit) => {
      if (Exit.isSuccess(exit)) return own.exit(exit.value)
      Effect.runCallback(Effect.ignore(say(new OwnOutput(own), `a bug: ${Cause.pretty(exit.cause)}`)), {
        onExit: () => own.exit(ownFailure),
      })
    },
  })
}

const own = denoProcess() ?? nodeProcess()
if (own === undefined) throw new Error("sluice needs Deno, Bun or Node")
start(own)
