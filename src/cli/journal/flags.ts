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
const idAbout = `  ID is a command's id, the beginning of one that no other has, or last: the newest.`

const attempt = value("N", "Which run of a command that was run more than once. Default: the last")

/** The flags that every subcommand has. */
export const sharedFlags: Readonly<Record<"journal" | "json", FlagSpec>> = {
  journal: value(
    "WHERE",
    "The journal: FILE.db (SQLite), FILE.ndjson, or postgres://… Default: SLUICE_JOURNAL, else the nearest .sluice/journal.db",
  ),
  json: on("Write JSON, one object a line"),
}

/** The subcommands, in the order that the help shows them. */
export const subcommands: Readonly<Record<string, SubcommandSpec>> = {
  list: {
    id: "none",
    short: "List commands, newest first",
    about: `List commands, newest first: what was run, when, for how long, and how it ended.

  With --json each line has: id, position, state (waiting, running, lost, exited, faulted, unreadable), exitCode,
  signal, reason, message, requested, ended (milliseconds since 1970), durationMillis, stdoutBytes, stderrBytes,
  attempts, line, command, arguments, useShell, workingDirectory, executable, user, host, pid.
  What is not known is left out.`,
    flags: {
      since: value(
        "WHEN",
        "Only those asked for since then: 30m, 12h, '2 days ago', yesterday, 2026-11-22, or 2026-11-22T10:00:00Z",
      ),
      until: value("WHEN", "Only those asked for before then"),
      failed: on("Only those that exited with other than 0, or could not be run to their end"),
      command: value("GLOB", "Only those whose program, or whole command line, is like GLOB: npm, 'git log*', '*.ts*'"),
      grep: value("REGEX", "Only those in whose command line this regular expression finds something"),
      "exit-code": value("N|!N", "Only those that ended with exit code N, or with any other: 3, '!0'"),
      host: value("GLOB", "Only those that ran on a machine with a name like GLOB"),
      tail: value("N", "The newest N, oldest first"),
      limit: value("N|all", "The most that are shown. Default: 50; with --json all"),
      oldest: on("Oldest first"),
      long: on("Also who ran it, on which machine, and in which directory"),
      iso: on("Times as dates on a terminal too, not as how long ago"),
    },
    examples: [
      ["sluice journal list --failed --since 24h", "What went wrong today"],
      ["sluice journal list --tail 10 --since yesterday --exit-code '!0'", "The last ten that failed"],
      ["sluice journal list --command 'npm*' --json", "For a program to read"],
    ],
  },
  show: {
    id: "needed",
    short: "Show one command and its output",
    about: `Show one command: on stderr what was asked for, by whom it was run, when, and how it ended; then its output
  exactly as it was, stdout on stdout and stderr on stderr. With --json, its entries as they are.

${idAbout}`,
    flags: {
      grep: value("REGEX", "Of the output only the lines in which this regular expression finds something"),
      attempt,
    },
    examples: [
      ["sluice journal show last", "The newest command"],
      ["sluice journal show 019abcde > out.txt", "What it wrote on stdout, byte by byte"],
    ],
  },
  tail: {
    id: "allowed",
    short: "Follow commands as they run",
    about:
      `Follow all commands from now on, each line after the command's id and program; or follow one, from its start to
  its end, and end as it ended. With --json, entries as they come.

${idAbout} Ctrl-C ends it.`,
    flags: {
      since: value("WHEN", "Begin with what was written since then. Default: now"),
      timestamps: on("Each line after the time at which it was written"),
    },
    examples: [
      ["sluice journal tail --timestamps", "Watch everything, and see when"],
      ["sluice journal tail last", "Watch the newest command"],
    ],
  },
  replay: {
    id: "needed",
    short: "Write a command's output again, as it came",
    about:
      `Write the output of a command again at the pace at which it came, stdout on stdout and stderr on stderr, and end
  with the status that the command ended with. Nothing is run. With --json, its entries at that pace.

${idAbout}`,
    flags: { speed: value("N|max", "How many times as fast: 2, 0.5, or max without any pause. Default: 1"), attempt },
    examples: [["sluice journal replay last --speed 4", "Four times as fast"]],
  },
  verify: {
    id: "none",
    short: "Check that nothing was changed",
    about:
      `Compute every hash again, and compare indexes with the entries. Exit status: 0 when all hold; 1 when something does
  not, with the first position where one can be named; 125 when the journal cannot be opened. With --json: holds, and entries, stripped, removedThrough,
  expected and head, or position and what.`,
    flags: {
      expect: value(
        "POS:HASH",
        "A head that was noted before: it must still be there. Shows what was cut off or rewritten",
      ),
    },
    examples: [["sluice journal verify", "Prints the head: note it elsewhere"]],
  },
  export: {
    id: "allowed",
    short: "Write a journal, or one command, as a file",
    about:
      `Write the whole journal as NDJSON, which --journal FILE.ndjson reads again, or the entries of one command; or one
  command as a recording of a terminal (asciicast), which asciinema and its players show.

${idAbout}`,
    flags: {
      format: value("FORMAT", "ndjson, asciicast (version 2) or asciicast-v3. Default: ndjson"),
      size: value("COLSxROWS", "Size of the terminal that a recording shows. Default: 80x24"),
      attempt,
    },
    examples: [
      ["sluice journal export > copy.ndjson", "A copy that can be verified"],
      ["sluice journal export last --format asciicast > last.cast", "Then: asciinema play last.cast"],
    ],
  },
  prune: {
    id: "none",
    short: "Take out what is old, or what must not be kept",
    about:
      `Take out the oldest entries, or the contents of some commands; an entry signs that off, and verify still holds.
  What is asked for by several flags is what the strictest takes. Commands that still run are never touched.
  With --json: dryRun, through, removed, stripped, checkpoints, oldestOpen.`,
    flags: {
      "older-than": value("AGE", "Entries that are older: 12h, 30d, 8w"),
      "keep-entries": value("N", "All but the newest N entries"),
      "keep-bytes": value("BYTES", "All but about BYTES of the newest entries: 512M, 1G"),
      "command-id": list("ID", "The contents of this command's entries, output included; may be repeated"),
      why: value("TEXT", "A reason, for the entry that signs it off"),
      "dry-run": on("Say what would go, and leave it"),
    },
    examples: [
      ["sluice journal prune --older-than 30d --dry-run", "What would go"],
      ["sluice journal prune --command-id 019abcde --why 'printed a password'", "What must not be kept"],
    ],
  },
  repair: {
    id: "none",
    short: "Make a journal's indexes again",
    about: `Make again what is derived from the entries of a SQLite journal: its indexes, marks and views. Triggers and
  foreign indexes are dropped. Either all of it happens, or nothing. Entries stay as they are; verify checks them. Of an
  NDJSON journal, an incomplete end that a crash left is cut off, and kept in a file beside it. With --json: entries, marks, objects; or cut.`,
    flags: {},
    examples: [["sluice journal repair && sluice journal verify", "After verify found an index that does not fit"]],
  },
  salvage: {
    id: "fromTo",
    short: "Copy what can be read of a damaged journal",
    about:
      `Copy every whole entry that can be read of FROM, a damaged NDJSON or SQLite journal or one of an older layout, into
  TO, a new journal. FROM is never written; stop what writes it first. Times and order stay; positions begin at 1, and
  the chain is a new one, whose last entry says what was lost. Entries whose hash does not follow from the one before
  are copied, and named. With --json: entries, lost, lostEntries, lostBytes, unproven, leftOut, removedThrough.`,
    flags: {},
    examples: [[
      "sluice journal salvage .sluice/journal.db salvaged.db",
      "Then: sluice journal verify --journal salvaged.db",
    ]],
  },
  stats: {
    id: "none",
    short: "Figures: entries, size, outcomes, programs",
    about:
      `Figures of a journal: entries, bytes, first and last, its head, commands by outcome, and the programs that were
  run most often. With --json: store, location, entries, bytes, first, head, commands, outcomes, programs,
  stdoutBytes, stderrBytes, from, to.`,
    flags: {},
    examples: [],
  },
}
