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

const about = `Run code of a language in a process of its own: its output is written as it comes.

  CODE is one word: put it in quotes. - reads it from stdin, and code that begins with a dash goes after --.

  Exit status: the code's own; 128+n when signal n ended it; 124 timed out; 126 not permitted; 127 no interpreter, or no
  such directory; 75 too many commands; 130 cancelled by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); 125 anything else that
  is not the code's doing, a wrong command line included. Ctrl-C ends the whole process tree; twice, at once.`

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
      { command: "sluice code --language python 'print(1)'", description: "Output as it comes" },
      { command: "sluice code --language bash --json --timeout 5s 'seq 3; exit 2'", description: "One result as JSON" },
      { command: "sluice code --language javascript - < script.js", description: "Code from stdin" },
    ]),
  )
