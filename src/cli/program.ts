/**
 * Parses the command line with effect/cli and runs the chosen subcommand, with help, completions and usage errors.
 *
 * @module
 */
import * as CliConfig from "effect/cli/CliConfig"
import { isCliError } from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import type { CliProcess } from "./CliProcess.ts"
import { commands } from "./commands.ts"
import type { CommandHandler, CommandSpec, CommandWords } from "./CommandSpec.ts"
import { ownFailureStatus } from "./exitStatus.ts"
import { makeCommand } from "./makeCommand.ts"
import { insertSeparator } from "./parseRunWords.ts"
import { ProcessOutput } from "./ProcessOutput.ts"
import { makePresenter } from "./usageErrors.ts"
import { UsageError } from "./UsageError.ts"
import { version } from "./version.ts"

/** Services that effect/cli requires for prompts and file flags, which this program does not have. */
const services = Layer.mergeAll(
  Path.layer,
  FileSystem.layerNoop({}),
  Stdio.layerTest({}),
  Layer.mock(Terminal.Terminal)({ "~effect/Terminal": "~effect/Terminal" }),
  Layer.mock(ChildProcessSpawner)({}),
)

/** A subcommand with the words of its command line. */
export interface ParsedCommand {
  readonly spec: CommandSpec
  readonly words: CommandWords
}

/** Parses the command line; returns the subcommand, or the exit status after help or a usage error. */
export const readCommandLine = (cli: CliProcess): Effect.Effect<ParsedCommand | number> =>
  Effect.suspend(() => {
    const output = new ProcessOutput(cli)
    let chosen: ParsedCommand | undefined
    const command = makeCommand(
      "sluice",
      "Run commands with streamed, windowed and journaled output",
      commands,
      (spec, words) => {
        chosen = { spec, words }
      },
    )
    const words = cli.args.length === 0 ? ["--help"] : cli.args
    const [name = "", ...rest] = words
    const spec = commands.find((each) => each.name === name)
    const isVerbatim = spec !== undefined && "operand" in spec && spec.operand?.isVerbatim === true
    const args = isVerbatim ? [name, ...insertSeparator(rest, spec.flags)] : words
    const colors = cli.isTerminal(1) && (cli.variable("NO_COLOR") ?? "") === ""
    return Command.runWith(command, { version })(args).pipe(
      Effect.provideService(CliOutput.Presenter, makePresenter(output, colors)),
      Effect.provideService(
        CliConfig.CliConfig,
        CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
      ),
      Effect.provide(services),
      Effect.map(() => chosen ?? 0),
      Effect.catchIf(isCliError, () => Effect.succeed(ownFailureStatus)),
    )
  })

const loadHandler = ({ load, name, needs }: CommandSpec): Effect.Effect<CommandHandler, UsageError> =>
  needs === undefined ? Effect.promise(load) : Effect.tryPromise({
    try: load,
    catch: (error) => new UsageError(`${name} needs the package ${needs}: npm install ${needs} (${error})`),
  })

/** Runs the command line and returns the exit status. */
export const makeProgram = (cli: CliProcess): Effect.Effect<number, UsageError> =>
  Effect.flatMap(
    readCommandLine(cli),
    (chosen) =>
      typeof chosen === "number"
        ? Effect.succeed(chosen)
        : Effect.flatMap(loadHandler(chosen.spec), (handler) => handler(chosen.words, cli)),
  )
