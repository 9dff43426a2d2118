/** Runs the program to its exit: plain `sluice run` with the fast parser, everything else with effect/cli. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { requireNode } from "../base/requireNode.ts"
import { runCallback } from "../base/stderrLogs.ts"
import { handleBrokenOutput, ownFailureStatus } from "./exitStatus.ts"
import { ProcessOutput } from "./ProcessOutput.ts"
import type { CliProcess } from "./CliProcess.ts"
import { run } from "./run.ts"
import { tryMessage } from "./writeMessage.ts"
import { parseRunWords } from "./parseRunWords.ts"

const main = Effect.fnUntraced(function* (cli: CliProcess) {
  const [command, ...rest] = cli.args
  const words = command === "run" ? parseRunWords(rest) : undefined
  // Everything except a plain `run`: other subcommands, help and usage errors.
  if (words === undefined) return yield* (yield* Effect.promise(() => import("./program.ts"))).makeProgram(cli)
  return yield* run(words, cli)
})

/** Runs the command line of this process, then ends the process. */
export const runCli = (cli: CliProcess): void => {
  requireNode()
  const output = new ProcessOutput(cli)
  const status = main(cli).pipe(
    Effect.catchTag("UsageError", ({ message }) => Effect.as(tryMessage(output, message), ownFailureStatus)),
    Effect.catchTag("BrokenOutputError", (broken) => handleBrokenOutput(broken, output)),
  )
  runCallback(status, {
    onExit: (exit) => {
      if (Exit.isSuccess(exit)) return cli.exit(exit.value)
      runCallback(tryMessage(output, `a bug: ${Cause.pretty(exit.cause)}`), {
        onExit: () => cli.exit(ownFailureStatus),
      })
    },
  })
}
