/**
 * Defines `sluice code` for effect/cli.
 *
 * @module
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { type FlagTexts, givenFlags, makeFlags } from "../makeFlag.ts"
import type { CodeWords } from "./RunCodeRequest.ts"
import { codeFlags } from "./flags.ts"

const about = `Run a piece of code with the interpreter of its language, and stream its output.

  CODE is one argument: quote it. Use - to read it from stdin, and put code that starts with a dash after --.

  Exit status: that of the code; 128+n if signal n ended it; 124 timed out; 126 not permitted; 127 no interpreter or
  directory; 75 too many commands; 130 cancelled by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); 125 any other failure of
  sluice itself, including a usage error. Ctrl-C terminates the whole process tree; a second Ctrl-C kills it.`

/** Makes `sluice code`. Its handler only reports the parsed words. */
export const makeCodeCommand = (
  choose: (words: CodeWords) => void,
): Command.Command<"code", {
  readonly flags: Readonly<Record<string, FlagTexts>>
  readonly words: ReadonlyArray<string>
}> =>
  Command.make(
    "code",
    {
      flags: makeFlags(codeFlags),
      words: Argument.String("CODE").pipe(Argument.withDescription("The code, or -"), Argument.variadic()),
    },
    ({ flags, words }) => Effect.sync(() => choose({ flags: new Map(givenFlags(flags)), words })),
  ).pipe(
    Command.withDescription(about),
    Command.withShortDescription("Run code of a language"),
    Command.withExamples([
      { command: "sluice code --language python 'print(1)'", description: "Stream the output" },
      {
        command: "sluice code --language bash --json --timeout 5s 'seq 3; exit 2'",
        description: "Print one JSON result",
      },
      { command: "sluice code --language javascript - < script.js", description: "Read the code from stdin" },
    ]),
  )
