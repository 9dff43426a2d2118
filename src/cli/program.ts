/**
 * The whole command line, over effect/cli: commands, flags, help, completions, and what is wrong.
 *
 * @module
 */
import * as Argument from "effect/cli/Argument"
import * as CliConfig from "effect/cli/CliConfig"
import { isCliError } from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { ownFailure } from "./exitStatus.ts"
import { isRunFlag, type RunFlag, runFlags } from "./flags.ts"
import { OwnOutput } from "./Output.ts"
import type { OwnProcess } from "./OwnProcess.ts"
import { run } from "./run.ts"
import { readRequest } from "./RunRequest.ts"
import type { ServeOptions } from "./serve.ts"
import { presenter } from "./usage.ts"
import { UsageError } from "./UsageError.ts"
import { version } from "./version.ts"
import { markCommand, type RunWords } from "./words.ts"

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
  "limit": many("limit"),
} satisfies Record<RunFlag, unknown>

const textsOf = (value: boolean | Option.Option<string> | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof value === "boolean" ? value ? ["true"] : [] : Option.isOption(value) ? Option.toArray(value) : value

/** What effect/cli read, as the quick parser would have. */
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

const runAbout = `Run one command: its output is written as it comes, and its exit status is this program's.

  All that follows -- is the command and its arguments, as they are; so is all from the first word that is no flag.

  Exit status: the command's own; 128+n when signal n ended it; 124 timed out; 126 not permitted; 127 not found;
  75 too many commands; 130 cancelled by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); 125 anything else that is not the
  command's doing, a wrong command line included. Ctrl-C ends the whole process tree; twice, at once.`

const serveAbout = `Serve POST /exec: a ShellExec as JSON in, its events as NDJSON, SSE or one JSON result out.

  Whoever has the token can run commands. There is no TLS: keep it on this machine, or behind something that encrypts.`

/** A command was chosen: what it does, once the command line has been read. */
export type Chosen =
  | { readonly _tag: "Run"; readonly words: RunWords }
  | { readonly _tag: "Serve"; readonly options: ServeOptions }

const makeCommand = (own: OwnProcess, choose: (chosen: Chosen) => void) => {
  const runCommand = Command.make(
    "run",
    { ...runConfig, command: Argument.String("COMMAND").pipe(Argument.variadic({ min: 1 })) },
    ({ command, ...flags }) => Effect.sync(() => choose({ _tag: "Run", words: wordsOf(command, flags) })),
  ).pipe(
    Command.withDescription(runAbout),
    Command.withShortDescription("Run one command"),
    Command.withExamples([
      { command: "sluice run -- git log --stat", description: "Output as it comes" },
      { command: "sluice run --window lines:50,silence:100 -- npm test", description: "Output in windows" },
      { command: "sluice run --json --timeout 5s -- sh -c 'echo hi'", description: "Events, one a line" },
    ]),
  )
  const serveCommand = Command.make(
    "serve",
    {
      host: Flag.String("host").pipe(
        Flag.withDescription("Address to listen on. Default: 127.0.0.1"),
        Flag.withDefault("127.0.0.1"),
      ),
      port: Flag.Int("port").pipe(
        Flag.withDescription("Port to listen on; 0 is any that is free. Default: 8787"),
        Flag.filter((port) => port >= 0 && port <= 65_535, (port) => `${port} is no port`),
        Flag.withDefault(8787),
      ),
      token: Flag.String("token").pipe(
        Flag.withMetavar("T"),
        Flag.withDescription(
          "What clients must send as Authorization: Bearer T. Default: SLUICE_TOKEN, else a new one",
        ),
        Flag.optional,
      ),
    },
    ({ host, port, token }) =>
      Effect.sync(() => {
        // As elsewhere, an empty variable is one that is not set.
        const given = Option.getOrUndefined(token) ?? (own.variable("SLUICE_TOKEN") || undefined)
        choose({ _tag: "Serve", options: { host, port, token: given } })
      }),
  ).pipe(Command.withDescription(serveAbout), Command.withShortDescription("Serve commands over HTTP"))
  return Command.make("sluice").pipe(
    Command.withDescription("Commands as typed, windowed streams"),
    Command.withSubcommands([runCommand, serveCommand]),
  )
}

/** effect/cli asks for these for prompts and for flags that read files; this command line has neither. */
const services = Layer.mergeAll(
  Path.layer,
  FileSystem.layerNoop({}),
  Stdio.layerTest({}),
  Layer.mock(Terminal.Terminal)({ "~effect/Terminal": "~effect/Terminal" }),
  Layer.mock(ChildProcessSpawner)({}),
)

/** Reads the command line: what was chosen; or the status, when help was shown, or what is wrong. */
export const readCommandLine = (own: OwnProcess): Effect.Effect<Chosen | number> =>
  Effect.suspend(() => {
    const output = new OwnOutput(own)
    let chosen: Chosen | undefined
    const command = makeCommand(own, (one) => {
      chosen = one
    })
    const [name, ...rest] = own.args
    const args = name === "run" ? [name, ...markCommand(rest)] : own.args
    const colors = own.isTerminal(1) && (own.variable("NO_COLOR") ?? "") === ""
    return Command.runWith(command, { version })(args).pipe(
      Effect.provideService(CliOutput.Presenter, presenter(output, colors)),
      Effect.provideService(
        CliConfig.CliConfig,
        CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
      ),
      Effect.provide(services),
      Effect.map(() => chosen ?? 0),
      Effect.catchIf(isCliError, () => Effect.succeed(ownFailure)),
    )
  })

const loadServe = Effect.tryPromise({
  try: () => import("./serve.ts"),
  catch: (error) => new UsageError(`serve needs the package hono: npm install hono (${error})`),
})

/** Does what the command line says; answers with the status to exit with. */
export const program = (own: OwnProcess): Effect.Effect<number, UsageError> =>
  Effect.flatMap(readCommandLine(own), (chosen) => {
    if (typeof chosen === "number") return Effect.succeed(chosen)
    return chosen._tag === "Run"
      ? Effect.flatMap(readRequest(chosen.words), (request) => run(request, own))
      : Effect.flatMap(loadServe, ({ serve }) => serve(chosen.options, own))
  })
