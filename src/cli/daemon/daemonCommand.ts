/**
 * Defines `sluice daemon` for effect/cli.
 *
 * @module
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { type FlagTexts, givenFlags, makeFlags } from "../makeFlag.ts"
import type { FlagWords } from "../flagValues.ts"
import { daemonFlags } from "./flags.ts"

const about =
  `Run the commands that programs ask for in a journal: those of the DaemonShell layer, on this or any machine.

  Any number of daemons may share a journal; each command is run by one. Who can write the journal can run commands: those
  that --allow-command or ALLOWED_COMMANDS names, else all.

  A first signal ends it: no command is taken any more, those that run go on for as long as --drain says, then they are
  ended; a second one kills them.`

/** Makes `sluice daemon`. Its handler only reports the parsed words. */
export const makeDaemonCommand = (
  choose: (words: FlagWords) => void,
): Command.Command<"daemon", { readonly flags: Readonly<Record<string, FlagTexts>> }> =>
  Command.make(
    "daemon",
    { flags: makeFlags(daemonFlags) },
    ({ flags }) => Effect.sync(() => choose(new Map(givenFlags(flags)))),
  ).pipe(
    Command.withDescription(about),
    Command.withShortDescription("Run the commands that are asked for in a journal"),
    Command.withExamples([
      { command: "sluice daemon --journal runs.db --drain 30s", description: "For programs of this machine" },
      {
        command: "sluice daemon --journal postgres://db/ops --allow-command git --allow-cwd-root /srv",
        description: "Only git, only there, for every machine that reaches the database",
      },
    ]),
  )
