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

const about = `Run the commands that programs request in a journal with the DaemonShell layer, on this or any machine.

  Any number of daemons can share a journal; each command is run by one. Anyone who can write to the journal can run
  commands: those listed by --allow-command or ALLOWED_COMMANDS, else all.

  The first signal shuts down: the daemon takes no new commands, lets running ones continue for the time of --drain, then
  terminates them. A second signal kills them.`

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
    Command.withShortDescription("Run the commands requested in a journal"),
    Command.withExamples([
      { command: "sluice daemon --journal runs.db --drain 30s", description: "For programs on this machine" },
      {
        command: "sluice daemon --journal postgres://db/ops --allow-command git --allow-cwd-root /srv",
        description: "Allow only git below /srv, for every machine that can reach the database",
      },
    ]),
  )
