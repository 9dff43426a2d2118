/**
 * From the words of the command line to the status that it exits with.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ownFailure } from "./exitStatus.ts"
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

/** Does what the command line of this process says, and ends the process. */
export const start = (own: OwnProcess): void => {
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
