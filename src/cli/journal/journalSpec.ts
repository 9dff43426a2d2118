/** Describes `sluice journal` and its subcommands: their help, operands and flags. */
import type { CommandGroup, CommandSpec, OperandSpec } from "../CommandSpec.ts"
import * as tables from "./flags.ts"

const idOperand = (min: 0 | 1): OperandSpec => ({
  name: "ID",
  about: "The id of a command, a unique prefix of it, or last",
  min,
  max: 1,
})

const idAbout = `  ID is the id of a command, a unique prefix of it, or last for the newest command.`

const subcommands: ReadonlyArray<CommandSpec> = [
  {
    name: "list",
    short: "List commands, newest first",
    about: `List commands, newest first, with start time, duration and result.

  With --json each line has: commandId, position, state (waiting, running, lost, exited, faulted, unreadable), exitCode,
  signal, reason, message, requested, ended (milliseconds since 1970), durationMillis, stdoutBytes, stderrBytes,
  attempts, line, command, arguments, useShell, workingDirectory, executable, user, host, pid.
  Unknown fields are omitted. With --runs and --json: runId, started, end, turns, model, task.`,
    flags: tables.listFlags,
    examples: [
      ["sluice journal list --failed --since 24h", "Commands that failed today"],
      ["sluice journal list --tail 10 --since yesterday --exit-code '!0'", "The last ten that failed"],
      ["sluice journal list --command 'npm*' --json", "Machine-readable output"],
      ["sluice journal list --runs --journal run.db", "The runs of agents"],
    ],
  },
  {
    name: "show",
    operand: idOperand(1),
    short: "Show one command and its output",
    about:
      `Show one command. Request, host, times and result go to stderr; then its output follows unchanged, stdout on stdout
  and stderr on stderr. With --json, print its journal entries.

  For a tool call of an agent, a spell or a whole run, draw its tree on stdout: what was called, asked, read, written and
  run for it, each with the time from the beginning, its duration and its end. sluice journal list --runs has the ids of runs.

${idAbout}`,
    flags: tables.showFlags,
    examples: [
      ["sluice journal show last", "The newest command"],
      ["sluice journal show 019abcde > out.txt", "Its stdout, byte for byte"],
      ["sluice journal show run-1/3/1", "The tree of a tool call"],
    ],
  },
  {
    name: "tail",
    operand: idOperand(0),
    short: "Follow commands as they run",
    about:
      `Follow all commands from now on, each line prefixed by id and program; or follow one command from its start to its
  end, and exit with its status. With --json, print entries as they arrive.

${idAbout} Ctrl-C ends it.`,
    flags: tables.tailFlags,
    examples: [
      ["sluice journal tail --timestamps", "Watch everything, with times"],
      ["sluice journal tail last", "Watch the newest command"],
    ],
  },
  {
    name: "grep",
    operand: { name: "PATTERN", about: "A regular expression (RE2 syntax), or text with --literal", min: 1, max: 1 },
    secondOperand: { name: "JOURNAL", about: "The journal, as for --journal" },
    short: "Search the output of commands",
    about:
      `Print the lines of recorded output that match a regular expression: time, command id, stream, line number, text.
  Commands come in the order of their requests, with all attempts. The time grows linearly with the output, whatever the
  pattern. Of a line longer than 1 MiB, each MiB is searched by itself. With --json each line has: commandId, attempt,
  stream, line, time, text.
  Exit status: 1 if nothing is found, 2 if the pattern is invalid.`,
    flags: tables.grepFlags,
    examples: [
      ["sluice journal grep -i 'error|panic'", "In all commands"],
      ["sluice journal grep -F 'a.b[0]' runs.db --command last", "Plain text, in the newest command of runs.db"],
    ],
  },
  {
    name: "replay",
    operand: idOperand(1),
    short: "Print a command's output at its original pace",
    about:
      `Print the output of a command at its original pace, stdout on stdout and stderr on stderr, and exit with its status.
  Runs nothing. With --json, print its entries at that pace. Of a tool call, print the recorded result as JSON.

${idAbout}`,
    flags: tables.replayFlags,
    examples: [["sluice journal replay last --speed 4", "Four times as fast"]],
  },
  {
    name: "verify",
    short: "Verify the hash chain",
    about:
      `Recompute every hash, and compare the indexes with the entries. Exit status: 0 if the journal is intact; 1 if it is
  not, with the first bad position where known; 125 if it cannot be opened. With --json: holds, and entries, stripped,
  removedThrough, expected and head, or position and what.`,
    flags: tables.verifyFlags,
    examples: [["sluice journal verify", "Prints the head; store it elsewhere"]],
  },
  {
    name: "export",
    operand: idOperand(0),
    short: "Export a journal or one command",
    about:
      `Print the whole journal as NDJSON, which --journal FILE.ndjson can read, or the entries of one command; or one command
  as a terminal recording (asciicast) for asciinema and its players.

${idAbout}`,
    flags: tables.exportFlags,
    examples: [
      ["sluice journal export > copy.ndjson", "Make a verifiable copy"],
      ["sluice journal export last --format asciicast > last.cast", "Then: asciinema play last.cast"],
    ],
  },
  {
    name: "prune",
    short: "Remove old entries, or the contents of commands",
    about:
      `Remove the oldest entries, or the contents of some commands. A checkpoint entry records it, so that verify still
  succeeds. With several flags the strictest applies. Running commands are never pruned.
  With --json: dryRun, through, removed, stripped, checkpoints, oldestOpen.`,
    flags: tables.pruneFlags,
    examples: [
      ["sluice journal prune --older-than 30d --dry-run", "Preview"],
      ["sluice journal prune --command-id 019abcde --why 'printed a password'", "Remove a leaked secret"],
    ],
  },
  {
    name: "repair",
    short: "Rebuild the indexes of a journal",
    about:
      `Rebuild what a SQLite journal derives from its entries: indexes, marks and views. Drops triggers and foreign indexes.
  Runs in one transaction, and leaves entries unchanged; verify checks them. For an NDJSON journal, moves an incomplete
  end left by a crash into a file beside it, and names the first entry that cannot be read. With --json: entries, marks,
  objects; or cut, damaged. Exit status: 1 if an entry of an NDJSON journal cannot be read.`,
    flags: {},
    examples: [["sluice journal repair && sluice journal verify", "After verify found a bad index"]],
  },
  {
    name: "salvage",
    operand: {
      name: "FROM TO",
      about: "The damaged journal and a new one: FILE.db or FILE.ndjson",
      min: 2,
      max: 2,
    },
    short: "Copy the readable entries of a damaged journal",
    about: `Copy every complete entry of FROM, a damaged NDJSON or SQLite journal, to TO, a new journal.
  Never writes FROM; stop its writers first. Keeps times and order; positions start at 1 in a new hash chain, whose last
  entry lists the losses. Entries whose hash does not match the one before are copied and listed. With --json: entries, lost, lostEntries, lostBytes, unproven, leftOut, removedThrough.`,
    flags: {},
    examples: [[
      "sluice journal salvage .sluice/journal.db salvaged.db",
      "Then: sluice journal verify --journal salvaged.db",
    ]],
  },
  {
    name: "stats",
    short: "Statistics: entries, size, outcomes, programs",
    about:
      `Statistics of a journal: entries, bytes, time span, head, commands by outcome, and the programs run most often. With
  --json: store, location, entries, bytes, first, head, commands, outcomes, programs,
  stdoutBytes, stderrBytes, from, to.`,
    flags: {},
    examples: [],
  },
]

export const journalSpec: CommandGroup = {
  name: "journal",
  short: "List, show, follow, search, replay, verify, export, prune and repair recorded commands",
  about:
    `Read the journal that sluice run --journal and sluice agent --record write: every command, its output and its result,
  and what agents did.

  Location: --journal, else SLUICE_JOURNAL, else .sluice/journal.db in this directory or the nearest one above.
  postgres://USER@HOST/DATABASE takes ?schema=NAME, one journal per schema. Default: sluice

  A journal contains arguments, --env values and output in plain text, except known token formats and what --redact and
  --secret-env of sluice run, serve and daemon redact. Use prune --command-id to remove a secret that was recorded.

  Exit status: 0 success; 1 verify found damage, or grep nothing; 2 the pattern of grep is invalid;
  replay and tail ID exit with the status of the command;
  130 by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); 125 any other failure.`,
  flags: tables.sharedFlags,
  commands: subcommands,
}
