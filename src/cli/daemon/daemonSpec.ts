/** Describes `sluice daemon`: its help and its flags. */
import { type CommandPolicyFlags, commandPolicyFlags } from "../commandPolicyFlags.ts"
import type { CommandSpec } from "../CommandSpec.ts"
import { type FlagTable, valueFlag } from "../FlagSpec.ts"
import { parsePositiveDuration, parseText } from "../parseValues.ts"
import { type RedactionFlags, redactionFlags } from "../runFlags.ts"
import { type LoadFlags, loadFlags } from "../serverFlags.ts"

export interface DaemonFlags extends CommandPolicyFlags, LoadFlags, RedactionFlags {
  readonly journal: string | undefined
  /** Time in milliseconds. */
  readonly lease: number | undefined
}

export const daemonFlags: FlagTable<DaemonFlags> = {
  "journal": valueFlag(
    "WHERE",
    "Journal with the requested commands: FILE.db (SQLite) or postgres://… Default: SLUICE_JOURNAL",
    parseText,
  ),
  ...commandPolicyFlags("all"),
  "max-concurrency": loadFlags["max-concurrency"],
  "lease": valueFlag(
    "T",
    "Time after which other daemons take over the commands of a dead one. Default: 15s",
    parsePositiveDuration,
  ),
  "drain": loadFlags.drain,
  ...redactionFlags,
}

export const daemonSpec: CommandSpec = {
  name: "daemon",
  short: "Run the commands requested in a journal",
  about: `Run the commands that programs request in a journal with the DaemonShell layer, on this or any machine.

  Any number of daemons can share a journal; each command is run by one. Anyone who can write to the journal can run
  commands: those listed by --allow-command or ALLOWED_COMMANDS, else all.

  The first signal shuts down: the daemon takes no new commands, lets running ones continue for the time of --drain, then
  terminates them. A second signal kills them.`,
  flags: daemonFlags,
  examples: [
    ["sluice daemon --journal runs.db --drain 30s", "For programs on this machine"],
    [
      "sluice daemon --journal postgres://db/ops --allow-command git --allow-cwd-root /srv",
      "Allow only git below /srv, for every machine that can reach the database",
    ],
  ],
}
