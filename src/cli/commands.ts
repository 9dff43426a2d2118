/**
 * Defines the command tree of `sluice` with its flags and help texts for effect/cli.
 *
 * @module
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isRunFlag, type RunFlag, runFlags } from "./flags.ts"
import type { FlagWords } from "./flagValues.ts"
import type { CodeWords } from "./code/RunCodeRequest.ts"
import { makeDaemonCommand } from "./daemon/daemonCommand.ts"
import { makeConfigCommand } from "./config/configCommand.ts"
import { makeCodeCommand } from "./code/codeCommand.ts"
import { makeJournalCommand } from "./journal/journalCommand.ts"
import type { JournalWords } from "./journal/readJournalRequest.ts"
import { makeMcpCommand } from "./mcp/mcpCommand.ts"
import { makeSandboxCommand } from "./sandbox/sandboxCommand.ts"
import type { SandboxWords } from "./sandbox/SandboxRequest.ts"
import { makeServeCommand } from "./serve/serveCommand.ts"
import type { RunWords } from "./parseRunWords.ts"

const on = (name: RunFlag) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(runFlags[name].about), Flag.withDefault(false))

const one = (name: RunFlag) =>
  Flag.String(name).pipe(
    Flag.withMetavar(runFlags[name].metavar),
    Flag.withDescription(runFlags[name].about),
    Flag.optional,
  )

const many = (name: RunFlag) =>
  Flag.String(name).pipe(
    Flag.withMetavar(runFlags[name].metavar),
    Flag.withDescription(runFlags[name].about),
    Flag.atLeast(0),
  )

const runConfig = {
  "json": on("json"),
  "window": one("window"),
  "timeout": one("timeout"),
  "idle-timeout": one("idle-timeout"),
  "grace": one("grace"),
  "cwd": one("cwd"),
  "env": many("env"),
  "clear-env": on("clear-env"),
  "shell": on("shell"),
  "merge": on("merge"),
  "no-stream": on("no-stream"),
  "max-output": one("max-output"),
  "input": one("input"),
  "interactive": on("interactive").pipe(Flag.withAlias("i")),
  "limit": many("limit"),
  "journal": one("journal"),
  "redact": many("redact"),
  "no-redact": on("no-redact"),
  "secret-env": many("secret-env"),
} satisfies Record<RunFlag, unknown>

const textsOf = (value: boolean | Option.Option<string> | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof value === "boolean" ? value ? ["true"] : [] : Option.isOption(value) ? Option.toArray(value) : value

/** Converts the result of effect/cli to the words of the fast parser. */
const wordsOf = (
  command: ReadonlyArray<string>,
  values: Readonly<Record<string, boolean | Option.Option<string> | ReadonlyArray<string>>>,
): RunWords => {
  const flags = new Map<RunFlag, ReadonlyArray<string>>()
  for (const [name, value] of Object.entries(values)) {
    const texts = textsOf(value)
    if (isRunFlag(name) && texts.length > 0) flags.set(name, texts)
  }
  return { flags, command }
}

const runAbout = `Run one command, stream its output, and exit with its status.

  Everything after -- is the command and its arguments, taken literally. Without --, the command starts at the first word
  that is not a flag.

  Exit status: that of the command; 128+n if signal n ended it; 124 timed out; 126 not permitted; 127 not found;
  75 too many commands; 130 cancelled by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); 125 any other failure of sluice itself,
  including a usage error. Ctrl-C terminates the whole process tree; a second Ctrl-C kills it.`

/** A parsed subcommand with its words. */
export type ParsedSubcommand =
  | { readonly _tag: "Run"; readonly words: RunWords }
  | { readonly _tag: "Serve"; readonly words: FlagWords }
  | { readonly _tag: "Daemon"; readonly words: FlagWords }
  | { readonly _tag: "Code"; readonly words: CodeWords }
  | { readonly _tag: "Sandbox"; readonly words: SandboxWords }
  | { readonly _tag: "Journal"; readonly words: JournalWords }
  | { readonly _tag: "ConfigCheck"; readonly file: string | undefined }
  | { readonly _tag: "Mcp"; readonly words: FlagWords }

/** Makes the command tree. Its handlers only report the parsed words. */
export const makeRootCommand = (
  choose: (chosen: ParsedSubcommand) => void,
): Command.Command<"sluice", {}> => {
  const runCommand = Command.make(
    "run",
    { ...runConfig, command: Argument.String("COMMAND").pipe(Argument.variadic({ min: 1 })) },
    ({ command, ...flags }) => Effect.sync(() => choose({ _tag: "Run", words: wordsOf(command, flags) })),
  ).pipe(
    Command.withDescription(runAbout),
    Command.withShortDescription("Run one command"),
    Command.withExamples([
      { command: "sluice run -- git log --stat", description: "Stream the output" },
      { command: "sluice run --window lines:50,silence:100 -- npm test", description: "Group the output into windows" },
      { command: "git diff | sluice run -- wc -l", description: "Pass stdin to the command" },
      { command: "sluice run --json --timeout 5s -- sh -c 'echo hi'", description: "Print events as NDJSON" },
    ]),
  )
  const serveCommand = makeServeCommand((words) => choose({ _tag: "Serve", words }))
  const daemonCommand = makeDaemonCommand((words) => choose({ _tag: "Daemon", words }))
  const codeCommand = makeCodeCommand((words) => choose({ _tag: "Code", words }))
  const sandboxCommand = makeSandboxCommand((words) => choose({ _tag: "Sandbox", words }))
  const journalCommand = makeJournalCommand((words) => choose({ _tag: "Journal", words }))
  const configCommand = makeConfigCommand((file) => choose({ _tag: "ConfigCheck", file }))
  const mcpCommand = makeMcpCommand((words) => choose({ _tag: "Mcp", words }))
  return Command.make("sluice").pipe(
    Command.withDescription("Run commands with streamed, windowed and journaled output"),
    Command.withSubcommands([
      runCommand,
      codeCommand,
      serveCommand,
      daemonCommand,
      sandboxCommand,
      journalCommand,
      mcpCommand,
      configCommand,
    ]),
  )
}
