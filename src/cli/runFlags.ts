/**
 * Defines the flags of `sluice run`, with the types of their decoded values, and the redaction flags that other
 * subcommands share.
 *
 * Loaded at the start of every run, unlike the parser of window policies.
 */
import { type ServerTokenFlags, serverTokenFlags } from "./serverTokenFlags.ts"
import { type CommandPolicyFlags, commandPolicyFlags } from "./commandPolicyFlags.ts"
import { combinedFlag, type FlagTable, listFlag, switchFlag, valueFlag } from "./FlagSpec.ts"
import { isolationFlags } from "./isolationFlags.ts"
import {
  parseBytes,
  parseDuration,
  parseLimits,
  parseNonEmpty,
  parsePattern,
  parsePositiveDuration,
  parseText,
  parseVariableName,
  parseVariables,
} from "./parseValues.ts"
import type { CommandSpec } from "./CommandSpec.ts"
import { policyForms } from "../window/forms.ts"

export interface RedactionFlags {
  /** Patterns to redact in addition to the known token formats. */
  readonly redact: ReadonlyArray<RegExp>
  /** Whether known token formats are left as they are. */
  readonly "no-redact": boolean
  /** Names of variables whose values are redacted. */
  readonly "secret-env": ReadonlyArray<string>
}

export interface RunFlags extends RedactionFlags, ServerTokenFlags, CommandPolicyFlags {
  /** Whether a policy's decisions are printed, and nothing runs. */
  readonly explain: boolean
  readonly tty: boolean
  readonly url: string | undefined
  readonly json: boolean
  readonly window: string | undefined
  readonly timeout: number | undefined
  readonly "idle-timeout": number | undefined
  readonly grace: number | undefined
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>> | undefined
  readonly "clear-env": boolean
  readonly shell: boolean
  readonly portable: boolean
  readonly merge: boolean
  readonly "no-stream": boolean
  readonly "max-output": number | undefined
  /** A file, or `-` for the program's stdin. Default: the program's stdin if it is a pipe or a file. */
  readonly input: string | undefined
  readonly interactive: boolean
  /** The journal of the command: a file or a URL as given. */
  readonly journal: string | undefined
}

export const redactionFlags: FlagTable<RedactionFlags> = {
  "redact": listFlag(
    "REGEX",
    "Redact matches of this regular expression in the journal, in addition to known token formats; repeatable",
    parsePattern,
  ),
  "no-redact": switchFlag(
    "Do not redact known token formats (GitHub, AWS, npm, JWT, bearer, passwords in URLs, …)",
  ),
  "secret-env": listFlag(
    "NAME",
    "Redact the value of this variable in the journal, also when encoded (base64, URL, …); repeatable",
    parseVariableName,
  ),
}

const policyFlags = commandPolicyFlags("none")

export const runFlags: FlagTable<RunFlags> = {
  "json": switchFlag("Print events as NDJSON; the last one is the ShellOutput or the ShellFault"),
  "window": valueFlag(
    "POLICY",
    `Group output into windows: ${policyForms}; comma-separated policies end a window at whichever comes first`,
    parseText,
  ),
  "timeout": valueFlag(
    "D",
    "Terminate the process tree after this time: seconds, or with a unit, as in 500ms or 2m. Default: none",
    parsePositiveDuration,
  ),
  "idle-timeout": valueFlag(
    "D",
    "Terminate the process tree after this time without output. Default: none",
    parsePositiveDuration,
  ),
  "grace": valueFlag(
    "D",
    "Time between SIGTERM and SIGKILL when the tree is terminated. Default: 5s",
    parseDuration,
  ),
  "cwd": valueFlag("DIR", "Working directory of the command. Default: the current one", parseNonEmpty),
  "env": combinedFlag("K=V", "Set an environment variable of the command; repeatable", parseVariables),
  "clear-env": switchFlag("Do not inherit the environment: the command gets only what --env sets"),
  "shell": switchFlag("Run COMMAND as a shell script: --shell -- 'ls | wc -l'"),
  "portable": switchFlag("Run COMMAND as a script of bash in Sluice's own shell, which needs none of the system"),
  "merge": switchFlag("Redirect stderr to stdout, in the order of the writes"),
  "no-stream": switchFlag("Write nothing until the command ends, then the whole output (within --max-output)"),
  "max-output": valueFlag(
    "BYTES",
    "Maximum bytes of each output kept in memory, as in 512K or 64M. Default: 64M",
    parseBytes,
  ),
  "input": valueFlag(
    "FILE|-",
    "Stdin of the command; - is the stdin of sluice. Default: - when that is a pipe or a file, else empty. In a shell loop that reads stdin, use --input /dev/null",
    parseNonEmpty,
  ),
  "interactive": { ...switchFlag("Pass stdin to the command even when it is a terminal"), alias: "i" },
  "tty": {
    ...switchFlag("Give the command a terminal like this one: for editors, pagers, prompts and shells"),
    alias: "t",
  },
  "url": valueFlag("URL", "Run the command on an execution server (sluice serve)", parseNonEmpty),
  ...serverTokenFlags,
  "limit": combinedFlag(
    "NAME=N",
    "Resource limits: memory=512M,cpu=10s,processes=64,file=1G; repeatable",
    parseLimits,
  ),
  "journal": valueFlag(
    "WHERE",
    "Record the command, its output and its end: FILE.db (SQLite), FILE.ndjson, postgres://… Default: SLUICE_JOURNAL, else none",
    parseNonEmpty,
  ),
  "explain": switchFlag(
    "Run nothing: print for each command of the script the decision of the policy of the flags below",
  ),
  "allow-command": { ...policyFlags["allow-command"], requires: "explain" },
  "allow-cwd-root": { ...policyFlags["allow-cwd-root"], requires: "explain" },
  "default-cwd": { ...policyFlags["default-cwd"], requires: "explain" },
  "pass-env": { ...policyFlags["pass-env"], requires: "explain" },
  "redirects": { ...policyFlags.redirects, requires: "explain" },
  "utilities": { ...policyFlags.utilities, requires: "explain" },
  "config": {
    ...policyFlags.config,
    about: "Configuration file (TOML or JSON) with the policy at its top level. Default: SLUICE_CONFIG, else none",
    requires: "explain",
  },
  ...isolationFlags("the working directory"),
  ...redactionFlags,
}

export const runSpec: CommandSpec = {
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
