/**
 * Defines `sluice sandbox` for effect/cli.
 *
 * @module
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { type FlagTexts, givenFlags, makeFlags } from "../makeFlag.ts"
import { sandboxFlags } from "./flags.ts"
import type { SandboxWords } from "./SandboxRequest.ts"

const about = `Run a script in an in-process sandbox: a shell with pipes, signals and the usual utilities.

  The sandbox has no access to this machine except through --mount and --program; files are in memory and discarded at
  the end. The arguments after SCRIPT are its $1, $2, ….

  Exit status: that of the script; 128+n if signal n ended it; 124 timed out; 153 output limit exceeded; 125 any other
  failure of sluice itself, including a usage error. Ctrl-C is sent to the script; a second Ctrl-C kills everything.`

/** Makes `sluice sandbox`. Its handler only reports the parsed words. */
export const makeSandboxCommand = (
  choose: (words: SandboxWords) => void,
): Command.Command<"sandbox", {
  readonly flags: Readonly<Record<string, FlagTexts>>
  readonly words: ReadonlyArray<string>
}> =>
  Command.make(
    "sandbox",
    {
      flags: makeFlags(sandboxFlags),
      words: Argument.String("SCRIPT").pipe(
        Argument.withDescription("The script and its arguments"),
        Argument.variadic({ min: 1 }),
      ),
    },
    ({ flags, words }) => Effect.sync(() => choose({ flags: new Map(givenFlags(flags)), words })),
  ).pipe(
    Command.withDescription(about),
    Command.withShortDescription("Run a script in a sandbox"),
    Command.withExamples([
      { command: "sluice sandbox 'seq 100 | grep 7 | wc -l'", description: "Processes in memory" },
      { command: "sluice sandbox --mount .:ro 'grep -rn TODO src | sort | head'", description: "Files, read-only" },
      {
        command: "sluice sandbox --program jq=jq.wasm --timeout 5s 'jq .name' < package.json",
        description: "A WASI program",
      },
    ]),
  )
