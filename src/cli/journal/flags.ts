/**
 * Table of the subcommands of `sluice journal` and their flags.
 *
 * @module
 */
import type { FlagSpec } from "../flags.ts"

/** A subcommand: its operands and its help text. */
export interface SubcommandSpec {
  /** Whether it takes an ID: required, optional or none; or two journals. */
  readonly id: "needed" | "allowed" | "none" | "fromTo"
  readonly short: string
  readonly about: string
  readonly flags: Readonly<Record<string, FlagSpec>>
  readonly examples: ReadonlyArray<readonly [command: string, description: string]>
}

const on = (about: string): FlagSpec => ({ kind: "switch", metavar: "", about })
const value = (metavar: string, about: string): FlagSpec => ({ kind: "value", metavar, about })
const list = (metavar: string, about: string): FlagSpec => ({ kind: "list", metavar, about })

/** Help text of `ID`. */
const idAbout = `  ID is the id of a command, a unique prefix of it, or last for the newest command.`

const attempt = value("N", "Attempt of a command that was run more than once. Default: the last")

/** The flags that every subcommand has. */
export const sharedFlags: Readonly<Record<"journal" | "json", FlagSpec>> = {
  journal: value(
    "WHERE",
    "The journal: FILE.db (SQLite), FILE.ndjson, or postgres://… Default: SLUICE_JOURNAL, else the nearest .sluice/journal.db",
  ),
  json: on("Print JSON, one object per line"),
}

