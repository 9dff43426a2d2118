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

/** The redaction flags, shared by all commands that write a journal. */
export const redactionFlags: Readonly<Record<RedactionFlag, FlagSpec>> = {
  "redact": flag(
    "list",
    "REGEX",
    "Redact matches of this regular expression in the journal, in addition to known token formats; repeatable",
  ),
  "no-redact": flag(
    "switch",
    "",
    "Do not redact known token formats (GitHub, AWS, npm, JWT, bearer, passwords in URLs, …)",
  ),
  "secret-env": flag(
    "list",
    "NAME",
    "Redact the value of this variable in the journal, also when encoded (base64, URL, …); repeatable",
  ),
}

/** The flags of `sluice run`. */
export const runFlags: Readonly<Record<RunFlag, FlagSpec>> = {
  "json": flag("switch", "", "Print events as NDJSON; the last one is the ShellOutput or the ShellFault"),
  "window": flag(
    "value",
    "POLICY",
    "Group output into windows: final, lines:N, silence:MS, paragraph, bytes:N; comma-separated policies end a window at whichever comes first",
  ),
  "timeout": flag(
    "value",
    "D",
    "Terminate the process tree after this time: seconds, or with a unit, as in 500ms or 2m. Default: none",
  ),
  "idle-timeout": flag("value", "D", "Terminate the process tree after this time without output. Default: none"),
  "grace": flag("value", "D", "Time between SIGTERM and SIGKILL when the tree is terminated. Default: 5s"),
  "cwd": flag("value", "DIR", "Working directory of the command. Default: the current one"),
  "env": flag("list", "K=V", "Set an environment variable of the command; repeatable"),
  "clear-env": flag("switch", "", "Do not inherit the environment: the command gets only what --env sets"),
  "shell": flag("switch", "", "Run COMMAND as a shell script: --shell -- 'ls | wc -l'"),
  "merge": flag("switch", "", "Redirect stderr to stdout, in the order of the writes"),
  "no-stream": flag("switch", "", "Write nothing until the command ends, then the whole output (within --max-output)"),
  "max-output": flag("value", "BYTES", "Maximum bytes of each output kept in memory, as in 512K or 64M. Default: 64M"),
  "input": flag(
    "value",
    "FILE|-",
    "Stdin of the command; - is the stdin of sluice. Default: - when that is a pipe or a file, else empty. In a shell loop that reads stdin, use --input /dev/null",
  ),
  "interactive": flag("switch", "", "Pass stdin to the command even when it is a terminal"),
  "journal": flag(
    "value",
    "WHERE",
    "Record the command, its output and its end: FILE.db (SQLite), FILE.ndjson, postgres://… Default: SLUICE_JOURNAL, else none",
  ),
  ...redactionFlags,
  "limit": flag("list", "NAME=N", "Resource limits: memory=512M,cpu=10s,processes=64,file=1G; repeatable"),
}

/** The texts of each given flag; a switch that is on has one text. */
export type RawFlags = ReadonlyMap<RunFlag, ReadonlyArray<string>>

/** The flags that have a short form. */
export const shortFlags: Readonly<Record<string, RunFlag>> = { "-i": "interactive" }

/** Whether `sluice run` has a flag of this name. */
export const isRunFlag = (name: string): name is RunFlag => Object.hasOwn(runFlags, name)
