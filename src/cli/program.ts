/** Parses the command line with effect/cli, and loads and runs the chosen subcommand. */
import * as CliConfig from "effect/cli/CliConfig"
import { isCliError } from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { encodeUtf8 } from "../base/bytes.ts"
import type { CliProcess } from "./CliProcess.ts"
import type { CommandGroup, CommandHandler, CommandSpec, CommandWords } from "./CommandSpec.ts"
import { ownFailureStatus } from "./exitStatus.ts"
import { makeCommand, makePresenter } from "./makeCommand.ts"
import { insertSeparator } from "./parseRunWords.ts"
import { ProcessOutput } from "./ProcessOutput.ts"
import { UsageError } from "./UsageError.ts"
import { version } from "./version.ts"
import { agentSpec } from "./agent/agentSpec.ts"
import { attachSpec } from "./attach/attachSpec.ts"
import { codeSpec } from "./code/codeSpec.ts"
import { configSpec } from "./config/configSpec.ts"
import { daemonSpec } from "./daemon/daemonSpec.ts"
import { demoSpec } from "./demo/demoSpec.ts"
import { filesSpec } from "./files/filesSpec.ts"
import { journalSpec } from "./journal/journalSpec.ts"
import { mcpSpec } from "./mcp/mcpSpec.ts"
import { runSpec } from "./runFlags.ts"
import { sandboxSpec } from "./sandbox/sandboxSpec.ts"
import { serveSpec } from "./serve/serveSpec.ts"

/** A subcommand and its implementation, which is loaded on demand: most command lines need a small part of this package. */
interface Entry {
  readonly spec: CommandSpec | CommandGroup
  readonly load: () => Promise<CommandHandler>
}

const entries: ReadonlyArray<Entry> = [
  { spec: runSpec, load: async () => (await import("./run.ts")).run },
  { spec: attachSpec, load: async () => (await import("./attach/attach.ts")).attach },
  { spec: codeSpec, load: async () => (await import("./code/runCode.ts")).runCode },
  { spec: serveSpec, load: async () => (await import("./serve/serve.ts")).serve },
  { spec: daemonSpec, load: async () => (await import("./daemon/daemon.ts")).daemon },
  { spec: sandboxSpec, load: async () => (await import("./sandbox/sandbox.ts")).sandbox },
  { spec: journalSpec, load: async () => (await import("./journal/journal.ts")).journal },
  { spec: filesSpec, load: async () => (await import("./files/files.ts")).files },
  { spec: mcpSpec, load: async () => (await import("./mcp/mcp.ts")).mcp },
  { spec: agentSpec, load: async () => (await import("./agent/agent.ts")).agent },
  { spec: demoSpec, load: async () => (await import("./demo/demo.ts")).demo },
  { spec: configSpec, load: async () => (await import("./config/checkConfig.ts")).checkConfig },
]

/** Services that effect/cli requires for prompts and file flags, which this program does not have. */
const services = Layer.mergeAll(
  Path.layer,
  FileSystem.layerNoop({}),
  Stdio.layerTest({}),
  Layer.mock(Terminal.Terminal)({ "~effect/Terminal": "~effect/Terminal" }),
  Layer.mock(ChildProcessSpawner)({}),
)

export interface ParsedCommand {
  readonly command: string
  readonly words: CommandWords
}

/** Parses the command line; returns its subcommand and words, or the exit status after help or a usage error. */
export const readCommandLine = (cli: CliProcess): Effect.Effect<ParsedCommand | number> =>
  Effect.suspend(() => {
    const output = new ProcessOutput(cli)
    let chosen: ParsedCommand | undefined
    // Completions are logged, and a console loses unwritten output at the exit.
    let logged = ""
    const log = (text: string): void => {
      logged += `${text}\n`
    }
    const command = makeCommand(
      "sluice",
      "Run commands with streamed, windowed and journaled output, work with files, and let models do both",
      entries.map(({ spec }) => spec),
      (command, words) => {
        chosen = { command, words }
      },
    )
    const words = cli.args.length === 0 ? ["--help"] : cli.args
    const [name = "", ...rest] = words
    const spec = entries.find(({ spec }) => spec.name === name)?.spec
    const isVerbatim = spec !== undefined && "operand" in spec && spec.operand?.isVerbatim === true
    const args = isVerbatim ? [name, ...insertSeparator(rest, spec.flags)] : words
    const colors = cli.isTerminal(1) && (cli.variable("NO_COLOR") ?? "") === ""
    return Command.runWith(command, { version })(args).pipe(
      Effect.provideService(CliOutput.Presenter, makePresenter(output, colors)),
      Effect.provideService(
        CliConfig.CliConfig,
        // `sluice code --version 3.11` is the interpreter's.
        CliConfig.make({
          builtIns: [GlobalFlag.Help, ...(name === "code" ? [] : [GlobalFlag.Version]), GlobalFlag.Completions],
        }),
      ),
      Effect.provide(services),
      Effect.provideService(Console.Console, { ...console, log }),
      Effect.andThen(Effect.suspend(() => Effect.ignore(output.write(1, encodeUtf8(logged))))),
      Effect.map(() => chosen ?? 0),
      Effect.catchIf(isCliError, () => Effect.succeed(ownFailureStatus)),
    )
  })

export const makeProgram = (cli: CliProcess): ReturnType<CommandHandler> =>
  Effect.flatMap(readCommandLine(cli), (chosen) => {
    if (typeof chosen === "number") return Effect.succeed(chosen)
    const { command, words } = chosen
    const entry = entries.find(({ spec }) => spec.name === command)
    if (entry === undefined) return Effect.die(new Error(`sluice ${command} has no implementation`))
    const needsHono = (error: unknown) => new UsageError(`serve needs the package hono: npm install hono (${error})`)
    const handler = command === "serve"
      ? Effect.tryPromise({ try: entry.load, catch: needsHono })
      : Effect.promise(entry.load)
    return Effect.flatMap(handler, (run) => run(words, cli))
  })