/** The subcommands, in the order of the help. */
export const subcommands: Readonly<Record<string, SubcommandSpec>> = {
  list: {
    id: "none",
    short: "List commands, newest first",
    about: `List commands, newest first, with start time, duration and result.

  With --json each line has: id, position, state (waiting, running, lost, exited, faulted, unreadable), exitCode,
  signal, reason, message, requested, ended (milliseconds since 1970), durationMillis, stdoutBytes, stderrBytes,
  attempts, line, command, arguments, useShell, workingDirectory, executable, user, host, pid.
  Unknown fields are omitted.`,
    flags: {
      since: value(
        "WHEN",
        "Requested since then: 30m, 12h, '2 days ago', yesterday, 2026-11-22, or 2026-11-22T10:00:00Z",
      ),
      until: value("WHEN", "Requested before then"),
      failed: on("Failed: a non-zero exit code, or a fault"),
      command: value("GLOB", "Program or whole command line matches GLOB: npm, 'git log*', '*.ts*'"),
      grep: value("REGEX", "Command line matches this regular expression"),
      "exit-code": value("N|!N", "Exited with code N, or with any other code: 3, '!0'"),
      host: value("GLOB", "Ran on a host whose name matches GLOB"),
      tail: value("N", "The newest N, oldest first"),
      limit: value("N|all", "Maximum number of commands. Default: 50; with --json all"),
      oldest: on("Oldest first"),
      long: on("Also show user, host and directory"),
      iso: on("Show times as dates on a terminal too, not relative to now"),
    },
    examples: [
      ["sluice journal list --failed --since 24h", "Commands that failed today"],
      ["sluice journal list --tail 10 --since yesterday --exit-code '!0'", "The last ten that failed"],
      ["sluice journal list --command 'npm*' --json", "Machine-readable output"],
    ],
  },
  show: {
    id: "needed",
    short: "Show one command and its output",
    about:
      `Show one command. Request, host, times and result go to stderr; then its output follows unchanged, stdout on stdout
  and stderr on stderr. With --json, print its journal entries.

${idAbout}`,
    flags: {
      grep: value("REGEX", "Print only output lines that match this regular expression"),
      attempt,
    },
    examples: [
      ["sluice journal show last", "The newest command"],
      ["sluice journal show 019abcde > out.txt", "Its stdout, byte for byte"],
    ],
  },
  tail: {
    id: "allowed",
    short: "Follow commands as they run",
    about:
      `Follow all commands from now on, each line prefixed by id and program; or follow one command from its start to its
  end, and exit with its status. With --json, print entries as they arrive.

${idAbout} Ctrl-C ends it.`,
    flags: {
      since: value("WHEN", "Start at this time. Default: now"),
      timestamps: on("Prefix each line with its time"),
    },
    examples: [
      ["sluice journal tail --timestamps", "Watch everything, with times"],
      ["sluice journal tail last", "Watch the newest command"],
    ],
  },
  replay: {
    id: "needed",
    short: "Print a command's output at its original pace",
    about:
      `Print the output of a command at its original pace, stdout on stdout and stderr on stderr, and exit with its status.
  Runs nothing. With --json, print its entries at that pace.

${idAbout}`,
    flags: { speed: value("N|max", "Speed factor: 2, 0.5, or max for no pauses. Default: 1"), attempt },
    examples: [["sluice journal replay last --speed 4", "Four times as fast"]],
  },
  verify: {
    id: "none",
    short: "Verify the hash chain",
    about:
      `Recompute every hash, and compare the indexes with the entries. Exit status: 0 if the journal is intact; 1 if it is
  not, with the first bad position where known; 125 if it cannot be opened. With --json: holds, and entries, stripped,
  removedThrough, expected and head, or position and what.`,
    flags: {
      expect: value(
        "POS:HASH",
        "A head noted earlier, which must still be in the chain: detects truncation and rewriting",
      ),
    },
    examples: [["sluice journal verify", "Prints the head; store it elsewhere"]],
  },
  export: {
    id: "allowed",
    short: "Export a journal or one command",
    about:
      `Print the whole journal as NDJSON, which --journal FILE.ndjson can read, or the entries of one command; or one command
  as a terminal recording (asciicast) for asciinema and its players.

${idAbout}`,
    flags: {
      format: value("FORMAT", "ndjson, asciicast (version 2) or asciicast-v3. Default: ndjson"),
      size: value("COLSxROWS", "Terminal size of the recording. Default: 80x24"),
      attempt,
    },
    examples: [
      ["sluice journal export > copy.ndjson", "Make a verifiable copy"],
      ["sluice journal export last --format asciicast > last.cast", "Then: asciinema play last.cast"],
    ],
  },
  prune: {
    id: "none",
    short: "Remove old entries, or the contents of commands",
    about:
      `Remove the oldest entries, or the contents of some commands. A checkpoint entry records it, so that verify still
  succeeds. With several flags the strictest applies. Running commands are never pruned.
  With --json: dryRun, through, removed, stripped, checkpoints, oldestOpen.`,
    flags: {
      "older-than": value("AGE", "Remove entries older than this: 12h, 30d, 8w"),
      "keep-entries": value("N", "Keep the newest N entries"),
      "keep-bytes": value("BYTES", "Keep about this many bytes of the newest entries: 512M, 1G"),
      "command-id": list("ID", "Remove the contents of this command's entries, including output; repeatable"),
      why: value("TEXT", "Reason, stored in the checkpoint"),
      "dry-run": on("Show what would be removed, and remove nothing"),
    },
    examples: [
      ["sluice journal prune --older-than 30d --dry-run", "Preview"],
      ["sluice journal prune --command-id 019abcde --why 'printed a password'", "Remove a leaked secret"],
    ],
  },
  repair: {
    id: "none",
    short: "Rebuild the indexes of a journal",
    about:
      `Rebuild what a SQLite journal derives from its entries: indexes, marks and views. Drops triggers and foreign indexes.
  Runs in one transaction, and leaves entries unchanged; verify checks them. For an NDJSON journal, moves an incomplete
  end left by a crash into a file beside it. With --json: entries, marks, objects; or cut.`,
    flags: {},
    examples: [["sluice journal repair && sluice journal verify", "After verify found a bad index"]],
  },
  salvage: {
    id: "fromTo",
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
  stats: {
    id: "none",
    short: "Statistics: entries, size, outcomes, programs",
    about:
      `Statistics of a journal: entries, bytes, time span, head, commands by outcome, and the programs run most often. With
  --json: store, location, entries, bytes, first, head, commands, outcomes, programs,
  stdoutBytes, stderrBytes, from, to.`,
    flags: {},
    examples: [],
  },
}
