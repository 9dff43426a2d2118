/**
 * Table of the flags of `sluice run`, shared by the fast parser and the help of effect/cli.
 *
 * @module
 */

/** A flag: a switch, with a value, or with a repeatable value. */
export interface FlagSpec {
  readonly kind: "switch" | "value" | "list"
  readonly metavar: string
  readonly about: string
}

/** Names of the flags of `sluice run`, without the dashes. */
export type RunFlag =
  | "json"
  | "window"
  | "timeout"
  | "idle-timeout"
  | "grace"
  | "cwd"
  | "env"
  | "clear-env"
  | "shell"
  | "merge"
  | "no-stream"
  | "max-output"
  | "input"
  | "interactive"
  | "limit"
  | "journal"
  | RedactionFlag

/** Names of the flags for redaction. */
export type RedactionFlag = "redact" | "no-redact" | "secret-env"

const flag = (kind: FlagSpec["kind"], metavar: string, about: string): FlagSpec => ({ kind, metavar, about })

/** The flags of commands that write a journal. */
export const redactionFlags: Readonly<Record<RedactionFlag, FlagSpec>> = {
  "redact": flag(
    "list",
    "REGEX",
    "Keep what this regular expression finds in a line out of the journal, beside known tokens; may be repeated",
  ),
  "no-redact": flag(
    "switch",
    "",
    "Do not look for known tokens (GitHub, AWS, npm, JWT, bearer, passwords in URLs, …). Default: they are kept out",
  ),
  "secret-env": flag(
    "list",
    "NAME",
    "Keep the value of this variable out of the journal, in whatever form it is printed; may be repeated",
  ),
}

/** The flags of `sluice run`, in the order that the help shows them. */
export const runFlags: Readonly<Record<RunFlag, FlagSpec>> = {
  "json": flag("switch", "", "Write one encoded event a line (NDJSON), the ShellOutput or the ShellFault last"),
  "window": flag(
    "value",
    "POLICY",
    "Write output in windows: final, lines:N, silence:MS, paragraph, bytes:N; several joined by , mean whichever comes first",
  ),
  "timeout": flag(
    "value",
    "D",
    "Longest run in seconds, or such as 500ms, 2m; then the whole process tree is ended. Default: none",
  ),
  "idle-timeout": flag("value", "D", "Longest silence on both outputs; then as --timeout. Default: none"),
  "grace": flag("value", "D", "Time between SIGTERM and SIGKILL when the tree is ended. Default: 5s"),
  "cwd": flag("value", "DIR", "Directory to run in. Default: this one"),
  "env": flag("list", "K=V", "Set a variable of the command's environment; may be repeated"),
  "clear-env": flag("switch", "", "Do not pass this environment on: the command gets only what --env sets"),
  "shell": flag("switch", "", "COMMAND is one script for the shell: --shell -- 'ls | wc -l'"),
  "merge": flag("switch", "", "Stderr into stdout, in the exact order of the writes"),
  "no-stream": flag("switch", "", "Write nothing before the end, then the whole output (within --max-output)"),
  "max-output": flag("value", "BYTES", "Bytes of each output that are kept in memory, such as 512K, 64M. Default: 64M"),
  "input": flag(
    "value",
    "FILE|-",
    "What the command reads on stdin; - is this program's stdin. Default: - when that is a pipe or a file, else nothing; in a loop that reads stdin itself, --input /dev/null",
  ),
  "interactive": flag("switch", "", "The command reads this program's stdin, also when it is a terminal; -i for short"),
  "journal": flag(
    "value",
    "WHERE",
    "Journal the command, its output and its end: FILE.db (SQLite), FILE.ndjson, postgres://… Default: SLUICE_JOURNAL, else none",
  ),
  ...redactionFlags,
  "limit": flag("list", "NAME=N", "Limits of the system: memory=512M,cpu=10s,processes=64,file=1G; may be repeated"),
}

/** The texts of each given flag; a switch that is on has one text. */
export type RawFlags = ReadonlyMap<RunFlag, ReadonlyArray<string>>

/** The flags that have a short form. */
export const shortFlags: Readonly<Record<string, RunFlag>> = { "-i": "interactive" }

/** Whether a name is that of a flag of `sluice run`. */
export const isRunFlag = (name: string): name is RunFlag => Object.hasOwn(runFlags, name)
