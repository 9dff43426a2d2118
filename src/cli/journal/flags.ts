/** Defines the flags of `sluice journal` and of its subcommands, with the types of their decoded values. */
import type { TerminalSize } from "../../command/Terminal.ts"
import type { ExitCodeFilter } from "../../history/listCommands.ts"
import type { Head } from "../../journal/Entry.ts"
import { type FlagSpec, type FlagTable, listFlag, switchFlag, valueFlag } from "../FlagSpec.ts"
import { parseBytes, parseChoice, parseCountFrom, parseNonEmpty, parsePattern, parseText } from "../parseValues.ts"
import {
  parseAge,
  parseExitCode,
  parseHead,
  parseMaxCount,
  parseSince,
  parseSize,
  parseSpeed,
  type Since,
} from "./parseValues.ts"

export interface SharedFlags {
  /** A file or a URL as given; `undefined` for the default journal. */
  readonly journal: string | undefined
  readonly json: boolean
}

export interface ListFlags {
  readonly since: Since | undefined
  readonly until: Since | undefined
  readonly failed: boolean
  readonly command: string | undefined
  readonly grep: RegExp | undefined
  readonly "exit-code": ExitCodeFilter | undefined
  readonly host: string | undefined
  /** Maximum number of the newest commands, printed oldest first. */
  readonly tail: number | undefined
  readonly "max-count": number | undefined
  readonly oldest: boolean
  readonly long: boolean
  readonly iso: boolean
  readonly runs: boolean
}

export interface AttemptFlags {
  readonly attempt: number | undefined
}

/** The decoded flags of `show`; `grep` keeps the matching lines of the output. */
export interface ShowFlags extends AttemptFlags {
  readonly grep: RegExp | undefined
}

/** The decoded flags of `tail`; `timestamps` prefixes each line with its time. */
export interface TailFlags {
  readonly since: Since | undefined
  readonly timestamps: boolean
}

export interface GrepFlags {
  readonly "ignore-case": boolean
  readonly literal: boolean
  readonly command: string | undefined
}

export interface ReplayFlags extends AttemptFlags {
  readonly speed: number | undefined
}

export interface VerifyFlags {
  readonly expect: Head | undefined
}

export type ExportFormat = "ndjson" | "asciicast" | "asciicast-v3"

export interface ExportFlags extends AttemptFlags {
  readonly format: ExportFormat | undefined
  readonly size: TerminalSize | undefined
}

export interface PruneFlags {
  readonly "older-than": number | undefined
  readonly "keep-entries": number | undefined
  readonly "keep-bytes": number | undefined
  readonly "command-id": ReadonlyArray<string>
  readonly why: string | undefined
  readonly "dry-run": boolean
}

const attempt: FlagSpec<number | undefined> = valueFlag(
  "N",
  "Attempt of a command that was run more than once. Default: the last",
  parseCountFrom(1),
)

export const sharedFlags: FlagTable<SharedFlags> = {
  journal: valueFlag(
    "WHERE",
    "The journal: FILE.db (SQLite), FILE.ndjson, or postgres://… Default: SLUICE_JOURNAL, else the nearest .sluice/journal.db",
    parseNonEmpty,
  ),
  json: switchFlag("Print JSON, one object per line"),
}

export const listFlags: FlagTable<ListFlags> = {
  "since": valueFlag(
    "WHEN",
    "Requested since then: 30m, 12h, '2 days ago', yesterday, 2026-11-22, or 2026-11-22T10:00:00Z",
    parseSince,
  ),
  "until": valueFlag("WHEN", "Requested before then", parseSince),
  "failed": switchFlag("Failed: a non-zero exit code, or a fault"),
  "command": valueFlag(
    "GLOB",
    "Program or whole command line matches GLOB: npm, 'git log*', '*.ts*'",
    parseNonEmpty,
  ),
  "grep": valueFlag("REGEX", "Command line matches this regular expression", parsePattern),
  "exit-code": valueFlag("N|!N", "Exited with code N, or with any other code: 3, '!0'", parseExitCode),
  "host": valueFlag("GLOB", "Ran on a host whose name matches GLOB", parseNonEmpty),
  "tail": valueFlag("N", "The newest N, oldest first", parseCountFrom(1, 10_000)),
  "max-count": valueFlag("N|all", "Maximum number of commands. Default: 50; with --json all", parseMaxCount),
  "oldest": switchFlag("Oldest first"),
  "long": switchFlag("Also show user, host and directory"),
  "iso": switchFlag("Show times as dates on a terminal too, not relative to now"),
  "runs": switchFlag(
    "List runs of agents instead, with --max-count and --iso: their ids are for show and for sluice agent --resume",
  ),
}

export const showFlags: FlagTable<ShowFlags> = {
  grep: valueFlag("REGEX", "Print only output lines that match this regular expression", parsePattern),
  attempt,
}

export const tailFlags: FlagTable<TailFlags> = {
  since: valueFlag("WHEN", "Start at this time. Default: now", parseSince),
  timestamps: switchFlag("Prefix each line with its time"),
}

export const grepFlags: FlagTable<GrepFlags> = {
  "ignore-case": { ...switchFlag("Ignore upper and lower case"), alias: "i" },
  literal: { ...switchFlag("PATTERN is text, not a regular expression"), alias: "F" },
  command: valueFlag("ID", "Search only this command. Default: all", parseNonEmpty),
}

export const replayFlags: FlagTable<ReplayFlags> = {
  speed: valueFlag("N|max", "Speed factor: 2, 0.5, or max for no pauses. Default: 1", parseSpeed),
  attempt,
}

export const verifyFlags: FlagTable<VerifyFlags> = {
  expect: valueFlag(
    "POS:HASH",
    "A head noted earlier, which must still be in the chain: detects truncation and rewriting",
    parseHead,
  ),
}

export const exportFlags: FlagTable<ExportFlags> = {
  format: valueFlag(
    "FORMAT",
    "ndjson, asciicast (version 2) or asciicast-v3. Default: ndjson",
    parseChoice<ExportFormat>("a format", ["ndjson", "asciicast", "asciicast-v3"]),
  ),
  size: valueFlag("COLSxROWS", "Terminal size of the recording. Default: that of the terminal, else 80x24", parseSize),
  attempt,
}

export const pruneFlags: FlagTable<PruneFlags> = {
  "older-than": valueFlag("AGE", "Remove entries older than this: 12h, 30d, 8w", parseAge),
  "keep-entries": valueFlag("N", "Keep the newest N entries", parseCountFrom(1)),
  "keep-bytes": valueFlag("BYTES", "Keep about this many bytes of the newest entries: 512M, 1G", parseBytes),
  "command-id": listFlag(
    "ID",
    "Remove the contents of this command's entries, including output; repeatable",
    parseText,
  ),
  "why": valueFlag("TEXT", "Reason, stored in the checkpoint", parseNonEmpty),
  "dry-run": switchFlag("Show what would be removed, and remove nothing"),
}
