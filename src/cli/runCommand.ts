/** Describes `sluice run`: its help and its flags. */
import type { CommandSpec } from "./CommandSpec.ts"
import { runFlags } from "./runFlags.ts"

/** `sluice run`. */
export const runCommand: CommandSpec = {
  name: "run",
  short: "Run one command",
  about: `Run one command, stream its output, and exit with its status.

  Everything after -- is the command and its arguments, taken literally. Without --, the command starts at the first word
  that is not a flag.

  Exit status: that of the command; 128+n if signal n ended it; 124 timed out; 126 not permitted; 127 not found;
  75 too many commands; 130 cancelled by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); 125 any other failure of sluice itself,
  including a usage error.

  With --tty the command has a terminal of the size and type of yours, and every key goes to it, Ctrl-C and Ctrl-Z too. With
  --url it runs on an execution server; there Ctrl-] detaches from a terminal, and the command waits an hour for sluice attach.

  With --explain nothing runs: each command of the script that is known before it runs is printed with the decision of the
  policy of --allow-command and its companions: allowed with its program, contained (in the shell's own process), builtin,
  refused, missing, or unknown until it runs. The status is 126 if one is refused, else 0. --config FILE takes the policy from a
  file of sluice serve, mcp or daemon: from its top level, and from a table [run].

  Without --tty, Ctrl-C terminates the whole process tree; a second Ctrl-C kills it.`,
  operand: { name: "COMMAND", about: "The command and its arguments", min: 1, max: Infinity, isVerbatim: true },
  flags: runFlags,
  examples: [
    ["sluice run -- git log --stat", "Stream the output"],
    ["sluice run --window lines:50,silence:100 -- npm test", "Group the output into windows"],
    ["sluice run --tty -- vim notes.txt", "Run an editor, journaled if SLUICE_JOURNAL is set"],
    ["git diff | sluice run -- wc -l", "Pass stdin to the command"],
    ["sluice run --explain --allow-command git --shell -- 'git status; make'", "Show what a policy would decide"],
    ["sluice run --json --timeout 5s -- sh -c 'echo hi'", "Print events as NDJSON"],
  ],
}
